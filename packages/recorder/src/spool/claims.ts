// Makes sure that a prompt that both a hook and the scan of a transcript can see goes into exactly one entry.
//
// A claim is a file named after the prompt. The first process creates it empty. It then contains the entry that will carry the prompt,
// and finally the word `done`. A process that finds it in the second state puts that same entry again, which changes nothing if it had
// already been put. So a crash at any point neither loses the prompt nor doubles it.
import { join } from 'node:path'
import { fileNameOf } from './notes.ts'
import { type NumberedEntry, parseEntryText, type Spool } from './spool.ts'

const done = 'done'

/** A claim that is not done after this long (ms) belongs to a process that died. */
const abandonedAfter = 10_000

/**
 * - `put`: the entry that `build` made carries the prompt.
 * - `carried`: another entry does.
 * - `unsettled`: another process is working on it or has just died. Ask again later.
 */
export type ClaimOutcome = 'put' | 'carried' | 'unsettled'

export function putOnce(spool: Spool, key: string, now: number, build: () => NumberedEntry): ClaimOutcome {
  const { files, layout } = spool
  const path = join(layout.claims, fileNameOf(key))
  files.makeFolder(layout.claims)
  if (!files.createMark(path)) {
    const found = settleClaim(spool, path, now)
    if (found !== 'abandoned') return found
    // If two processes find it abandoned at once, the second one finds a fresh mark.
    files.touch(path, now)
  }
  const entry = build()
  spool.writeAtomically(path, JSON.stringify(entry))
  spool.put(entry)
  spool.writeAtomically(path, done)
  return 'put'
}

/** Finishes the claims that crashed processes left. */
export function finishClaims(spool: Spool, now: number): void {
  const { files, layout } = spool
  for (const name of files.list(layout.claims)) settleClaim(spool, join(layout.claims, name), now)
}

function settleClaim(spool: Spool, path: string, now: number): 'carried' | 'unsettled' | 'abandoned' {
  const bytes = spool.files.read(path) ?? new Uint8Array()
  if (Buffer.from(bytes).toString('utf8') === done) return 'carried'
  const changedAt = spool.files.modifiedAt(path) ?? now
  if (Math.abs(now - changedAt) < abandonedAfter) return 'unsettled'
  const { name, text } = parseEntryText(bytes)?.entry ?? {}
  if (typeof name !== 'string' || typeof text !== 'string') return 'abandoned'
  spool.put({ name, text })
  spool.writeAtomically(path, done)
  return 'carried'
}
