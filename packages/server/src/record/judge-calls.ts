// Classifies each call of a team: covered by the log, not covered, or not to be judged, with the reason.
import type { CallOutcome, CallTexts } from '../ledger/call-record.ts'
import { countTokens } from '../ledger/count-tokens.ts'
import type { Units } from '../ledger/price.ts'
import { firstAtOrAfter } from './first-at-or-after.ts'
import { type Join, type JoinableCall, joinCalls } from './join-calls.ts'
import { arrivalKey, type LoggedSession, type LoggedWork } from './session-log.ts'
import { nameToolFamily } from './tool-families.ts'

/** The fields of a recorded call that coverage reads. */
export type RecordedCall = {
  readonly callId: string
  readonly keyHash: string
  readonly tool: string | null
  readonly sessionId: string | null
  readonly parentSession: string | null
  readonly address: string | null
  readonly outcome: CallOutcome
  /** Unix ms. */
  readonly receivedAt: number
  readonly endedAt: number
  /** Nano-dollars. */
  readonly cost: number
  readonly units: Units
  readonly texts: CallTexts | null
}

/** Classes of calls. All but `app` are spend of agents. */
export const callClasses = [
  'session',
  'text',
  'ambiguous',
  'probable',
  'unexplained',
  'pending',
  'before_setup',
  'side',
  'app',
] as const
export type CallClass = (typeof callClasses)[number]
/** Those of calls that the log explains. */
export const coveredClasses: ReadonlySet<CallClass> = new Set(['session', 'text', 'ambiguous'])

/** What a call was joined by, or why it was not. */
export type JudgedBy =
  | Join['by']
  | 'time'
  | 'not_sent_yet'
  | 'before_first_entry'
  | 'small_call'
  | 'session_without_entries'
  | 'tool_without_entries'
  | 'no_entry_fits'
  | 'not_an_agent'

/** The fields kept of a call once it has been judged. */
export type CallSummary = Pick<
  RecordedCall,
  'callId' | 'keyHash' | 'tool' | 'sessionId' | 'receivedAt' | 'endedAt' | 'cost'
>

export type JudgedCall = {
  readonly call: CallSummary
  readonly class: CallClass
  readonly by: JudgedBy
  /** Keys of the sessions that it belongs to, or may belong to. */
  readonly sessions: readonly string[]
}

export type JudgeInput = {
  readonly calls: readonly RecordedCall[]
  readonly work: LoggedWork
  /** Unix ms. */
  readonly now: number
  /** When the team's board stopped accepting entries (Unix ms); null while it accepts them. */
  readonly closedAt: number | null
}

const minuteMs = 60_000
/** Takes some milliseconds. */
const callsPerSlice = 2000
/** After entries have arrived, those of a call may still be under way for this long. */
const afterArrivalMs = 10 * minuteMs
/** Max wait for a team that does not push. */
const longestWaitMs = 24 * 60 * minuteMs
/** A session begins before its first entry and ends after its last. */
const beforeSessionMs = 2 * minuteMs
const afterSessionMs = 5 * minuteMs
/** Max size of titles, probes and routing decisions (the largest observed one asked for a title with 20 kB). */
const sideOutputTokens = 64
const sideInputTokens = 8000

/** Judges only calls that were answered and used something: refused calls and replayed answers are not in the result. */
export function* judgeCalls(input: JudgeInput): Generator<void, readonly JudgedCall[]> {
  const { work } = input
  const judged = input.calls.filter(isUsed)
  const agents = judged.flatMap(toJoinable)
  const joins = yield* joinCalls(agents, work.sessions)
  const log = new SessionTimes(work)
  const families = new Map(agents.map(({ callId, tool }) => [callId, tool]))
  const small = listSmall(judged)
  const result: JudgedCall[] = []
  for (const call of judged) {
    const facts = { tool: families.get(call.callId), join: joins.get(call.callId), isSmall: small.has(call) }
    const verdict = judge(call, facts, log, input)
    result.push({ call: summarise(call), ...verdict })
    if (result.length % callsPerSlice === 0) yield
  }
  return result
}

function summarise({
  callId,
  keyHash,
  tool,
  sessionId,
  receivedAt,
  endedAt,
  cost,
}: RecordedCall): CallSummary {
  return { callId, keyHash, tool, sessionId, receivedAt, endedAt, cost }
}

function isUsed({ outcome, cost, units }: RecordedCall): boolean {
  if (outcome === 'refused' || outcome === 'replayed') return false
  const { input, output } = countTokens(units)
  return cost > 0 || input + output > 0
}

function toJoinable(call: RecordedCall): JoinableCall[] {
  const tool = nameToolFamily(call.tool)
  return tool === null ? [] : [{ ...call, tool }]
}

