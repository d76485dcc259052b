// Describes each session of a team in a few figures, from its log and its calls: what lists show, compare and sort by.
import { gapMs } from '@fairgate/contracts/console/session-view.ts'
import { type CoverageRange, sessionOf, type TeamCoverage } from './coverage-reader.ts'
import { type CallClass, coveredClasses } from './judge-calls.ts'
import { mergeSpans, type Span, sumSpans } from './merge-spans.ts'
import type { SessionBook, SessionRecord } from './session-book.ts'

export type SessionDigest = Pick<
  SessionRecord,
  | 'key'
  | 'id'
  | 'tool'
  | 'students'
  | 'tokenIds'
  | 'repo'
  | 'branch'
  | 'prompts'
  | 'firstPrompt'
  | 'toolCalls'
  | 'failures'
  | 'late'
> & {
  /** The first and the last entry or call, by the server's clock (Unix ms). */
  readonly firstAt: number
  readonly lastAt: number
  /** Without its gaps. */
  readonly activeMs: number
  readonly entries: number
  /** Calls that belong only to this session, and what they cost in nano-dollars. */
  readonly calls: number
  readonly cost: number
  /** The part of that cost that the log explains. */
  readonly coveredCost: number
  /** Key of its first call; null without calls. */
  readonly keyHash: string | null
}

/** With the periods in which something happened. */
export type TracedSession = SessionDigest & { readonly spans: readonly Span[] }

type Session = Pick<SessionDigest, 'key' | 'id' | 'tool' | 'entries'> & {
  firstAt: number
  lastAt: number
  lag: number
  calls: Call[]
}
type Call = Span & { readonly cost: number; readonly class: CallClass; readonly keyHash: string }

/** The sessions of the log with the calls that belong only to them, and sessions that only calls name. In no order. */
export function digestSessions(
  coverage: Pick<TeamCoverage, 'logged' | 'calls'>,
  book: Pick<SessionBook, 'find'>,
  range: CoverageRange,
): SessionDigest[] {
  return traceSessions(coverage, book, range).map(({ spans: _, ...session }) => session)
}

export function traceSessions(
  coverage: Pick<TeamCoverage, 'logged' | 'calls'>,
  book: Pick<SessionBook, 'find'>,
  range: CoverageRange,
): TracedSession[] {
  return gatherSessions(coverage, range).map(({ calls, lag, ...session }) => {
    const record = book.find(session.key)
    const moments = (record?.places ?? []).map(({ at }) => ({ from: at + lag, until: at + lag }))
    const spans = mergeSpans([...moments, ...calls], gapMs)
    const sumCost = (counted: readonly Call[]) => counted.reduce((sum, { cost }) => sum + cost, 0)
    return {
      ...session,
      spans,
      activeMs: Math.round(sumSpans(spans)),
      calls: calls.length,
      cost: sumCost(calls),
      coveredCost: sumCost(calls.filter(call => coveredClasses.has(call.class))),
      keyHash: calls[0]?.keyHash ?? null,
      students: record?.students ?? [],
      tokenIds: record?.tokenIds ?? [],
      repo: record?.repo ?? null,
      branch: record?.branch ?? null,
      prompts: record?.prompts ?? 0,
      firstPrompt: record?.firstPrompt ?? null,
      toolCalls: record?.toolCalls ?? 0,
      failures: record?.failures ?? 0,
      late: record?.late ?? 0,
    }
  })
}

function gatherSessions(
  { logged, calls }: Pick<TeamCoverage, 'logged' | 'calls'>,
  { from, until }: CoverageRange,
): Session[] {
  const sessions = new Map<string, Session>()
  for (const { key, id, tool, firstAt, lastAt, entries, lag } of logged) {
    if (firstAt >= until || lastAt < from) continue
    sessions.set(key, { key, id, tool, firstAt, lastAt, entries, lag, calls: [] })
  }
  for (const judged of calls) {
    const { tool, sessionId, cost, keyHash, receivedAt, endedAt } = judged.call
    const key = sessionOf(judged)
    if (key === null) continue
    const known = sessions.get(key)
    // A logged session outside the range stays outside.
    if (known === undefined && judged.sessions.length > 0) continue
    const session = known ?? {
      ...{ key, id: sessionId ?? '', tool, entries: 0, lag: 0, calls: [] },
      ...{ firstAt: receivedAt, lastAt: endedAt },
    }
    session.firstAt = Math.min(session.firstAt, receivedAt)
    session.lastAt = Math.max(session.lastAt, endedAt)
    session.calls.push({ from: receivedAt, until: endedAt, cost, keyHash, class: judged.class })
    sessions.set(key, session)
  }
  return [...sessions.values()]
}
