// Reports spend by owner and time, and how long a budget will last: sums of the store with the names of the directory.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  type forecastQuerySchema,
  paceWindows,
  type SpendForecast,
  type TeamForecast,
} from '@fairgate/contracts/spend/spend-forecast.ts'
import {
  defaultReportPage,
  maxGroups,
  maxSteps,
  type SpendReport,
  type SpendReportQuery,
  type SpendSeries,
  type SpendSeriesQuery,
  seriesSteps,
} from '@fairgate/contracts/spend/spend-report.ts'
import type { Static } from 'typebox'
import type { Directory } from '../directory/create-directory.ts'
import { spendableUntil } from '../directory/event/event.ts'
import { parseOpenRange } from '../directory/parse-times.ts'
import { refuseValue, requireTeam } from '../directory/refusals.ts'
import { sumUncharged, type UnchargedSum } from '../ledger/hold-ratio.ts'
import type { Limits } from '../limits/port.ts'
import { readTeamBudgets } from '../limits/team-budgets.ts'
import { resolveKey } from '../record/read-filter.ts'
import { bucketMs } from '../store/schema/spend.ts'
import type { SpendFilter, SpendSum, SumSpendInput } from '../store/statements/spend-sums.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { createStepStart, foldSeries, listSteps, type StepStart } from './fold-series.ts'
import { askPace, forecastBudget } from './forecast/forecast-budget.ts'
import { addFigures, dimensionsOf, groupSpend, takeBehind, writeCursor } from './group-spend.ts'

export type SpendReportsDependencies = Pick<World, 'clock'> & {
  readonly read: Pick<Store['read'], 'sumSpend' | 'readFirstBucket'>
  /** Sums up to now, of which those older than a quarter of an hour may be a minute old. */
  readonly sumRecent: Store['read']['sumSpend']
  readonly directory: Directory
  readonly limits: Pick<Limits, 'readSpend'>
}

export class SpendReports {
  readonly #dependencies: SpendReportsDependencies

  constructor(dependencies: SpendReportsDependencies) {
    this.#dependencies = dependencies
  }

  /** Throws ApiError `invalid_request`, `team_not_found`, `key_not_found`. */
  async report(query: SpendReportQuery): Promise<SpendReport> {
    const { directory } = this.#dependencies
    const { by = 'team', limit = defaultReportPage, after } = query
    const filter = readSpendFilter(query, directory)
    const head = this.#head()
    const sums = await this.#sum({ ...filter, by: dimensionsOf(by) })
    const groups = groupSpend(sums, by, directory)
    const behind = after === undefined ? groups : takeBehind(groups, after)
    const page = behind.slice(0, limit)
    const last = page.at(-1)
    return {
      ...head,
      by,
      from: isoTime(filter.from),
      until: isoTime(filter.until),
      uncharged_nano: sumUncharged(listUncharged(directory, filter.teamId)),
      items: page.map(({ identity, calls, refused, cost_nano }) => ({
        ...identity,
        calls,
        refused,
        cost_nano,
      })),
      next: last !== undefined && behind.length > limit ? writeCursor(last) : null,
      total: { count: groups.length, ...addFigures(groups.flatMap(({ sums: own }) => own)), exact: true },
    }
  }

