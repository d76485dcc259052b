// Remembers what an installation changed and what was there before, so that it can be undone to the byte.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readObject, type Spool } from '../../spool/spool.ts'
import type { ChangeKind } from './planned-change.ts'

export type ChangedFile = {
  readonly path: string
  /** The whole previous text; null if there was no file. */
  readonly original: string | null
  readonly originalMode: number | null
  /** SHA-256 of what we wrote; null if others had changed the file before we wrote it again. */
  readonly written: string | null
  /** The folders that were created for it, the outermost first. */
  readonly folders: readonly string[]
  readonly how: ChangeKind
}

export type Manifest = {
  readonly files: readonly ChangedFile[]
  /** The user's own hook, moved aside so that ours can run before it. */
  readonly moved: readonly { readonly from: string; readonly to: string }[]
  /** Whether a hook was set in git's configuration. */
  readonly hasConfigHook: boolean
}

const emptyManifest: Manifest = { files: [], moved: [], hasConfigHook: false }

const fileName = 'install.json'

export function readManifest({ files, layout }: Pick<Spool, 'files' | 'layout'>): Manifest {
  // This is our own file, written by `saveManifest`.
  return { ...emptyManifest, ...readObject(files, join(layout.folder, fileName)) }
}

export function saveManifest(spool: Spool, manifest: Manifest): void {
  const path = join(spool.layout.folder, fileName)
  const isEmpty = manifest.files.length + manifest.moved.length === 0 && !manifest.hasConfigHook
  if (isEmpty) spool.files.remove(path)
  else spool.writeAtomically(path, `${JSON.stringify(manifest, null, 2)}\n`)
}

export function digestText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
