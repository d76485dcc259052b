// GET /series/calls, /series/refusals, /series/latency and /series/entries: data for an event's charts, besides /series/spend.
import {
  type EntriesSeries,
  type EntriesSeriesQuery,
  entriesSeriesQuerySchema,
  entriesSeriesSchema,
  type LatencySeries,
  type LatencySeriesQuery,
  latencySeriesQuerySchema,
  latencySeriesSchema,
  maxConsoleSteps,
  maxLatencyCalls,
} from '@fairgate/contracts/console/series.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  type SpendSeries,
  type SpendSeriesQuery,
  seriesSteps,
  spendSeriesQuerySchema,
  spendSeriesSchema,
} from '@fairgate/contracts/spend/spend-report.ts'
import type { Directory } from '../../directory/create-directory.ts'
import { parseOpenRange } from '../../directory/parse-times.ts'
import { refuseValue, requireTeam } from '../../directory/refusals.ts'
import { rank } from '../../insight/recent-calls.ts'
import type { EntryCount } from '../../store/statements/recent-work.ts'
import { type AdminRoute, lookupRoute, type Management } from '../management-route.ts'

const facts = { tag: 'Overview', openTo: 'everyone', isStrict: true } as const
const spendErrors = ['invalid_request', 'team_not_found', 'key_not_found', 'unavailable'] as const
const errors = ['invalid_request', 'team_not_found', 'unavailable'] as const

export function seriesRoutes(management: Management): AdminRoute[] {
  const { reports } = management.spend
  return [
    lookupRoute({
      ...facts,
      path: '/series/calls',
      summary: 'Calls over time',
      description: 'Same reply as `GET /series/spend`: each point has calls, refusals and spend.',
      query: spendSeriesQuerySchema,
      reply: spendSeriesSchema,
      errors: spendErrors,
      look: (query): Promise<SpendSeries> => reports.series(query),
    }),
    lookupRoute({
      ...facts,
      path: '/series/refusals',
      summary: 'Refused calls over time, by error code',
      description:
        'Like `GET /series/spend`, with `by=code` unless set otherwise, and only series and points with a refusal.',
      query: spendSeriesQuerySchema,
      reply: spendSeriesSchema,
      errors: spendErrors,
      look: async (query: SpendSeriesQuery): Promise<SpendSeries> =>
        keepRefusals(await reports.series({ by: 'code', ...query })),
    }),
    lookupRoute({
      ...facts,
      path: '/series/latency',
      summary: 'How long calls took, over time',
      description: `Sums of times are not stored: each step is based on its newest calls, ${maxLatencyCalls} over all steps. Refused calls are left out.`,
      query: latencySeriesQuerySchema,
      reply: latencySeriesSchema,
      errors,
      look: (query): Promise<LatencySeries> => readLatency(query, management),
    }),
    lookupRoute({
      ...facts,
      path: '/series/entries',
      summary: 'Log entries over time, by their own time',
      query: entriesSeriesQuerySchema,
      reply: entriesSeriesSchema,
      errors,
      look: (query): Promise<EntriesSeries> => readEntries(query, management),
    }),
  ]
}

function keepRefusals(found: SpendSeries): SpendSeries {
  const series = found.series
    .filter(({ refused }) => refused > 0)
    .map(one => ({ ...one, points: one.points.filter(({ refused }) => refused > 0) }))
    .sort((left, right) => right.refused - left.refused)
  return { ...found, series }
}

type Steps = {
  readonly from: number
  readonly until: number
  readonly stepMs: number
  readonly starts: readonly number[]
}

const defaultSpanMs = 4 * 3_600_000

/** Throws ApiError `invalid_request`. */
function readSteps(query: LatencySeriesQuery, now: number): Steps {
  const { step = '10m' } = query
  const range = parseOpenRange(query)
  const stepMs = seriesSteps[step] * 60_000
  const until = range.until ?? now
  const from = range.from ?? until - defaultSpanMs
  if (until <= from) throw refuseValue('until', 'it must be later than from.')
  const first = Math.floor(from / stepMs) * stepMs
  const count = Math.ceil((until - first) / stepMs)
  if (count > maxConsoleSteps)
    throw invalidRequest(
      'step',
      `The range has more than ${maxConsoleSteps} steps of ${step}. Ask for longer steps or a shorter range.`,
    )
  return { from, until, stepMs, starts: Array.from({ length: count }, (_, index) => first + index * stepMs) }
}

async function readLatency(
  query: LatencySeriesQuery,
  { read, directory, clock }: Management,
): Promise<LatencySeries> {
  const { team_id, step = '10m' } = query
  const teamId = team_id === undefined ? null : requireTeam(directory, team_id).teamId
  const now = clock()
  const { from, until, stepMs, starts } = readSteps(query, now)
  const limit = Math.floor(maxLatencyCalls / starts.length)
  const points: LatencySeries['points'] = []
  // One after the other, so that a chart does not take database connections from calls.
  for (const start of starts) {
    const range = { from: Math.max(from, start), until: Math.min(until, start + stepMs) }
    const calls = await read.readRecentCalls({ teamId, ...range, limit })
    const answered = calls.filter(({ outcome }) => outcome !== 'refused')
    const took = rank(answered.map(({ durationMs }) => durationMs))
    const first = rank(answered.flatMap(({ firstByteMs }) => firstByteMs ?? []))
    if (took.p50 === null || took.p95 === null) continue
    points.push({
      at: isoTime(start),
      calls: answered.length,
      p50_ms: took.p50,
      p95_ms: took.p95,
      first_byte_p50_ms: first.p50,
      first_byte_p95_ms: first.p95,
    })
  }
  return { ...writeHead(now, directory), step, from: isoTime(from), until: isoTime(until), points }
}

async function readEntries(
  query: EntriesSeriesQuery,
  { read, directory, clock }: Management,
): Promise<EntriesSeries> {
  const { team_id, step = '10m', by } = query
  const teamId = team_id === undefined ? null : requireTeam(directory, team_id).teamId
  const now = clock()
  const { from, until, stepMs } = readSteps(query, now)
  const counted = await read.countEntries({ teamId, from, until, stepMs })
  // The demo team is left out of figures about all teams.
  const shown = new Set(directory.teams().map(team => team.teamId))
  const counts = teamId === null ? counted.filter(count => shown.has(count.teamId)) : counted
  const groups =
    by === undefined
      ? [[{}, counts] as const]
      : [...Map.groupBy(counts, ({ teamId }) => teamId)].map(
          ([teamId, own]) => [{ team_id: teamId }, own] as const,
        )
  const series = groups
    .map(([identity, own]) => ({ ...identity, ...foldEntries(own) }))
    .filter(({ entries }) => entries > 0)
    .sort((left, right) => right.entries - left.entries)
  return { ...writeHead(now, directory), step, from: isoTime(from), until: isoTime(until), series }
}

/** `counts` in order of their steps. */
function foldEntries(
  counts: readonly EntryCount[],
): Pick<EntriesSeries['series'][number], 'entries' | 'points'> {
  const points = [...Map.groupBy(counts, ({ at }) => at)].map(([at, own]) => ({
    at: isoTime(at),
    entries: own.reduce((sum, { entries }) => sum + entries, 0),
  }))
  return { entries: points.reduce((sum, { entries }) => sum + entries, 0), points }
}

function writeHead(now: number, directory: Pick<Directory, 'version'>) {
  return { as_of: isoTime(now), version: directory.version() }
}
