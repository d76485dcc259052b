// Bundles the recorder into one file without dependencies, for Node 18 or newer and for Bun.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const entry = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)

/** Writes `fairgate-recorder.cjs` into the folder; answers its path. */
export async function bundleRecorder(folder: string): Promise<string> {
  const built = await Bun.build({
    entrypoints: [entry],
    outdir: folder,
    naming: 'fairgate-recorder.cjs',
    target: 'node',
    // CommonJS starts some milliseconds sooner than a module, at every tool call.
    format: 'cjs',
    minify: { syntax: true, whitespace: true },
    banner: '#!/usr/bin/env node',
    define: { recorderVersion: JSON.stringify(version), recorderIsStandAlone: 'false' },
  })
  const [file] = built.outputs
  if (!built.success || file === undefined)
    throw new AggregateError(built.logs, 'The recorder does not build.')
  return file.path
}
