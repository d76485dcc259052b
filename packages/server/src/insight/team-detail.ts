// Reads the details of one team for an organiser: limits in use, spend, refusals with their reasons, and how much of it the log explains.
import type { LimitInUse, TeamDetail } from '@fairgate/contracts/console/team-detail.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { Catalog, CatalogModel } from '../catalog/types.ts'
import type { Directory } from '../directory/create-directory.ts'
import { eventLimitsAt } from '../directory/event/event-limits-at.ts'
import type { Key, Owner, Team } from '../directory/types.ts'
import { type BudgetPeriod, periodOf } from '../ledger/budget-period.ts'
import type { EventLimits } from '../ledger/event-limits.ts'
import { buildLevels } from '../limits/build-levels.ts'
import { maximumIn } from '../limits/levels.ts'
import type { BudgetLimit, Levels, LevelsUse, Limits, OwnerPeriod, RateUse, Spend } from '../limits/port.ts'
import type { WindowPeaks } from '../limits/windows/window-peaks.ts'
import type { CallsReader } from '../record/calls-reader.ts'
import { type CoverageReader, everyCall } from '../record/coverage-reader.ts'
import type { Share } from '../record/sum-coverage.ts'
import type { SpendSum } from '../store/statements/spend-sums.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import type { LiveFigures } from './live-figures.ts'
import type { SpendReports } from './spend-reports.ts'

export type TeamDetailDependencies = Pick<World, 'clock'> & {
  readonly readFigures: () => Promise<LiveFigures>
  readonly read: Pick<Store['read'], 'sumSpend'>
  readonly directory: Pick<Directory, 'keysOfTeam' | 'findKeyName' | 'event'>
  readonly limits: Pick<Limits, 'readSpend' | 'readWindows'>
  readonly catalog: Pick<Catalog, 'models'>
  readonly peaks: Pick<WindowPeaks, 'note' | 'peakOf'>
  readonly calls: Pick<CallsReader, 'readAll'>
  readonly reports: Pick<SpendReports, 'report' | 'series'>
  readonly coverage: Pick<CoverageReader, 'readRecent'>
}

const hourMs = 3_600_000
/** Max number of codes that refused in the last hour: there are rarely more. */
const maxCodes = 10

/** Rejects with StoreUnavailable. */
export async function readTeamDetail(dependencies: TeamDetailDependencies, team: Team): Promise<TeamDetail> {
  const { readFigures, clock } = dependencies
  const now = clock()
  const [figures, limits, spend, refusals, coverage] = await Promise.all([
    readFigures(),
    readLimitsInUse(dependencies, team, now),
    readSpend(dependencies, team, now),
    readRefusals(dependencies, team.teamId, now),
    // The page reads this every few seconds while calls come.
    dependencies.coverage.readRecent(team.teamId, everyCall),
  ])
  const row = figures.rowOf.get(team.teamId)
  if (row === undefined) throw new Error('Every team of the directory has a row.')
  const { session, text, ambiguous, probable, unexplained } = coverage.classes
  return {
    as_of: isoTime(now),
    state: row.state,
    lights: row.lights,
    limits_now: limits,
    spend_by: spend,
    refusals_1h: refusals,
    coverage: {
      share: coverage.coverage,
      by_session: addShares(session),
      by_text: addShares(text, ambiguous),
      none: addShares(probable, unexplained),
      logged_only: coverage.loggedOnly,
    },
  }
}

function addShares(...shares: readonly Share[]): { nano: number; count: number } {
  const sum = (read: (share: Share) => number) => shares.reduce((total, share) => total + read(share), 0)
  return { nano: sum(({ cost }) => cost), count: sum(({ calls }) => calls) }
}

async function readSpend(
  { reports, directory }: TeamDetailDependencies,
  team: Team,
  now: number,
): Promise<TeamDetail['spend_by']> {
  const event = directory.event()
  const { start } = periodNow(team, now, eventLimitsAt(event, now))
  const asked = { team_id: team.teamId, from: isoTime(start) }
  const [model, key, person, day] = await Promise.all([
    reports.report({ ...asked, by: 'model' }),
    reports.report({ ...asked, by: 'key' }),
    reports.report({ ...asked, by: 'member' }),
    reports.series({ ...asked, step: '1d', time_zone: event.timeZone }),
  ])
  return {
    model: model.items,
    key: key.items,
    person: person.items,
    day: day.series.flatMap(({ points }) => points),
  }
}

