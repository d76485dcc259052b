// Bundles the pages for browsers: scripts in chunks, style sheets and fonts, compressed beforehand.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import {
  type AppName,
  appNames,
  type BuiltApp,
  type BuiltFile,
  type Manifest,
  manifestName,
  readManifest,
} from './manifest.ts'

const require = createRequire(import.meta.url)
const source = fileURLToPath(new URL('../src/', import.meta.url))

/**
 * Writes the files into `folder`, which appears whole. Several processes may do so at once: the first one wins. Takes half a second.
 * Throws AggregateError with what is wrong in the sources.
 */
export async function buildPages(folder: string): Promise<Manifest> {
  const built = await Bun.build({
    entrypoints: [
      ...appNames.flatMap(name => [join(source, name, 'main.tsx'), join(source, name, `${name}.css`)]),
      join(source, 'theme/scheme.ts'),
      join(source, 'join/join.ts'),
    ],
    target: 'browser',
    splitting: true,
    minify: true,
    sourcemap: 'none',
    // Else they would be written into the style sheet.
    external: ['./fonts/*'],
    define: { 'process.env.NODE_ENV': '"production"' },
    naming: {
      entry: '[dir]-[name]-[hash].[ext]',
      chunk: '[name]-[hash].[ext]',
      asset: '[name]-[hash].[ext]',
    },
    root: source,
  })
  const next = `${folder}.${process.pid}.next`
  rmSync(next, { recursive: true, force: true })
  mkdirSync(next, { recursive: true })
  const files: Record<string, BuiltFile> = {}
  const texts = new Map<string, string>()
  writeFonts(next, files)
  for (const output of built.outputs) {
    const name = output.path.replace(/^\.\//, '').replaceAll('/', '-')
    const given = new Uint8Array(await output.arrayBuffer())
    const bytes = name.endsWith('.css') ? nameFonts(given) : given
    files[name] = writeCompressed(join(next, name), name, bytes)
    if (name.endsWith('.js')) texts.set(name, Buffer.from(bytes).toString())
  }
  const find = (pattern: RegExp): string => {
    const name = Object.keys(files).find(each => pattern.test(each))
    if (name === undefined) throw new Error(`The build made no file that matches ${pattern}.`)
    return name
  }
  const describe = (app: AppName): BuiltApp => {
    const script = find(new RegExp(`^${app}-main-.*\\.js$`))
    return {
      script,
      style: find(new RegExp(`^${app}-${app}-.*\\.css$`)),
      preload: listImports(script, texts),
    }
  }
  const manifest: Manifest = {
    apps: {
      admin: describe('admin'),
      judge: describe('judge'),
      team: describe('team'),
      wall: describe('wall'),
    },
    schemeScript: find(/^theme-scheme-.*\.js$/),
    joinScript: find(/^join-join-.*\.js$/),
    font: find(/^inter-latin-wght.*\.woff2$/),
    files,
  }
  writeFileSync(join(next, manifestName), JSON.stringify(manifest))
  try {
    renameSync(next, folder)
  } catch (error) {
    rmSync(next, { recursive: true, force: true })
    // Another process was quicker, with the same sources.
    if (readManifest(folder) === null) throw error
  }
  return manifest
}

/** Chunks that a script imports when it starts, and those that these import. */
function listImports(script: string, texts: ReadonlyMap<string, string>): string[] {
  const found = new Set<string>()
  const visit = (name: string): void => {
    for (const [, path = ''] of (texts.get(name) ?? '').matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) {
      const chunk = basename(path)
      if (found.has(chunk) || chunk === script || !texts.has(chunk)) continue
      found.add(chunk)
      visit(chunk)
    }
  }
  visit(script)
  return [...found]
}

/**
 * Names as in the style sheet, with their origin. They keep their names, so that documents which the server writes can name them
 * too: another version of a font needs another name.
 */
const fonts: Readonly<Record<string, string>> = {
  'inter-latin-wght-normal.woff2': '@fontsource-variable/inter',
  'inter-latin-ext-wght-normal.woff2': '@fontsource-variable/inter',
  'jetbrains-mono-latin-wght-normal.woff2': '@fontsource-variable/jetbrains-mono',
}

function writeFonts(folder: string, files: Record<string, BuiltFile>): void {
  for (const [file, fontPackage] of Object.entries(fonts)) {
    const bytes = readFileSync(require.resolve(`${fontPackage}/files/${file}`))
    files[file] = writeCompressed(join(folder, file), file, bytes)
  }
}

function nameFonts(style: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(style).toString().replaceAll('./fonts/', './'))
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  woff2: 'font/woff2',
  svg: 'image/svg+xml',
}

function writeCompressed(path: string, name: string, bytes: Uint8Array): BuiltFile {
  const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  writeFileSync(path, bytes)
  if (type === 'font/woff2') return { type, bytes: bytes.length, gzip: bytes.length, brotli: bytes.length }
  const gzip = gzipSync(bytes, { level: 9 })
  const brotli = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  })
  writeFileSync(`${path}.gz`, gzip)
  writeFileSync(`${path}.br`, brotli)
  return { type, bytes: bytes.length, gzip: gzip.length, brotli: brotli.length }
}
