// Finds the logbook session that each call of an agent belongs to: by the session id, by the texts, or because the call continues the
// conversation of a known one. Nothing here guesses by time alone.
import type { CallTexts } from '../ledger/call-record.ts'
import { firstAtOrAfter } from './first-at-or-after.ts'
import type { LoggedSession } from './session-log.ts'

export type JoinableCall = {
  readonly callId: string
  readonly keyHash: string
  /** A recorded tool. */
  readonly tool: string
  readonly sessionId: string | null
  readonly parentSession: string | null
  /** Unix ms. */
  readonly receivedAt: number
  readonly endedAt: number
  readonly texts: CallTexts | null
}

export type Join = {
  /** `ambiguous`: the texts fit multiple sessions. */
  readonly kind: 'session' | 'text' | 'ambiguous'
  /** `id`, `parent`: of the session. `texts`: its own. `conversation`: it continues a joined call, or a joined call continues it. */
  readonly by: 'id' | 'parent' | 'texts' | 'conversation'
  /** Session keys: one, or for `ambiguous` all that fit. */
  readonly sessions: readonly string[]
}

/** Max distance of an entry before the arrival or after the end of its call. */
const nearMs = 10 * 60_000
/** From here a text is found by chance in less than one of twenty sessions: ln((S + 1) / (s + 1)). */
const enough = 3
/** The best session must have this many times the score of the next. */
const clearly = 2
/** A tool's result identifies more than what a person typed. */
const resultWeight = 1.5
/** A team that has just begun is judged as if it had this many sessions: a text of one or two of them is enough. */
const fewestSessions = 60
const maxRounds = 3
/** Max calls with the same final text that are compared. */
const maxCompared = 64
/** Takes some milliseconds. */
const callsPerSlice = 200
const textsPerSlice = 5000

/**
 * Call id → join, for the calls that have one. The result does not depend on the order of the calls or sessions. Yields every few
 * milliseconds, so that the caller can let other work go first.
 */
export function* joinCalls(
  calls: readonly JoinableCall[],
  sessions: readonly LoggedSession[],
): Generator<void, ReadonlyMap<string, Join>> {
  const joins = new Map<string, Join>()
  const ordered = [...calls].sort(byArrival)
  const byId = Map.groupBy(sessions, ({ id }) => id)
  const index = new TextIndex(sessions.length)
  yield* index.fill(sessions)
  let count = 0
  for (const call of ordered) {
    const join = joinById(call, byId) ?? index.join(call)
    if (join !== null) joins.set(call.callId, join)
    count += 1
    if (count % callsPerSlice === 0) yield
  }
  const conversations = Map.groupBy(ordered, ({ keyHash, tool }) => `${keyHash} ${tool}`)
  for (const conversation of conversations.values()) yield* carryOn(conversation, joins, index)
  return joins
}

function byArrival(left: JoinableCall, right: JoinableCall): number {
  return left.receivedAt - right.receivedAt || (left.callId < right.callId ? -1 : 1)
}

function joinById(call: JoinableCall, byId: ReadonlyMap<string, readonly LoggedSession[]>): Join | null {
  for (const by of ['id', 'parent'] as const) {
    const id = by === 'id' ? call.sessionId : call.parentSession
    const found = id === null ? [] : (byId.get(id) ?? [])
    const fitting = found.filter(({ tool }) => tool === null || tool === call.tool)
    const session = findAt(fitting, call) ?? fitting.sort(compareKeys)[0]
    if (session !== undefined) return { kind: 'session', by, sessions: [session.key] }
  }
  return null
}

/** Among sessions with the same id, the one that was running; of those, the tool's own before one without a tool. */
function findAt(sessions: readonly LoggedSession[], call: JoinableCall): LoggedSession | undefined {
  return sessions
    .filter(({ firstAt, lastAt }) => firstAt <= call.endedAt && call.receivedAt <= lastAt)
    .sort(compareKeys)[0]
}

function compareKeys(left: LoggedSession, right: LoggedSession): number {
  const named = Number(right.tool !== null) - Number(left.tool !== null)
  return named || (left.key < right.key ? -1 : 1)
}

