// Lists entries waiting to be sent.
import { join } from 'node:path'
import type { Files } from './files.ts'
import type { Layout } from './layout.ts'

/** Other files are left over from writing. */
export const isEntryName = (name: string) => name.endsWith('.json')

/** When its hook ran, in Unix ms. The name of an entry begins with this time. */
export const readNameTime = (name: string) => Number.parseInt(name, 10) || 0

/** The names of the waiting entries, the oldest first by the clock of their hooks. */
export function listPending({ files, layout }: { files: Files; layout: Layout }): string[] {
  return files.list(layout.pending).filter(isEntryName).sort()
}

/** null when the entry has been sent meanwhile or cannot be read, as when another user wrote it. That must not delay the others. */
export function readPending(
  { files, layout }: { files: Files; layout: Layout },
  name: string,
): Uint8Array | null {
  try {
    return files.read(join(layout.pending, name))
  } catch {
    return null
  }
}