type Verdict = Omit<JudgedCall, 'call'>
type CallFacts = {
  readonly tool: string | undefined
  readonly join: Join | undefined
  readonly isSmall: boolean
}

/** Excuses come first, so that no team is suspected because of a call with a plain reason. */
function judge(
  call: RecordedCall,
  { tool, join, isSmall }: CallFacts,
  log: SessionTimes,
  input: JudgeInput,
): Verdict {
  if (tool === undefined) return { class: 'app', by: 'not_an_agent', sessions: [] }
  if (join !== undefined) return { class: join.kind, by: join.by, sessions: join.sessions }
  if (isPending(call, tool, input)) return { class: 'pending', by: 'not_sent_yet', sessions: [] }
  const firstAt = log.firstAt(tool)
  if (firstAt !== null && call.receivedAt < firstAt - beforeSessionMs)
    return { class: 'before_setup', by: 'before_first_entry', sessions: [] }
  if (isSmall) return { class: 'side', by: 'small_call', sessions: [] }
  if (firstAt === null) return { class: 'unexplained', by: 'tool_without_entries', sessions: [] }
  // Its own session is not in the log, so it belongs to no other.
  if (call.sessionId !== null) return { class: 'unexplained', by: 'session_without_entries', sessions: [] }
  const around = log.listAround(tool, call.receivedAt)
  const [session] = around
  return session !== undefined && around.length === 1
    ? { class: 'probable', by: 'time', sessions: [session.key] }
    : { class: 'unexplained', by: 'no_entry_fits', sessions: [] }
}

function isPending(call: RecordedCall, tool: string, { work, now, closedAt }: JudgeInput): boolean {
  const { endedAt, address } = call
  const ofAddress = address === null ? undefined : work.arrivals.get(arrivalKey(tool, address))
  const arrivals = ofAddress ?? work.arrivals.get(tool) ?? []
  const next = firstAtOrAfter(arrivals, endedAt)
  const ends = [
    endedAt + longestWaitMs,
    ...(next === undefined ? [] : [next + afterArrivalMs]),
    ...(closedAt === null ? [] : [Math.max(closedAt, endedAt) + afterArrivalMs]),
  ]
  return now < Math.min(...ends)
}

/**
 * Calls too small to be work: titles, probes, routing decisions. The calls of one session are measured together, so that the short steps of
 * a tool loop do not count as small. Calls with tool results do not either, however short their answers are.
 */
function listSmall(calls: readonly RecordedCall[]): ReadonlySet<RecordedCall> {
  const sessions = Map.groupBy(calls, ({ callId, tool, sessionId }) =>
    sessionId === null ? callId : `${tool} ${sessionId}`,
  )
  return new Set([...sessions.values()].filter(areSmall).flat())
}

function areSmall(calls: readonly RecordedCall[]): boolean {
  let [input, output] = [0, 0]
  for (const { units, texts } of calls) {
    if (texts !== null && texts.results.length > 0) return false
    const tokens = countTokens(units)
    input += tokens.input
    output += tokens.output
  }
  return output < sideOutputTokens && input < sideInputTokens
}

type ToolTimes = { readonly sessions: readonly LoggedSession[]; readonly latestUpTo: readonly number[] }

/** Finds the sessions of a tool around a moment without scanning all of them. */
class SessionTimes {
  readonly #byTool: ReadonlyMap<string | null, ToolTimes>

  constructor({ sessions }: LoggedWork) {
    const groups = Map.groupBy(sessions, ({ tool }) => tool)
    this.#byTool = new Map([...groups].map(([tool, ofTool]) => [tool, orderTimes(ofTool)]))
  }

  firstAt(tool: string): number | null {
    return this.#byTool.get(tool)?.sessions[0]?.firstAt ?? null
  }

  /** At most two: more make no difference. */
  listAround(tool: string, moment: number): LoggedSession[] {
    const { sessions, latestUpTo } = this.#byTool.get(tool) ?? noTimes
    const found: LoggedSession[] = []
    let index = sessions.findLastIndex(({ firstAt }) => firstAt - beforeSessionMs <= moment)
    for (; index >= 0 && found.length < 2; index -= 1) {
      const session = sessions[index]
      if (session === undefined || (latestUpTo[index] ?? 0) + afterSessionMs < moment) break
      if (session.lastAt + afterSessionMs >= moment) found.push(session)
    }
    return found
  }
}

const noTimes: ToolTimes = { sessions: [], latestUpTo: [] }

function orderTimes(sessions: readonly LoggedSession[]): ToolTimes {
  const ordered = [...sessions].sort((left, right) => left.firstAt - right.firstAt)
  let latest = Number.NEGATIVE_INFINITY
  const latestUpTo = ordered.map(({ lastAt }) => {
    latest = Math.max(latest, lastAt)
    return latest
  })
  return { sessions: ordered, latestUpTo }
}
