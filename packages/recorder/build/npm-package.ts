// Packs the recorder as an npm package. The logbook serves these bytes and a release has the same ones, so one digest identifies both.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { version } from './build-program.ts'

/** `program`: the bundled file, which the package contains as its command. Returns the bytes of a `.tgz`. */
export function packRecorder(program: Uint8Array): Uint8Array {
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
  const license = readFileSync(new URL('../../../LICENSE', import.meta.url), 'utf8')
  const text = (path: string, content: string): PackedFile => ({
    path: `package/${path}`,
    content: Buffer.from(content),
    mode: 0o644,
  })
  return packTarball([
    text('package.json', `${JSON.stringify(manifest, null, 2)}\n`),
    { path: 'package/fairgate-recorder.cjs', content: program, mode: 0o755 },
    text('README.md', readme.join('\n')),
    text('LICENSE', license),
  ])
}

type PackedFile = { readonly path: string; readonly content: Uint8Array; readonly mode: number }

const block = 512
/** 1985-10-26 08:15:00 UTC, the time that npm too writes for every file: some file systems know no earlier ones. */
const fixedTime = 499_162_500

/** Paths of at most 100 bytes. */
function packTarball(files: readonly PackedFile[]): Uint8Array {
  const parts = files.flatMap(file => [writeHeader(file), file.content, padding(file.content.length)])
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * block)]), { level: 9 })
}

function padding(length: number): Uint8Array {
  return Buffer.alloc((block - (length % block)) % block)
}

/** The header of POSIX.1-1988 (`ustar`). */
function writeHeader({ path, content, mode }: PackedFile): Uint8Array {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is too long for the archive.`)
  const header = Buffer.alloc(block)
  const number = (value: number, offset: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset)
  header.write(path, 0)
  number(mode, 100, 8)
  number(0, 108, 8)
  number(0, 116, 8)
  number(content.length, 124, 12)
  number(fixedTime, 136, 12)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  const checksum = header.reduce((sum, byte) => sum + byte, 0)
  header.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}