  /** Throws ApiError `invalid_request`, `team_not_found`, `key_not_found`. */
  async series(query: SpendSeriesQuery): Promise<SpendSeries> {
    const { read, directory, clock } = this.#dependencies
    const { by = null, step = '10m', time_zone: timeZone = 'UTC' } = query
    const filter = readSpendFilter(query, directory)
    const stepMs = seriesSteps[step] * 60_000
    const stepStart = readZone(stepMs, timeZone)
    const head = { ...this.#head(), step, by, time_zone: timeZone }
    const until = filter.until ?? clock()
    const first = filter.from ?? (await read.readFirstBucket({ teamId: filter.teamId }))
    const none = { count: 0, calls: 0, refused: 0, cost_nano: 0, exact: true } as const
    if (first === null || first >= until)
      return { ...head, from: null, until: null, series: [], gaps: [], total: none }
    const range = { from: first, until, stepStart, stepMs }
    if ((until - first) / stepMs > maxSteps)
      throw invalidRequest(
        'step',
        `The range has more than ${maxSteps} steps of ${step}. Ask for longer steps or a shorter range.`,
      )
    const sums = await this.#sum({
      ...filter,
      by: ['bucket_start', ...dimensionsOf(by)],
    })
    const groups = groupSpend(sums, by, directory)
    if (groups.length > maxGroups)
      throw invalidRequest(
        'by',
        `There are ${groups.length} of them; a series can show ${maxGroups}. Name a team, a key or a model.`,
      )
    const starts = [...listSteps(range)]
    return {
      ...head,
      from: isoTime(starts[0] ?? first),
      until: isoTime(until),
      ...foldSeries({ ...range, groups }),
      total: { count: groups.length, ...addFigures(groups.flatMap(({ sums: own }) => own)), exact: true },
    }
  }

  /** Throws ApiError `team_not_found`. */
  async forecast({ team_id: teamId }: Static<typeof forecastQuerySchema>): Promise<SpendForecast> {
    const { sumRecent, directory, limits, clock } = this.#dependencies
    const teams = teamId === undefined ? directory.teams() : [requireTeam(directory, teamId)]
    const head = this.#head()
    const now = clock()
    const [sums, budgets] = await Promise.all([
      sumRecent(askPace(now, teamId)),
      readTeamBudgets(directory, teams, limits, now),
    ])
    const byTeam = Map.groupBy(sums, sum => sum.teamId)
    const items = budgets.teams.map(({ team, ...own }): TeamForecast => {
      const buckets = (byTeam.get(team.teamId) ?? []).map(({ bucketStart, cost }) => ({
        start: bucketStart ?? now - (now % bucketMs),
        cost,
      }))
      return {
        team_id: team.teamId,
        team_alias: team.alias,
        budget_nano: own.budget,
        spent_nano: own.spent,
        held_nano: own.held,
        resets_at: isoTime(own.periodEnd),
        ...forecastBudget({
          ...own,
          now,
          periodEnd: spendableUntil(directory.event(), own.periodEnd, now),
          buckets,
        }),
      }
    })
    return { ...head, windows_minutes: [...paceWindows], items: items.sort(compareForecasts), next: null }
  }

  /**
   * Sums over all calls up to now take some tenths of a second, and several people look at them. Any other sum is either short, or of a
   * range that someone chose to the millisecond.
   */
  #sum(input: SumSpendInput): Promise<SpendSum[]> {
    const { read, sumRecent } = this.#dependencies
    const { from, until, teamId, keyHash, modelId } = input
    const isOfAll = until === null && teamId === null && keyHash === null && modelId === null
    return isOfAll && (from ?? 0) % bucketMs === 0 ? sumRecent(input) : read.sumSpend(input)
  }

  #head() {
    const { clock, directory } = this.#dependencies
    return { as_of: isoTime(clock()), version: directory.version() }
  }
}

function listUncharged(
  { teams, unchargedOf }: Pick<Directory, 'teams' | 'unchargedOf'>,
  teamId: string | null,
): readonly UnchargedSum[] {
  return teamId === null ? teams().flatMap(team => unchargedOf(team.teamId)) : unchargedOf(teamId)
}

/** The budget that ends first, then the highest pace, then by name. */
function compareForecasts(left: TeamForecast, right: TeamForecast): number {
  const places = [left, right].map(({ verdict, dry_at: { mid, high }, team_id }) => [
    verdict === 'spent' ? '' : (mid ?? '~'),
    high ?? '~',
    team_id,
  ])
  return JSON.stringify(places[0]) < JSON.stringify(places[1]) ? -1 : 1
}

type FilterQuery = Pick<SpendReportQuery, 'team_id' | 'key' | 'model' | 'from' | 'until'>

/** Throws ApiError `invalid_request`, `team_not_found`, `key_not_found`. */
export function readSpendFilter(
  query: FilterQuery,
  directory: Pick<Directory, 'findTeam' | 'keys' | 'keysOfTeam'>,
): SpendFilter {
  const { team_id, key, model = null } = query
  const teamId = team_id === undefined ? null : requireTeam(directory, team_id).teamId
  const keys = teamId === null ? directory.keys() : directory.keysOfTeam(teamId)
  const keyHash = key === undefined ? null : resolveKey(keys, key)
  return { ...parseOpenRange(query), teamId, keyHash, modelId: model }
}

function readZone(stepMs: number, timeZone: string): StepStart {
  try {
    return createStepStart(stepMs, timeZone)
  } catch (cause) {
    if (cause instanceof RangeError)
      throw refuseValue('time_zone', 'use an IANA name, such as Asia/Seoul or UTC.')
    throw cause
  }
}