/** Finds the sessions that contain a text, and how much it identifies. */
class TextIndex {
  /** Digest → the sessions that contain it. */
  readonly #holders = new Map<string, LoggedSession[]>()
  readonly #sessions: number

  constructor(sessions: number) {
    this.#sessions = Math.max(fewestSessions, sessions)
  }

  *fill(sessions: readonly LoggedSession[]): Generator<void> {
    let count = 0
    for (const session of sessions) {
      for (const digest of session.texts.keys()) {
        const known = this.#holders.get(digest)
        if (known === undefined) this.#holders.set(digest, [session])
        else known.push(session)
        count += 1
        if (count % textsPerSlice === 0) yield
      }
    }
  }

  has(digest: string): boolean {
    return this.#holders.has(digest)
  }

  join(call: JoinableCall): Join | null {
    const scores = this.#score(call)
    const best = Math.max(0, ...scores.values())
    if (best < enough) return null
    const fitting = [...scores].filter(([, score]) => score * clearly > best).map(([key]) => key)
    return { kind: fitting.length === 1 ? 'text' : 'ambiguous', by: 'texts', sessions: fitting.sort() }
  }

  /** Session key → score. */
  #score(call: JoinableCall): ReadonlyMap<string, number> {
    const { prompts, results, answer } = call.texts ?? noTexts
    const weights = new Map<string, number>()
    for (const digest of answer === null ? prompts : [...prompts, answer]) weights.set(digest, 1)
    for (const digest of results) weights.set(digest, resultWeight)
    const scores = new Map<string, number>()
    // Sums of fractions depend on their order, but a score must not.
    for (const [digest, kindWeight] of [...weights].sort()) {
      const found = this.#holders.get(digest) ?? []
      const weight = kindWeight * Math.log((this.#sessions + 1) / (found.length + 1))
      for (const session of found) {
        if (session.tool === call.tool && isLoggedNear(session, digest, call))
          scores.set(session.key, (scores.get(session.key) ?? 0) + weight)
      }
    }
    return scores
  }
}

const noTexts: CallTexts = { prompts: [], results: [], answer: null }

function isLoggedNear({ texts, lag }: LoggedSession, digest: string, call: JoinableCall): boolean {
  const next = firstAtOrAfter(texts.get(digest) ?? [], call.receivedAt - nearMs - lag)
  return next !== undefined && next <= call.endedAt + nearMs - lag
}

/**
 * Agents repeat their history at each step. A call of the same key and tool that continues a joined one belongs to the same session, and so
 * does the call that a joined one continues. Each round sees the results of the one before.
 */
function* carryOn(
  calls: readonly JoinableCall[],
  joins: Map<string, Join>,
  index: TextIndex,
): Generator<void> {
  for (let round = 0; round < maxRounds; round += 1) {
    const open = calls.filter(({ callId }) => !joins.has(callId))
    const joined = calls.filter(({ callId }) => joins.has(callId))
    if (open.length === 0 || joined.length === 0) return
    const found = [...(yield* findEarlier(open, joined, index)), ...(yield* findLater(open, joined, index))]
    if (found.length === 0) return
    for (const [call, neighbour] of found) {
      const join = joins.get(neighbour.callId)
      if (join === undefined || joins.has(call.callId)) continue
      const kind = join.kind === 'ambiguous' ? 'ambiguous' : 'text'
      joins.set(call.callId, { kind, by: 'conversation', sessions: join.sessions })
    }
  }
}

type Neighbours = [JoinableCall, JoinableCall][]

/** For open calls, the nearest joined one that they continue. */
function* findEarlier(
  open: readonly JoinableCall[],
  joined: readonly JoinableCall[],
  index: TextIndex,
): Generator<void, Neighbours> {
  const byNewest = groupByNewest(joined)
  const found: Neighbours = []
  let count = 0
  for (const call of open) {
    const before = listNear(call, textsOf(call), byNewest, other => other.receivedAt < call.receivedAt)
    const nearest = before.sort(byArrival).findLast(other => {
      const shared = listShared(other, call)
      return shared?.some(digest => index.has(digest)) === true
    })
    if (nearest !== undefined) found.push([call, nearest])
    count += 1
    if (count % callsPerSlice === 0) yield
  }
  return found
}

/** For open calls, the nearest joined one that continues them. */
function* findLater(
  open: readonly JoinableCall[],
  joined: readonly JoinableCall[],
  index: TextIndex,
): Generator<void, Neighbours> {
  const byNewest = groupByNewest(open)
  const nearest = new Map<JoinableCall, JoinableCall>()
  let count = 0
  for (const later of joined) {
    for (const call of listNear(
      later,
      textsOf(later),
      byNewest,
      other => other.receivedAt < later.receivedAt,
    ))
      if (!nearest.has(call) && isFollowed(call, later, index)) nearest.set(call, later)
    count += 1
    if (count % callsPerSlice === 0) yield
  }
  return [...nearest]
}

function textsOf({ texts }: JoinableCall): readonly string[] {
  return texts === null ? [] : [...texts.prompts, ...texts.results]
}

/** The newest text of a conversation must be in every call that continues it. */
function groupByNewest(calls: readonly JoinableCall[]): ReadonlyMap<string, readonly JoinableCall[]> {
  const groups = new Map<string, JoinableCall[]>()
  for (const call of calls) {
    const newest = call.texts?.results.at(-1) ?? call.texts?.prompts.at(-1)
    if (newest === undefined) continue
    const group = groups.get(newest)
    if (group === undefined) groups.set(newest, [call])
    else group.push(call)
  }
  return groups
}

/** Ascending groups return their newest calls that fit. */
function listNear(
  call: JoinableCall,
  digests: readonly string[],
  groups: ReadonlyMap<string, readonly JoinableCall[]>,
  fits: (other: JoinableCall) => boolean,
): JoinableCall[] {
  const near = new Set<JoinableCall>()
  for (const digest of new Set(digests)) {
    const group = groups.get(digest) ?? []
    const end = countBefore(group, call)
    for (const other of group.slice(Math.max(0, end - maxCompared), end)) if (fits(other)) near.add(other)
  }
  return [...near]
}

/** Number of calls, in order of arrival, before this one. */
function countBefore(calls: readonly JoinableCall[], call: JoinableCall): number {
  let low = 0
  let high = calls.length
  while (low < high) {
    const middle = (low + high) >> 1
    const other = calls[middle]
    if (other !== undefined && byArrival(other, call) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** From this many texts on, the oldest texts of a call may have been dropped: at most 8 prompts and 32 results are kept. */
const fewestOfCut = { prompts: 4, results: 16 } as const

/** Many conversations begin with `continue`: without a text that the log contains, only calls soon afterwards count. */
function isFollowed(earlier: JoinableCall, later: JoinableCall, index: TextIndex): boolean {
  const shared = listShared(earlier, later)
  if (shared === null) return false
  return later.receivedAt - earlier.endedAt <= nearMs || shared.some(digest => index.has(digest))
}

/** The texts of a call that the later call repeats; null if the later call does not continue the earlier one. */
function listShared(earlier: JoinableCall, later: JoinableCall): readonly string[] | null {
  const [before, after] = [earlier.texts, later.texts]
  if (before === null || after === null) return null
  const prompts = countShared(before.prompts, after.prompts, fewestOfCut.prompts)
  const results = countShared(before.results, after.results, fewestOfCut.results)
  if (prompts === null || results === null || prompts + results === 0) return null
  return [...after.prompts.slice(0, prompts), ...after.results.slice(0, results)]
}

/**
 * How many texts of `before` are at the beginning of `after`: all, or the newest ones if the oldest were dropped. Null if `after` does not
 * continue `before`.
 */
function countShared(
  before: readonly string[],
  after: readonly string[],
  fewestOfCut: number,
): number | null {
  const maxLeftOut = after.length >= fewestOfCut ? before.length - 1 : 0
  for (let leftOut = 0; leftOut <= Math.max(0, maxLeftOut); leftOut += 1) {
    const length = before.length - leftOut
    if (length <= after.length && before.slice(leftOut).every((digest, place) => digest === after[place]))
      return length
  }
  return null
}
