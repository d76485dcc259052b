// Remembers how the last sending went, for `status` and for a logbook that asked the recorder to wait.
import { textOf } from '../json/members.ts'
import { readObject, type Spool } from '../spool/spool.ts'

export type LastSend = {
  /** ISO 8601. */
  readonly at: string
  readonly sent: number
  /** How many of them the logbook already had. */
  readonly duplicates: number
  readonly rejected: number
  readonly kept: number
  /** Why it stopped early; null when everything was sent. */
  readonly stop: string | null
  /** No automatic sending before this time (ISO 8601); null when the logbook did not ask for a wait. */
  readonly waitUntil: string | null
  /** As `ComparedClocks` has it. */
  readonly clockBehindMs: number
}

/** The longest wait (ms) that we accept. A longer one, or one that comes from a changed clock, is ignored. */
const longestWait = 60 * 60 * 1000

export function readLastSend({ files, layout }: Spool): LastSend | null {
  const entry = readObject(files, layout.state)
  if (typeof entry?.at !== 'string') return null
  const count = (value: unknown) => (typeof value === 'number' ? value : 0)
  return {
    at: entry.at,
    sent: count(entry.sent),
    duplicates: count(entry.duplicates),
    rejected: count(entry.rejected),
    kept: count(entry.kept),
    stop: textOf(entry, 'stop'),
    waitUntil: textOf(entry, 'waitUntil'),
    clockBehindMs: count(entry.clockBehindMs),
  }
}

export function saveLastSend(spool: Spool, lastSend: LastSend): void {
  spool.writeAtomically(spool.layout.state, `${JSON.stringify(lastSend)}\n`)
}

/** How many milliseconds of the wait are left. */
export function remainingWait(lastSend: LastSend | null, now: number): number {
  const until = Date.parse(lastSend?.waitUntil ?? '')
  const wait = Number.isNaN(until) ? 0 : until - now
  return wait > 0 && wait <= longestWait ? wait : 0
}
