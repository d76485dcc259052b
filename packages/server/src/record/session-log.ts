// The logbook of a team in the form that the join needs: its sessions, with digests of their texts, and when their entries arrived.
import type { CallTexts, SpokenTexts } from '../ledger/call-record.ts'
import { sessionKey } from './session-book.ts'
import { nameToolFamily } from './tool-families.ts'

/** The fields of a stored entry that the join reads. */
export type EntryFacts = {
  /** When it happened by the clock of its writer (Unix ms), but never later than it was received. */
  readonly at: number
  /** The same without that bound. */
  readonly claimedAt: number
  readonly receivedAt: number
  /** The recorder's clone or, for other writers, the log token. Identifies the clock. */
  readonly sender: string
  readonly address: string | null
  readonly tool: string | null
  readonly sessionId: string | null
  readonly prompt: string | null
  /** Results that a tool returned, according to the entry: multiple texts if it is an object. */
  readonly results: readonly string[]
  readonly answer: string | null
}

export type LoggedSession = {
  /** Unlike the id, never the same for sessions of two tools. */
  readonly key: string
  readonly id: string
  /** Null for tools that are not recorded. */
  readonly tool: string | null
  /** Times of its first and last entry, by the server's clock (Unix ms). */
  readonly firstAt: number
  readonly lastAt: number
  readonly entries: number
  /** Digest of a text that is long enough to tell sessions apart → when it was logged, ascending, by the clock of its writer. */
  readonly texts: ReadonlyMap<string, readonly number[]>
  /** How far that clock is behind the server's, in milliseconds; negative if it is ahead. */
  readonly clockBehind: number
  /** Offset to add to its times: 0 for a clock that is ahead, because its times are bounded by their receipt. */
  readonly lag: number
}

export type LoggedWork = {
  /** By first entry, then by key. */
  readonly sessions: readonly LoggedSession[]
  /** Tool, or tool and address → when entries arrived (Unix ms, ascending). */
  readonly arrivals: ReadonlyMap<string, readonly number[]>
}

export type DigestTexts = (tool: string | null, texts: SpokenTexts) => CallTexts | null

/** Many people type shorter texts, so they carry no weight. */
const fewestLetters = 24
/** Only an entry that was sent at once shows how far its clock is off. */
const sentAtOnceMs = 30_000
const fewestSamples = 5
const maxSamples = 1001

type Session = {
  readonly id: string
  readonly tool: string | null
  sender: string
  firstAt: number
  lastAt: number
  entries: number
  readonly texts: Map<string, number[]>
}

/** Entries must be added in the order of their numbers, so that later ones can be added to what is known. */
export class SessionLog {
  readonly #digestTexts: DigestTexts
  readonly #sessions = new Map<string, Session>()
  readonly #arrivals = new Map<string, number[]>()
  readonly #lags = new Map<string, number[]>()
  #size = 0

  constructor(digestTexts: DigestTexts) {
    this.#digestTexts = digestTexts
  }

  /** Number of digests and sessions in memory. */
  get size(): number {
    return this.#size
  }

  add(entry: EntryFacts): void {
    const tool = nameToolFamily(entry.tool)
    if (tool !== null) this.#noteArrival(tool, entry)
    this.#noteLag(entry)
    if (entry.sessionId === null) return
    const session = this.#openSession(tool, entry.sessionId, entry)
    session.firstAt = Math.min(session.firstAt, entry.at)
    session.lastAt = Math.max(session.lastAt, entry.at)
    session.entries += 1
    // Nearly always the only one; among multiple, always the same, in any order.
    if (entry.sender < session.sender) session.sender = entry.sender
    for (const digest of this.#digest(tool, entry)) {
      const times = session.texts.get(digest)
      if (times === undefined) session.texts.set(digest, [entry.at])
      else insertTime(times, entry.at)
      this.#size += 1
    }
  }

  /** A view of the current state; it changes when entries are added. */
  read(): LoggedWork {
    const sessions = [...this.#sessions].map(([key, { sender, firstAt, lastAt, ...session }]) => {
      const clockBehind = this.#readClock(sender)
      const lag = Math.max(0, clockBehind)
      return { ...session, key, clockBehind, lag, firstAt: firstAt + lag, lastAt: lastAt + lag }
    })
    sessions.sort((left, right) => left.firstAt - right.firstAt || (left.key < right.key ? -1 : 1))
    return { sessions, arrivals: this.#arrivals }
  }

  #openSession(tool: string | null, id: string, { at, sender }: EntryFacts): Session {
    const key = sessionKey(tool, id)
    const known = this.#sessions.get(key)
    if (known !== undefined) return known
    const opened = { id, tool, sender, firstAt: at, lastAt: at, entries: 0, texts: new Map() }
    this.#sessions.set(key, opened)
    this.#size += 1
    return opened
  }

  #digest(tool: string | null, { prompt, results, answer }: EntryFacts): string[] {
    const reported = (text: string | null) => (text !== null && isLong(text) ? text : null)
    const spoken = {
      prompts: [reported(prompt) ?? []].flat(),
      results: results.filter(isLong),
      answer: reported(answer),
    }
    if (spoken.prompts.length + spoken.results.length === 0 && spoken.answer === null) return []
    const digests = this.#digestTexts(tool, spoken)
    if (digests === null) return []
    return [...new Set([...digests.prompts, ...digests.results, digests.answer ?? []].flat())]
  }

  #noteArrival(tool: string, { address, receivedAt }: EntryFacts): void {
    for (const key of address === null ? [tool] : [tool, arrivalKey(tool, address)]) {
      const times = this.#arrivals.get(key)
      if (times === undefined) this.#arrivals.set(key, [receivedAt])
      else if ((times.at(-1) ?? 0) < receivedAt) times.push(receivedAt)
    }
  }

  #noteLag({ sender, claimedAt, receivedAt }: EntryFacts): void {
    const lag = receivedAt - claimedAt
    if (Math.abs(lag) > sentAtOnceMs) return
    const lags = this.#lags.get(sender)
    if (lags === undefined) this.#lags.set(sender, [lag])
    else if (lags.length < maxSamples) lags.push(lag)
  }

  /** Median of how much later entries arrive than their own clock says. */
  #readClock(sender: string): number {
    const lags = this.#lags.get(sender)
    if (lags === undefined || lags.length < fewestSamples) return 0
    return [...lags].sort(ascending)[lags.length >> 1] ?? 0
  }
}

export function arrivalKey(tool: string, address: string): string {
  return `${tool} ${address}`
}

function isLong(text: string): boolean {
  const trimmed = text.trim()
  if (trimmed.length < fewestLetters) return false
  return trimmed.length >= 2 * fewestLetters || [...trimmed].length >= fewestLetters
}

/** Entries come nearly in the order of their times. */
function insertTime(times: number[], at: number): void {
  let place = times.length
  while (place > 0 && (times[place - 1] ?? 0) > at) place -= 1
  times.splice(place, 0, at)
}

function ascending(left: number, right: number): number {
  return left - right
}
