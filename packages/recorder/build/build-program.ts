// Bundles the recorder into one file without dependencies, for Node 18 or newer and for Bun. The build takes about a tenth of a second, so no
// built file is kept under version control, and the logbook builds what it serves.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const programEntry = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const verbsEntry = fileURLToPath(new URL('../src/verbs/start-verb.ts', import.meta.url))

/** The script that builds the stand-alone programs into a given folder. Bun runs it. */
export const programsScript = fileURLToPath(new URL('./write-programs.ts', import.meta.url))

export const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)

/**
 * `fairgate-recorder.cjs`. Node reads through a whole file at each start, and a hook needs little of it. So it contains the verbs as a text,
 * which becomes code only when somebody runs one. Throws AggregateError with what the bundler says.
 */
export async function buildProgram(): Promise<Uint8Array> {
  const verbs = await bundle(verbsEntry)
  const hooks = await bundle(programEntry, {
    name: 'verbs as a text',
    setup: build => {
      const text = `import Module from 'node:module'
const own = new Module('verbs')
own._compile(${JSON.stringify(verbs)}, 'fairgate-recorder verbs')
export const startVerb = own.exports.startVerb`
      build.onLoad({ filter: /[/\\]src[/\\]verbs[/\\]start-verb\.ts$/ }, () => ({
        contents: text,
        loader: 'js',
      }))
    },
  })
  const text = `#!/usr/bin/env node\n${readLicenses()}${hooks}`
  // One letter beyond ASCII makes Node decode the whole file and keep it in twice the memory, which costs a hook about a millisecond.
  const writeAsAscii = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  return new TextEncoder().encode(text.replace(/[^\0-\x7f]/g, writeAsAscii))
}

/** Libraries in the verbs, whose licenses ask for their text in every copy, and the files that have it. */
const licenses = { yaml: 'LICENSE', 'jsonc-parser': 'LICENSE.md', 'smol-toml': 'LICENSE', diff: 'LICENSE' }

export function readLicenses(): string {
  const notes = Object.entries(licenses).map(([name, file]) => {
    const license = readFileSync(new URL(file, import.meta.resolve(`${name}/package.json`)), 'utf8')
    return `/* This file contains the package ${name}:\n${license}*/\n`
  })
  return notes.join('')
}

async function bundle(entry: string, plugin?: Bun.BunPlugin): Promise<string> {
  const built = await Bun.build({
    entrypoints: [entry],
    target: 'node',
    // At every tool call, CommonJS starts a few milliseconds faster than an ES module.
    format: 'cjs',
    minify: true,
    define: defineConstants(false),
    ...(plugin === undefined ? {} : { plugins: [plugin] }),
  })
  const [file] = built.outputs
  if (!built.success || file === undefined)
    throw new AggregateError(built.logs, 'The recorder does not build.')
  return await file.text()
}

export function defineConstants(isStandAlone: boolean): Record<string, string> {
  return { recorderVersion: JSON.stringify(version), recorderIsStandAlone: String(isStandAlone) }
}

/** Returns the path of `fairgate-recorder.cjs`, which can be run as it is. */
export async function bundleRecorder(folder: string): Promise<string> {
  const path = join(folder, 'fairgate-recorder.cjs')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path, await buildProgram())
  chmodSync(path, 0o755)
  return path
}
