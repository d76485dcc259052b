// Finds the built pages for a server, and builds them if none match the current sources.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type AppName, type BuiltFile, type Manifest, readManifest } from './manifest.ts'
import { digestSources } from './sources-digest.ts'

export type { AppName, BuiltFile, Manifest }

export type OpenedPages = { readonly folder: string; readonly manifest: Manifest }

/**
 * The pages in their own folder within `parent`, named by their sources; folders of other sources are removed. A build runs in its
 * own process, so that no call waits for it. Rejects when the sources cannot be built.
 */
export async function openPages(parent: string): Promise<OpenedPages> {
  const name = digestSources().slice(0, 16)
  const folder = join(parent, name)
  const known = readManifest(folder)
  if (known !== null) return { folder, manifest: known }
  mkdirSync(parent, { recursive: true })
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'main.ts'), folder], {
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [code, errors] = await Promise.all([child.exited, new Response(child.stderr).text()])
  const manifest = readManifest(folder)
  if (code !== 0 || manifest === null)
    throw new Error(`The pages could not be built: ${errors.trim() || `exit code ${code}`}`)
  for (const other of readdirSync(parent)) {
    if (!other.startsWith(name)) rmSync(join(parent, other), { recursive: true, force: true })
  }
  return { folder, manifest }
}
