// Sees to it that what both a hook and the scan of a transcript can see goes into exactly one entry.
//
// A claim is a file named after the thing. It is created empty by whoever comes first, then holds the entry that will carry the
// thing, then the word `done`. Whoever finds it in the second state puts that same entry again, which changes nothing if it had
// been put, so a crash at any point neither loses the thing nor doubles it.
import { join } from 'node:path'
import { parseEntryText } from './entry-text.ts'
import { fileNameOf } from './notes.ts'
import type { NumberedEntry, Spool } from './spool.ts'

const done = 'done'

/** A claim that has stayed empty for so long (ms) belongs to a process that died. */
const abandonedAfter = 10_000

/** Puts the entry that `build` makes unless the thing has been carried; answers whether it did. */
export function putOnce(spool: Spool, key: string, now: number, build: () => NumberedEntry): boolean {
  const { files, layout } = spool
  const path = join(layout.claims, fileNameOf(key))
  files.makeFolder(layout.claims)
  if (!files.createMark(path) && !isAbandoned(spool, path, now)) return false
  const entry = build()
  spool.writeAtomically(path, JSON.stringify(entry))
  spool.put(entry)
  spool.writeAtomically(path, done)
  return true
}

/** An old claim that holds no entry. One that holds an entry is finished here. */
function isAbandoned(spool: Spool, path: string, now: number): boolean {
  const bytes = spool.files.read(path) ?? new Uint8Array()
  const text = Buffer.from(bytes).toString('utf8')
  const changedAt = spool.files.modifiedAt(path) ?? now
  if (text === done || Math.abs(now - changedAt) < abandonedAfter) return false
  const { name, text: entryText } = parseEntryText(bytes)?.entry ?? {}
  if (typeof name !== 'string' || typeof entryText !== 'string') {
    // Two may see this at once; only the one that renews the mark first goes on.
    spool.files.touch(path, now)
    return true
  }
  spool.put({ name, text: entryText })
  spool.writeAtomically(path, done)
  return false
}

/** Finishes what crashed hooks began. */
export function finishClaims(spool: Spool, now: number): void {
  const { files, layout } = spool
  for (const name of files.list(layout.claims)) {
    const path = join(layout.claims, name)
    if (files.read(path)?.length !== done.length) isAbandoned(spool, path, now)
  }
}
