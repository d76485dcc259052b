// Describes how a team worked, for a judge: people, tools, hours, what the log does not cover, and gaps. Pure.
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { DossierReply } from '@fairgate/contracts/judging/reading.ts'
import type { Disguise } from '../judging/disguise.ts'
import { sessionOf, type TeamCoverage } from '../record/coverage-reader.ts'
import type { TracedSession } from '../record/digest-sessions.ts'
import { type CallClass, coveredClasses, type JudgedBy, type JudgedCall } from '../record/judge-calls.ts'
import { listGaps, mergeSpans, type Span } from '../record/merge-spans.ts'
import type { Share } from '../record/sum-coverage.ts'
import { nameToolFamily } from '../record/tool-families.ts'
import { keyOfPerson, type PeopleOfTeam, type Person } from './people-of-team.ts'
import { writeLongest } from './session-reader.ts'

export type DossierInput = {
  readonly teamId: string
  readonly disguise: Pick<Disguise, 'personOf' | 'cover'>
  readonly coverage: Pick<TeamCoverage, 'calls' | 'classes' | 'unexplainedBy' | 'coverage'>
  readonly sessions: readonly TracedSession[]
  readonly people: PeopleOfTeam
  /** Different commits that the entries name. */
  readonly commits: number
}

export type DescribedWork = Pick<DossierReply, 'people' | 'tools' | 'hours' | 'totals' | 'coverage' | 'gaps'>

const hourMs = 3_600_000
/** Two weeks. */
const maxHours = 336
const maxSpans = 500
/** A period without any activity of the team that is worth naming. */
const leastGapMs = 30 * 60_000
const maxGaps = 10
/** Spans of a person that are nearer to each other are one. */
const joinedMs = 5 * 60_000

export function describeWork(input: DossierInput): DescribedWork {
  const { teamId, disguise, sessions, coverage, commits } = input
  const { calls } = coverage
  const sum = (read: (session: TracedSession) => number) =>
    sessions.reduce((total, session) => total + read(session), 0)
  const activity = mergeSpans([...sessions.flatMap(({ spans }) => spans), ...calls.map(toSpan)], leastGapMs)
  return {
    people: describePeople(input),
    tools: disguise.cover(teamId, sumTools(sessions, calls)),
    hours: sumHours(calls),
    totals: {
      sessions: sessions.length,
      prompts: sum(({ prompts }) => prompts),
      calls: calls.length,
      commits,
      cost_nano: calls.reduce((total, { call }) => total + call.cost, 0),
    },
    coverage: { share: coverage.coverage, missing: listMissing(coverage) },
    gaps: writeLongest(listGaps(activity), maxGaps),
  }
}

const toSpan = ({ call }: JudgedCall): Span => ({ from: call.receivedAt, until: call.endedAt })

type Row = {
  readonly person: Person | null
  readonly tools: Set<string>
  sessions: number
  prompts: number
  calls: number
  cost: number
  /** By tool, and whether there is a log. */
  readonly work: Map<
    string,
    { readonly tool: string | null; readonly isLogged: boolean; readonly spans: Span[] }
  >
}

/** Everyone of the team by name, then what belongs to nobody. A session counts for the person who wrote first in it. */
function describePeople({
  teamId,
  disguise,
  sessions,
  coverage,
  people,
}: DossierInput): DossierReply['people'] {
  const rows = new Map<string, Row>()
  const openRow = (person: Person | null): Row => {
    const key = keyOfPerson(person)
    const known = rows.get(key)
    if (known !== undefined) return known
    const row = {
      person,
      tools: new Set<string>(),
      sessions: 0,
      prompts: 0,
      calls: 0,
      cost: 0,
      work: new Map(),
    }
    rows.set(key, row)
    return row
  }
  for (const member of people.members) openRow(member)
  for (const session of sessions) {
    const row = openRow(people.ofSession(session)[0] ?? null)
    row.sessions += 1
    row.prompts += session.prompts
    row.calls += session.calls
    row.cost += session.cost
    addWork(row, session.tool, session.entries > 0, session.spans)
  }
  for (const judged of coverage.calls) {
    if (sessionOf(judged) !== null) continue
    const { call } = judged
    const row = openRow(people.ofKey(call.keyHash))
    row.calls += 1
    row.cost += call.cost
    // The team's product is not a person at work.
    if (judged.class === 'app') continue
    addWork(row, nameToolFamily(call.tool) ?? call.tool, coveredClasses.has(judged.class), [toSpan(judged)])
  }
  const named = [...rows.values()].map(row => ({
    row,
    name: row.person === null ? 'Unknown' : disguise.personOf(teamId, row.person),
  }))
  return named
    .sort(
      (left, right) =>
        Number(left.row.person === null) - Number(right.row.person === null) ||
        left.name.localeCompare(right.name, 'en'),
    )
    .map(({ row, name }) => ({
      name,
      tools: disguise.cover(teamId, [...row.tools].sort()),
      sessions: row.sessions,
      prompts: row.prompts,
      calls: row.calls,
      cost_nano: row.cost,
      spans: disguise.cover(teamId, writeSpans(row)),
    }))
}

