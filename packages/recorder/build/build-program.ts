// Bundles the recorder into one file without dependencies, for Node 18 or newer and for Bun. The build takes about a tenth of a second, so no
// built file is kept under version control, and the logbook builds what it serves.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const programEntry = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** The script that builds the stand-alone programs into a given folder. Bun runs it. */
export const programsScript = fileURLToPath(new URL('./write-programs.ts', import.meta.url))

export const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)

export const licensePath = fileURLToPath(new URL('../../../LICENSE', import.meta.url))

/** `fairgate-recorder.cjs`. Throws AggregateError with what the bundler says. */
export async function buildProgram(): Promise<Uint8Array> {
  // The ISC license of the YAML library asks for its text in every copy.
  const yamlLicense = readFileSync(new URL('LICENSE', import.meta.resolve('yaml/package.json')), 'utf8')
  const built = await Bun.build({
    entrypoints: [programEntry],
    target: 'node',
    // At every tool call, CommonJS starts a few milliseconds faster than an ES module.
    format: 'cjs',
    // Short names make up for the YAML library: Node reads through the whole file at each start.
    minify: true,
    banner: `#!/usr/bin/env node\n/* This file contains the package yaml:\n${yamlLicense}*/`,
    define: defineConstants(false),
  })
  const [file] = built.outputs
  if (!built.success || file === undefined)
    throw new AggregateError(built.logs, 'The recorder does not build.')
  return new Uint8Array(await file.arrayBuffer())
}

export function defineConstants(isStandAlone: boolean): Record<string, string> {
  return { recorderVersion: JSON.stringify(version), recorderIsStandAlone: String(isStandAlone) }
}