async function readRefusals(
  { read, calls, directory }: TeamDetailDependencies,
  teamId: string,
  now: number,
): Promise<TeamDetail['refusals_1h']> {
  const from = now - hourMs
  const everything = { until: null, keyHash: null, modelId: null }
  const sums = await read.sumSpend({ ...everything, from, teamId, by: ['code', 'key_hash'] })
  return Promise.all(
    countRefusals(sums).map(async ({ code, count, topKey, topCount }) => {
      const newest = await calls.readAll({ team_id: teamId, outcome: 'refused', code, limit: 1 })
      return {
        code,
        count,
        top_key: topKey,
        top_key_alias: directory.findKeyName(topKey)?.alias ?? null,
        top_key_count: topCount,
        text: newest.items[0]?.explanation ?? null,
      }
    }),
  )
}

/** The most frequent code first; among equal keys, the first by hash. */
export function countRefusals(
  sums: readonly Pick<SpendSum, 'code' | 'keyHash' | 'refused'>[],
): { code: string; count: number; topKey: string; topCount: number }[] {
  const byCode = Map.groupBy(
    sums.filter(({ refused }) => refused > 0),
    ({ code }) => code ?? '',
  )
  return [...byCode]
    .map(([code, own]) => {
      const [top] = own.toSorted(
        (one, other) => other.refused - one.refused || ((one.keyHash ?? '') < (other.keyHash ?? '') ? -1 : 1),
      )
      const count = own.reduce((sum, { refused }) => sum + refused, 0)
      return { code, count, topKey: top?.keyHash ?? '', topCount: top?.refused ?? 0 }
    })
    .sort((one, other) => other.count - one.count || (one.code < other.code ? -1 : 1))
    .slice(0, maxCodes)
}

/** Levels of one key on one model, or on none; `listLimits` decides which of them are its own. */
type Asked = { readonly key: Key; readonly model: CatalogModel | null; readonly levels: Levels }

export type LimitsInUseDependencies = Pick<TeamDetailDependencies, 'limits' | 'catalog' | 'peaks'> & {
  readonly directory: Pick<Directory, 'keysOfTeam' | 'event'>
}

/** Every limit that the team's calls may reach. Rejects with StoreUnavailable. */
export async function readLimitsInUse(
  dependencies: LimitsInUseDependencies,
  team: Team,
  now: number,
): Promise<LimitInUse[]> {
  const { directory, limits, peaks } = dependencies
  const event = eventLimitsAt(directory.event(), now)
  const asked = listAsked(dependencies, team, event)
  const budgets = listBudgets(team, asked, now, event)
  const [uses, spends] = await Promise.all([
    limits.readWindows(asked.map(({ levels }) => levels)),
    limits.readSpend(budgets.map(({ asked: period }) => period)),
  ])
  const listed = [
    ...budgets.map(({ limit, asked: period, end }, index) => writeBudget(limit, period, end, spends[index])),
    ...asked.flatMap((each, index) => writeWindows(each, uses[index])),
  ]
  // Windows of the team and of the service are found through each key.
  return [...new Map(listed.map(limit => [nameLimit(team.teamId, limit), limit])).values()].map(limit => {
    if (!isWindow(limit)) return limit
    const name = nameLimit(team.teamId, limit)
    peaks.note(name, limit.used, now)
    return { ...limit, peak: peaks.peakOf(name, now) }
  })
}

/** Reports the state of these teams' windows to `peaks`: one query to the limits, regardless of the number of teams. */
export async function noteWindows(
  dependencies: LimitsInUseDependencies,
  teams: readonly Team[],
  now: number,
): Promise<void> {
  const { directory, limits, peaks } = dependencies
  const event = eventLimitsAt(directory.event(), now)
  const asked = teams.flatMap(team => listAsked(dependencies, team, event))
  if (asked.length === 0) return
  const uses = await limits.readWindows(asked.map(({ levels }) => levels))
  for (const [index, each] of asked.entries())
    for (const limit of writeWindows(each, uses[index]).filter(isWindow))
      peaks.note(nameLimit(each.levels.teamId, limit), limit.used, now)
}

function listAsked(
  { directory, catalog }: LimitsInUseDependencies,
  team: Team,
  event: EventLimits | null,
): Asked[] {
  return directory
    .keysOfTeam(team.teamId)
    .flatMap((key, index) =>
      [null, ...catalog.models.filter(model => isLimited(team, key, model, index === 0))].map(
        (model): Asked => ({ key, model, levels: buildLevels(team, key, model, event) }),
      ),
    )
}

