// Picks the sessions of a team that are most worth reading: the dearest, the longest, the most unusual, and one by chance. The same sessions,
// compared sessions and seed always give the same picks, in any order.
import { createHash } from 'node:crypto'
import { knownTools } from '@fairgate/contracts/agents/known-tools.ts'
import type { PickReason } from '@fairgate/contracts/judging/reading.ts'

export type PickableSession = {
  readonly key: string
  readonly id: string
  /** Null for a tool that is not recorded. */
  readonly tool: string | null
  readonly entries: number
  readonly prompts: number
  readonly toolCalls: number
  /** Those of the tool calls that failed. */
  readonly failures: number
  /** Nano-dollars. */
  readonly cost: number
  readonly activeMs: number
}

export type PickInput<Session extends PickableSession> = {
  readonly seed: string
  readonly teamId: string
  readonly sessions: readonly Session[]
  /** Sessions of all teams, the team's own included. */
  readonly compared: readonly PickableSession[]
}

export type PickedSession<Session> = {
  readonly session: Session
  readonly why: PickReason
  readonly sentence: string
}

const picksOfKind = 2
/** A median of fewer sessions says little. */
const fewestCompared = 8
/** A figure that is less than twice or more than half of the median is not unusual, nor is one nearer to it than half of all sessions are. */
const leastDoublings = 1
const leastSpread = 0.5

export function pickSessions<Session extends PickableSession>(
  input: PickInput<Session>,
): PickedSession<Session>[] {
  // Nothing happened in it that could be read.
  const sessions = input.sessions.filter(({ entries, cost }) => entries > 0 || cost > 0)
  const picked = new Map<string, PickedSession<Session>>()
  const take = (why: PickReason, most: number, ranked: readonly Ranked<Session>[]) => {
    const left = ranked.filter(({ session }) => !picked.has(session.key)).slice(0, most)
    for (const { session, sentence } of left) picked.set(session.key, { session, why, sentence })
  }
  take(
    'dearest',
    picksOfKind,
    rankBy(sessions, ({ cost }) => cost, describeDear),
  )
  take(
    'longest',
    picksOfKind,
    rankBy(sessions, ({ activeMs }) => activeMs, describeLong),
  )
  take('surprising', picksOfKind, rankSurprising(sessions, input.compared))
  const others = sessions.filter(({ key }) => !picked.has(key))
  const sentence = `Drawn by chance from ${others.length === 1 ? 'the one session that is' : `the ${others.length} sessions that are`} left.`
  const drawn = sortBy(others, session => drawSession(input, session)).map(session => ({ session, sentence }))
  take('chance', 1, drawn)
  return [...picked.values()]
}

/** For anyone who wants to repeat the draw. It must not say how the team is called: judging may be blind. */
export function describeDraw(seed: string): string {
  return `For each session, SHA-256 of four lines: the seed, the team's id, the tool, and the session id. Of the sessions that were not picked for another reason, the one with the lowest value is drawn. Seed: ${seed}`
}

type Drawn = Pick<PickableSession, 'tool' | 'id'>

function drawSession({ seed, teamId }: { readonly seed: string; readonly teamId: string }, session: Drawn) {
  const lines = [seed, teamId, session.tool ?? '', session.id]
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}

type Ranked<Session> = { readonly session: Session; readonly sentence: string }

/** The highest first, without those that have nothing of it. */
function rankBy<Session extends PickableSession>(
  sessions: readonly Session[],
  measure: (session: Session) => number,
  describe: (session: Session, rank: string, count: number) => string,
): Ranked<Session>[] {
  const ranked = sortBy(sessions, ({ key }) => key).filter(session => measure(session) > 0)
  ranked.sort((left, right) => measure(right) - measure(left))
  return ranked.map((session, index) => ({
    session,
    sentence: describe(session, index === 0 ? '' : `number ${index + 1} of `, sessions.length),
  }))
}

function describeDear({ cost }: PickableSession, rank: string, count: number): string {
  return `It cost ${formatCost(cost)}: ${rank}the dearest of the team's ${countSessions(count)}.`
}

function describeLong({ activeMs }: PickableSession, rank: string, count: number): string {
  return `Active for ${formatTime(activeMs)}: ${rank}the longest of the team's ${countSessions(count)}.`
}

/** What can be unusual about a session. `valueOf`: null if this says nothing about it. */
type Measure = {
  readonly read: (session: PickableSession) => number | null
  /** Added to both values before they are compared, so that zero and very small values are not infinitely far from others. */
  readonly least: number
  readonly describe: (value: number, session: PickableSession) => string
  /** Completes "half of the sessions have …". */
  readonly describeMedian: (median: number, isHigh: boolean) => string
}