function addWork(row: Row, tool: string | null, isLogged: boolean, spans: readonly Span[]): void {
  if (tool !== null) row.tools.add(tool)
  const key = `${isLogged} ${tool ?? ''}`
  const known = row.work.get(key) ?? { tool, isLogged, spans: [] }
  for (const span of spans) known.spans.push(span)
  row.work.set(key, known)
}

/** Joins spans over ever longer gaps until there are few enough. */
function writeSpans({ work }: Row): DossierReply['people'][number]['spans'] {
  const join = (gapMs: number) =>
    [...work.values()].flatMap(({ tool, isLogged, spans }) =>
      mergeSpans(spans, gapMs).map(span => ({ ...span, tool, isLogged })),
    )
  let joined = join(joinedMs)
  for (let gapMs = 2 * joinedMs; joined.length > maxSpans && gapMs < maxHours * hourMs; gapMs *= 2)
    joined = join(gapMs)
  return joined
    .sort((left, right) => left.from - right.from)
    .slice(0, maxSpans)
    .map(({ from, until, tool, isLogged }) => ({
      from: isoTime(from),
      until: isoTime(until),
      tool,
      logged: isLogged,
    }))
}

/** The dearest first. */
function sumTools(
  sessions: readonly Pick<TracedSession, 'tool'>[],
  calls: readonly JudgedCall[],
): DossierReply['tools'] {
  const sums = new Map<string, { sessions: number; cost_nano: number }>()
  const sumOf = (tool: string | null) => {
    const name = nameToolFamily(tool) ?? tool ?? 'other'
    const sum = sums.get(name) ?? { sessions: 0, cost_nano: 0 }
    sums.set(name, sum)
    return sum
  }
  for (const { tool } of sessions) sumOf(tool).sessions += 1
  for (const { call } of calls) sumOf(call.tool).cost_nano += call.cost
  return [...sums]
    .map(([tool, sum]) => ({ tool, ...sum }))
    .sort((left, right) => right.cost_nano - left.cost_nano || (left.tool < right.tool ? -1 : 1))
}

/** From the first call to the last, hours without calls included; the last two weeks of longer events. */
function sumHours(calls: readonly JudgedCall[]): DossierReply['hours'] {
  const sums = new Map<number, { cost: number; calls: number }>()
  for (const { call } of calls) {
    const hour = Math.floor(call.receivedAt / hourMs)
    const sum = sums.get(hour) ?? { cost: 0, calls: 0 }
    sums.set(hour, { cost: sum.cost + call.cost, calls: sum.calls + 1 })
  }
  const hours = [...sums.keys()].sort((left, right) => left - right)
  const last = hours.at(-1) ?? 0
  const first = Math.max(hours[0] ?? 0, last - maxHours + 1)
  const length = hours.length === 0 ? 0 : last - first + 1
  return Array.from({ length }, (_, index) => {
    const { cost = 0, calls: count = 0 } = sums.get(first + index) ?? {}
    return { at: isoTime((first + index) * hourMs), cost_nano: cost, calls: count }
  })
}

/** Classes of calls that the log does not explain, and the reasons of those that nothing explains. */
const words: Readonly<Partial<Record<CallClass | JudgedBy, string>>> = {
  session_without_entries: 'Sessions of coding tools that the log does not have',
  tool_without_entries: 'Coding tools that never wrote to the log',
  no_entry_fits: 'Calls that fit no session of the log',
  probable: 'Calls that fit a session of the log by their time only',
  pending: 'Calls with entries that may still come: they are sent at a git push',
  before_setup: 'Calls from before the log was set up for their tool',
  side: 'Calls that are too small to be work, such as those for titles',
  app: "Calls of programs that are not coding tools, such as the team's product",
}

function listMissing({
  classes,
  unexplainedBy,
}: Pick<TeamCoverage, 'classes' | 'unexplainedBy'>): DossierReply['coverage']['missing'] {
  const shares: readonly (readonly [string, Share | undefined])[] = [
    ...Object.entries(unexplainedBy),
    ...Object.entries(classes).filter(([name]) => name !== 'unexplained'),
  ]
  return shares
    .flatMap(([name, share]) => {
      const what = Object.entries(words).find(([known]) => known === name)?.[1]
      if (what === undefined || share === undefined || share.calls === 0) return []
      return [{ what, calls: share.calls, cost_nano: share.cost }]
    })
    .sort((left, right) => right.cost_nano - left.cost_nano || right.calls - left.calls)
}
