// Finishes what killed processes left half done in the spool.
import { join } from 'node:path'
import { adoptCompletion } from './completions.ts'
import type { Layout } from './layout.ts'
import { isEntryName, listPending, readPending } from './pending.ts'
import { isolateEntry } from './rejected.ts'
import { parseEntryText, type Spool } from './spool.ts'

/** A hook needs milliseconds, so a file this old (ms) was left by one that was killed. */
const abandonedAfter = 60_000

/** Moves on whole entries that their hook could no longer move, and sets torn ones aside. */
export function recoverTemporary(spool: Spool, now: number): void {
  const { files, layout } = spool
  for (const name of files.list(layout.temporary)) {
    const path = join(layout.temporary, name)
    const age = now - (files.modifiedAt(path) ?? now)
    if (Math.abs(age) < abandonedAfter) continue
    const bytes = isEntryName(name) ? files.read(path) : null
    if (bytes === null) files.remove(path)
    else if (parseEntryText(bytes) !== null) files.rename(path, join(layout.pending, name))
    else
      isolateEntry(spool, path, name, { code: 'torn', message: 'The process was killed while writing it.' })
  }
}

/** Moves entries into the git folder that were written elsewhere while it was not writable. Safe to repeat after a crash. */
export function adoptEntries(spool: Spool, fallback: Layout): number {
  const { files, layout } = spool
  const names = listPending({ files, layout: fallback })
  // Before the entries, so that no scan takes for new what one of them carries.
  adoptFiles(spool, fallback.claims, layout.claims, () => true)
  adoptFiles(spool, fallback.notes, layout.notes, path => files.read(path) === null)
  for (const name of names) {
    const from = join(fallback.pending, name)
    const bytes = readPending({ files, layout: fallback }, name)
    if (bytes === null) continue
    adoptCompletion(spool, fallback, name)
    spool.writeAtomically(join(layout.pending, name), bytes)
    files.remove(from)
  }
  return names.length
}

function adoptFiles(
  { files, writeAtomically }: Spool,
  from: string,
  to: string,
  isWanted: (path: string) => boolean,
): void {
  for (const name of files.list(from)) {
    const bytes = files.read(join(from, name))
    files.makeFolder(to)
    if (bytes !== null && isWanted(join(to, name))) writeAtomically(join(to, name), bytes)
    files.remove(join(from, name))
  }
}
