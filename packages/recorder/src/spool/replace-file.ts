// Writes a file so that readers see either the old or the new one, never part of it.
import { join } from 'node:path'
import type { Files } from './files.ts'
import type { Layout } from './layout.ts'

export type WriteAtomically = (path: string, data: string | Uint8Array) => void

export type NamePart = () => string

/** `namePart` must differ between calls and processes. */
export function createWriteAtomically(files: Files, layout: Layout, namePart: NamePart): WriteAtomically {
  return (path, data) => {
    // The name does not end in .json, so what a crash leaves of it is no entry.
    const temporary = join(layout.temporary, `${namePart()}.part`)
    try {
      files.writeNew(temporary, data)
      files.rename(temporary, path)
    } catch (thrown) {
      removeQuietly(files, temporary)
      throw thrown
    }
  }
}

export function removeQuietly(files: Files, path: string): void {
  try {
    files.remove(path)
  } catch {
    // A later sending removes it.
  }
}
