// Which entries wait to be sent.
import type { Files } from './files.ts'
import type { Layout } from './layout.ts'

/** Other files are leftovers of writing. */
export const isEntryName = (name: string) => name.endsWith('.json')

/** Names of the waiting entries, the oldest first by the clock of their hook. */
export function listPending({ files, layout }: { files: Files; layout: Layout }): string[] {
  return files.list(layout.pending).filter(isEntryName).sort()
}