function isWindow({ kind }: LimitInUse): boolean {
  return kind === 'requests' || kind === 'tokens'
}

/** One name for a limit that multiple keys or teams share. */
function nameLimit(teamId: string, { kind, level, key, model }: LimitInUse): string {
  return JSON.stringify([level === 'service_model' ? null : teamId, kind, level, key, model])
}

/** Limits of team and service are shared by all keys, so one of them is enough to query them. */
function isLimited(team: Team, key: Key, model: CatalogModel, asksShared: boolean): boolean {
  const { id } = model
  if (key.modelRpmLimit.has(id) || key.modelTpmLimit.has(id) || key.modelMaxBudget.has(id)) return true
  if (!asksShared) return false
  const isOfTeam = team.modelRpmLimit.has(id) || team.modelTpmLimit.has(id)
  return isOfTeam || model.rpmLimit !== null || model.tpmLimit !== null
}

function periodNow(
  { budgetDuration, budgetAnchor }: Owner,
  now: number,
  event: EventLimits | null,
): BudgetPeriod {
  return periodOf(budgetDuration, budgetAnchor, now, event?.since ?? null)
}

type AskedBudget = {
  readonly limit: BudgetLimit
  readonly asked: OwnerPeriod
  readonly end: number | null
}

function listBudgets(
  team: Team,
  asked: readonly Asked[],
  now: number,
  event: EventLimits | null,
): AskedBudget[] {
  const { teamId, granted = null } = team
  const maximum = event?.teamBudget ?? team.maxBudget
  const period = periodNow(team, now, event)
  const ofTeam: AskedBudget[] =
    maximum === null
      ? []
      : [
          {
            limit: { level: 'team', maximum, granted },
            asked: { owner: { kind: 'team', teamId }, periodStart: period.start },
            end: period.end,
          },
        ]
  const ofKeys = asked.flatMap(({ key, model, levels }) => {
    const { keyHash } = key
    const { start: periodStart, end } = periodNow(key, now, event)
    return levels.budgets.flatMap((limit): AskedBudget[] => {
      if (limit.level === 'key' && model === null)
        return [{ limit, asked: { owner: { kind: 'key', teamId, keyHash }, periodStart }, end }]
      if (limit.level !== 'key_model' || model === null) return []
      const owner = { kind: 'key_model', teamId, keyHash, modelId: model.id } as const
      return [{ limit, asked: { owner, periodStart }, end }]
    })
  })
  return [...ofTeam, ...ofKeys]
}

function writeBudget(
  limit: BudgetLimit,
  { owner, periodStart }: OwnerPeriod,
  end: number | null,
  spend: Spend | undefined,
): LimitInUse {
  return {
    level: limit.level === 'event' ? 'team' : limit.level,
    key: owner.kind === 'key' || owner.kind === 'key_model' ? owner.keyHash : null,
    model: owner.kind === 'key_model' ? owner.modelId : null,
    kind: 'budget',
    limit: maximumIn(limit, periodStart),
    used: spend?.spent ?? 0,
    held: spend?.held ?? 0,
    frees_at: isoTime(end),
  }
}

function writeWindows({ key, model, levels }: Asked, use: LevelsUse | undefined): LimitInUse[] {
  if (use === undefined) return []
  const { keyHash } = key
  const slots: LimitInUse = {
    ...{ level: 'key', key: keyHash, model: null, kind: 'parallel', limit: levels.slots },
    ...{ used: use.running, held: 0, frees_at: null },
  }
  return [...(model === null ? [slots] : []), ...use.rates.flatMap(rate => writeRate(rate, keyHash, model))]
}

function writeRate(rate: RateUse, keyHash: string, model: CatalogModel | null): LimitInUse[] {
  const { level } = rate
  if (level === 'event') return []
  const isOfKey = level === 'key' || level === 'key_model'
  const isOfModel = level !== 'team' && level !== 'key'
  return (['requests', 'tokens'] as const).flatMap(kind => {
    const window = rate[kind]
    if (window === null) return []
    const { limit, used, freesAt } = window
    return [
      {
        level,
        key: isOfKey ? keyHash : null,
        model: isOfModel ? (model?.id ?? null) : null,
        ...{ kind, limit, used, held: 0, frees_at: isoTime(freesAt) },
      },
    ]
  })
}
