// Remembers how the last sending went: for `status`, and so that a logbook that asked for patience gets it.
import { parseEntryText } from '../spool/entry-text.ts'
import type { Spool } from '../spool/spool.ts'

export type LastSend = {
  /** ISO 8601. */
  readonly at: string
  readonly sent: number
  /** Of those, entries that the logbook had already. */
  readonly duplicates: number
  readonly rejected: number
  readonly kept: number
  /** Why it stopped early; null when all was sent. */
  readonly stop: string | null
  /** ISO 8601: nothing is sent by itself before; null when the logbook asked for no wait. */
  readonly waitUntil: string | null
}

/** A longer wait (ms) than this is not believed, nor is one that a changed clock makes. */
const longestWait = 60 * 60 * 1000

export function readLastSend({ files, layout }: Spool): LastSend | null {
  const entry = parseEntryText(files.read(layout.state) ?? new Uint8Array())?.entry
  if (entry === undefined || typeof entry.at !== 'string') return null
  const count = (value: unknown) => (typeof value === 'number' ? value : 0)
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  return {
    at: entry.at,
    sent: count(entry.sent),
    duplicates: count(entry.duplicates),
    rejected: count(entry.rejected),
    kept: count(entry.kept),
    stop: text(entry.stop),
    waitUntil: text(entry.waitUntil),
  }
}

export function saveLastSend(spool: Spool, lastSend: LastSend): void {
  spool.writeAtomically(spool.layout.state, `${JSON.stringify(lastSend)}\n`)
}

/** Milliseconds that are still to be waited. */
export function remainingWait(lastSend: LastSend | null, now: number): number {
  const until = Date.parse(lastSend?.waitUntil ?? '')
  const wait = Number.isNaN(until) ? 0 : until - now
  return wait > 0 && wait <= longestWait ? wait : 0
}
