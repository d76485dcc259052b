// Which entries wait to be sent.
import { join } from 'node:path'
import type { Files } from './files.ts'
import type { Layout } from './layout.ts'

/** Other files are leftovers of writing. */
export const isEntryName = (name: string) => name.endsWith('.json')

/** When its hook ran, in Unix ms: the name of an entry begins with it. */
export const readNameTime = (name: string) => Number.parseInt(name, 10) || 0

/** Names of the waiting entries, the oldest first by the clock of their hook. */
export function listPending({ files, layout }: { files: Files; layout: Layout }): string[] {
  return files.list(layout.pending).filter(isEntryName).sort()
}

/** null: it has been sent meanwhile, or may not be read, as when another user wrote it; that must not hold up the others. */
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
