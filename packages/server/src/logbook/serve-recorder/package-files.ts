// The files of the npm package in which the recorder is served.
import type { PackedFile } from './pack-tarball.ts'

export type ServedProgram = {
  readonly version: string
  readonly program: Uint8Array
  readonly license: string
}

export function listPackageFiles({ version, program, license }: ServedProgram): PackedFile[] {
  const manifest = {
    name: 'fairgate-recorder',
    version,
    description: 'Records how a team works with AI tools and sends it to the Fairgate logbook.',
    license: 'Apache-2.0',
    bin: { 'fairgate-recorder': 'fairgate-recorder.cjs' },
    engines: { node: '>=18' },
    files: ['fairgate-recorder.cjs'],
  }
  const readme = [
    '# fairgate-recorder',
    '',
    'Records how a team works with AI tools and sends it to the logbook of the competition.',
    'In your repository: `fairgate-recorder init`; then `fairgate-recorder --help`.',
    '',
  ]
  const text = (path: string, content: string): PackedFile => ({
    path: `package/${path}`,
    content: Buffer.from(content),
    mode: 0o644,
  })
  return [
    text('package.json', `${JSON.stringify(manifest, null, 2)}\n`),
    { path: 'package/fairgate-recorder.cjs', content: program, mode: 0o755 },
    text('README.md', readme.join('\n')),
    text('LICENSE', license),
  ]
}
