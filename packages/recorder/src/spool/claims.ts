// Makes sure that an event seen by both a hook and a transcript scan becomes exactly one entry.
//
// A claim is a file named after the event. The first process creates it empty. It then contains the entry that will carry the event,
// and finally the word `done`. A process that finds it in the second state puts that same entry again, which changes nothing if it had
// already been put. So a crash at any point neither loses the event nor doubles it.
//
// Claims are not flushed, because each flush delays a hook by milliseconds. A power cut can undo the last ones, and what happened in the
// last seconds before it may then be recorded twice.
import { join } from 'node:path'
import { fileNameOf } from './notes.ts'
import { type NumberedEntry, parseEntryText, type Spool } from './spool.ts'

/** Who saw the event. */
export type ClaimSource = 'hook' | 'transcript'

const done = 'done'

/** A claim that is not done after this long (ms) belongs to a process that died. */
const abandonedAfter = 10_000

/**
 * - `put`: the entry that `build` made carries the event.
 * - `carried`: another entry does, which came from `by`.
 * - `unsettled`: another process is working on it or has just died. Ask again later.
 */
export type ClaimOutcome =
  | { readonly kind: 'put' | 'unsettled' }
  | { readonly kind: 'carried'; readonly by: ClaimSource }

export function putOnce(
  spool: Spool,
  { key, by }: { readonly key: string; readonly by: ClaimSource },
  now: number,
  build: () => NumberedEntry,
): ClaimOutcome {
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
  spool.writeAtomically(path, JSON.stringify({ ...entry, by }), 'unflushed')
  spool.put(entry)
  spool.writeAtomically(path, describeDone(by), 'unflushed')
  return { kind: 'put' }
}

export function isClaimed({ files, layout }: Spool, key: string): boolean {
  return files.read(join(layout.claims, fileNameOf(key))) !== null
}

/** Finishes the claims that crashed processes left. */
export function finishClaims(spool: Spool, now: number): void {
  const { files, layout } = spool
  for (const name of files.list(layout.claims)) settleClaim(spool, join(layout.claims, name), now)
}

/** Removes finished claims whose key begins with `prefix` and that are older than `age` (ms). */
export function forgetClaims(spool: Spool, prefix: string, age: number, now: number): void {
  const { files, layout } = spool
  for (const name of files.list(layout.claims)) {
    const path = join(layout.claims, name)
    if (!name.startsWith(prefix) || now - (files.modifiedAt(path) ?? now) < age) continue
    if (readDone(files.read(path)) !== null) files.remove(path)
  }
}

function settleClaim(spool: Spool, path: string, now: number): ClaimOutcome | 'abandoned' {
  const bytes = spool.files.read(path) ?? new Uint8Array()
  const carrier = readDone(bytes)
  if (carrier !== null) return { kind: 'carried', by: carrier }
  const changedAt = spool.files.modifiedAt(path) ?? now
  if (Math.abs(now - changedAt) < abandonedAfter) return { kind: 'unsettled' }
  const { name, text, by } = parseEntryText(bytes)?.entry ?? {}
  if (typeof name !== 'string' || typeof text !== 'string') return 'abandoned'
  const source = by === 'transcript' ? by : 'hook'
  spool.put({ name, text })
  spool.writeAtomically(path, describeDone(source), 'unflushed')
  return { kind: 'carried', by: source }
}

function describeDone(by: ClaimSource): string {
  return by === 'hook' ? done : `${done} ${by}`
}

/** Who carried the event; null while the claim is not finished. */
function readDone(bytes: Uint8Array | null): ClaimSource | null {
  const text = Buffer.from(bytes ?? []).toString('utf8')
  if (text === done) return 'hook'
  return text === describeDone('transcript') ? 'transcript' : null
}