const measures: readonly Measure[] = [
  {
    read: ({ entries, prompts }) => (entries === 0 ? null : prompts),
    least: 1,
    describe: prompts => count(prompts, 'prompt'),
    describeMedian: (median, isHigh) =>
      median === 0 ? 'have none' : `have ${formatNumber(median)} ${orMore(isHigh)}`,
  },
  {
    read: ({ prompts, toolCalls }) => (prompts < 3 ? null : toolCalls / prompts),
    least: 0.5,
    describe: (ratio, { prompts }) =>
      ratio === 0
        ? `${count(prompts, 'prompt')} without a single tool call`
        : `${formatNumber(ratio)} tool calls for each of ${count(prompts, 'prompt')}`,
    describeMedian: (median, isHigh) =>
      median === 0 ? 'have none' : `have ${formatNumber(median)} for each prompt ${orMore(isHigh)}`,
  },
  {
    read: ({ prompts, cost }) => (prompts === 0 || cost === 0 ? null : cost / prompts),
    least: 10_000_000,
    describe: (cost, { prompts }) => `${formatCost(cost)} for each of ${count(prompts, 'prompt')}`,
    describeMedian: (median, isHigh) =>
      `cost ${formatCost(median)} for each prompt or ${isHigh ? 'less' : 'more'}`,
  },
  {
    read: ({ toolCalls, failures }) => (toolCalls < 10 ? null : failures / toolCalls),
    least: 0.05,
    describe: (_, { failures, toolCalls }) => `${failures} of ${toolCalls} tool calls failed`,
    describeMedian: (median, isHigh) =>
      median === 0 ? 'have no failed ones' : `have ${Math.round(median * 100)} % ${orMore(isHigh)}`,
  },
]

/** The most unusual first, each with its most unusual figure. */
function rankSurprising<Session extends PickableSession>(
  sessions: readonly Session[],
  compared: readonly PickableSession[],
): Ranked<Session>[] {
  const ofTool = Map.groupBy(compared, ({ tool }) => tool)
  const scales = new Map<string, Scale | null>()
  const scaleOf = (measure: Measure, index: number, tool: string | null): Scale | null => {
    const name = `${index} ${tool ?? ''}`
    const known = scales.get(name)
    if (known !== undefined) return known
    const made = createScale(measure, ofTool.get(tool) ?? [], nameTool(tool))
    const scale = made ?? createScale(measure, compared, null)
    scales.set(name, scale)
    return scale
  }
  const ranked = sortBy(sessions, ({ key }) => key).flatMap(session => {
    const found = measures.flatMap((measure, index) => {
      const value = measure.read(session)
      const scale = scaleOf(measure, index, session.tool)
      return value === null || scale === null ? [] : (judgeValue(measure, scale, value, session) ?? [])
    })
    const [most] = found.sort((left, right) => right.score - left.score)
    return most === undefined ? [] : [{ session, ...most }]
  })
  return ranked.sort((left, right) => right.score - left.score)
}

/** `spread`: half of the compared sessions are nearer to the median than this, in doublings. */
type Scale = { readonly median: number; readonly spread: number; readonly whose: string }

function createScale(
  measure: Measure,
  compared: readonly PickableSession[],
  tool: string | null,
): Scale | null {
  const values = compared.flatMap(session => measure.read(session) ?? [])
  if (values.length < fewestCompared) return null
  const median = medianOf(values)
  const spread = medianOf(values.map(value => countDoublings(measure, value, median)))
  return { median, spread, whose: tool === null ? 'of all sessions' : `of the sessions with ${tool}` }
}

function judgeValue(
  measure: Measure,
  { median, spread, whose }: Scale,
  value: number,
  session: PickableSession,
): { readonly score: number; readonly sentence: string } | null {
  const doublings = countDoublings(measure, value, median)
  const score = doublings / Math.max(spread, leastSpread)
  if (doublings < leastDoublings || score <= 1) return null
  const isHigh = value > median
  return {
    score,
    sentence: `${measure.describe(value, session)}; half ${whose} ${measure.describeMedian(median, isHigh)}.`,
  }
}

/** How often the smaller of two values must be doubled to get the other. */
function countDoublings({ least }: Measure, value: number, median: number): number {
  return Math.abs(Math.log2((value + least) / (median + least)))
}

/** Of an even number of values the lower one, so that it is the value of a session. */
function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[(sorted.length - 1) >> 1] ?? 0
}

function sortBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] {
  return items
    .map(item => ({ item, name: nameOf(item) }))
    .sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0))
    .map(({ item }) => item)
}

function nameTool(tool: string | null): string {
  return knownTools.find(({ id }) => id === tool)?.title ?? tool ?? 'other tools'
}

const orMore = (isHigh: boolean) => (isHigh ? 'or fewer' : 'or more')

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

function countSessions(number: number): string {
  return number === 1 ? 'one session' : `${number} sessions`
}

/** To two significant digits below 10. */
function formatNumber(value: number): string {
  return value >= 10 ? String(Math.round(value)) : String(Number(value.toPrecision(2)))
}

/** In dollars, to a cent, or to two significant digits below 10 cents. */
function formatCost(nano: number): string {
  const dollars = nano / 1e9
  if (dollars >= 0.1) return `$${dollars.toFixed(2)}`
  const decimals = dollars <= 0 ? 2 : Math.min(9, 1 - Math.floor(Math.log10(dollars)))
  return `$${dollars.toFixed(decimals)}`
}

function formatTime(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000)
  if (minutes === 0) return 'less than a minute'
  if (minutes < 60) return count(minutes, 'minute')
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
