// Reads the figures that an organiser watches for all teams at one moment: team rows, and the figures of the whole event.
import type { Overview } from '@fairgate/contracts/console/overview.ts'
import { type TeamRow, type TeamState, teamStates } from '@fairgate/contracts/console/teams.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { Directory } from '../directory/create-directory.ts'
import { countedSince, gatewayAt, isEventRefusal, phaseAt, spendableUntil } from '../directory/event/event.ts'
import type { Key, Team } from '../directory/types.ts'
import { sumUncharged } from '../ledger/hold-ratio.ts'
import type { Limits } from '../limits/port.ts'
import { readTeamBudgets } from '../limits/team-budgets.ts'
import type { KeptCoverage } from '../record/kept-coverage.ts'
import { acceptsSince } from '../store/statements/boards.ts'
import type { SpendSum } from '../store/statements/spend-sums.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { askPace } from './forecast/forecast-budget.ts'
import { forecastEvent } from './forecast/forecast-event.ts'
import { describeRecent, maxRecentCalls, perMinute, recentMs } from './recent-calls.ts'
import { buildTeamRow, type TeamBucket, type TeamFacts } from './team-rows.ts'

export type LiveFiguresDependencies = Pick<World, 'clock'> & {
  readonly read: Pick<
    Store['read'],
    'sumSpend' | 'listBoards' | 'readLastSeen' | 'readRecentCalls' | 'countRunningCalls'
  >
  readonly directory: Pick<
    Directory,
    'teams' | 'everyTeam' | 'keysOfTeam' | 'membersOfTeam' | 'event' | 'unchargedOf' | 'version'
  >
  readonly limits: Pick<Limits, 'readSpend' | 'totals'>
  readonly coverage: Pick<KeptCoverage, 'watch' | 'of' | 'whole'>
}

export type LiveFigures = {
  readonly overview: Overview
  /** The teams that lists show. */
  readonly rows: readonly TeamRow[]
  /** By team, the demo team included. */
  readonly rowOf: ReadonlyMap<string, TeamRow>
}

const everything = { until: null, teamId: null, keyHash: null, modelId: null } as const

/** Six queries to the database, regardless of the number of teams. Rejects with StoreUnavailable. */
export async function readLiveFigures({
  read,
  directory,
  limits,
  coverage,
  clock,
}: LiveFiguresDependencies): Promise<LiveFigures> {
  const now = clock()
  const event = directory.event()
  const phase = phaseAt(event, now)
  const version = directory.version()
  const [budgets, buckets, charged, boards, seen, recent, running] = await Promise.all([
    readTeamBudgets(directory, directory.everyTeam(), limits, now),
    read.sumSpend(askPace(now)),
    read.sumSpend({ ...everything, from: countedSince(event, now), by: ['team_id'] }),
    read.listBoards(),
    read.readLastSeen({ since: now - recentMs, until: now }),
    read.readRecentCalls({ teamId: null, from: now - recentMs, until: now + 1, limit: maxRecentCalls }),
    read.countRunningCalls(null),
  ])
  const bucketsByTeam = Map.groupBy(buckets, ({ teamId }) => teamId)
  const callsByTeam = new Map(charged.map(({ teamId, calls }) => [teamId, calls]))
  const boardByTeam = new Map(boards.map(board => [board.teamId, board]))
  const seenByTeam = new Map(seen.map(team => [team.teamId, team]))
  const isGatewayOpen = gatewayAt(event, now).kind === 'open'
  const teams = budgets.teams.map(({ team, periodEnd, ...own }): TeamFacts => {
    const board = boardByTeam.get(team.teamId)
    return {
      ...own,
      now,
      teamId: team.teamId,
      alias: team.alias,
      isBlocked: team.blocked === true,
      keys: countKeys(directory.keysOfTeam(team.teamId), team, now),
      people: directory.membersOfTeam(team.teamId).filter(({ removedAt }) => removedAt === null).length,
      isGatewayOpen,
      logOpenSince: board === undefined ? 0 : acceptsSince(board, now),
      uncharged: sumUncharged(directory.unchargedOf(team.teamId)),
      granted: team.granted?.periodStart === own.periodStart ? team.granted.amount : 0,
      periodEnd: spendableUntil(event, periodEnd, now),
      calls: callsByTeam.get(team.teamId) ?? 0,
      lastCallAt: seenByTeam.get(team.teamId)?.lastCallAt ?? null,
      lastEntryAt:
        board === undefined || board.headSeq === 0 ? null : Math.floor(board.headReceivedMicros / 1000),
      entries: board?.headSeq ?? 0,
      coverage: coverage.of(team.teamId),
      buckets: (bucketsByTeam.get(team.teamId) ?? []).map(toBucket),
    }
  })
  coverage.watch(teams)
  const rowOf = new Map(teams.map(team => [team.teamId, buildTeamRow(team)]))
  const rows = directory.teams().flatMap(({ teamId }) => rowOf.get(teamId) ?? [])
  const { spent, held } = budgets.event
  const { calls, streams } = running
  const lastCalls = teams.map(({ lastCallAt }) => lastCallAt ?? 0)
  return {
    rows,
    rowOf,
    overview: {
      as_of: isoTime(now),
      version,
      spent_nano: spent,
      held_nano: Math.max(held, sum(teams.map(own => own.held))),
      cap_nano: event.capNano,
      ...forecastEvent({
        now,
        spent,
        phase,
        teams: teams.map(({ budget, spent: own, buckets: ownBuckets }) => ({
          unspent: budget === null ? null : budget - own,
          buckets: ownBuckets,
        })),
      }),
      ...describeRecent(recent, now),
      // On a single process only streams have rows, and the totals know all calls; if processes share the limits, all calls have rows.
      running_calls: Math.max(calls, limits.totals().holds),
      open_streams: streams,
      coverage: coverage.whole(),
      entries_per_min: perMinute(sum(seen.map(({ entries }) => entries)), recentMs),
      teams: countStates(rows),
      changed: isoTime(lastCalls.length === 0 ? null : Math.max(...lastCalls) || null),
    },
  }
}

function countKeys(keys: readonly Key[], { blocked }: Team, now: number): TeamFacts['keys'] {
  const isUsable = (key: Key) => key.blocked !== true && (key.expiresAt === null || key.expiresAt > now)
  return {
    all: keys.length,
    blocked: keys.filter(key => key.blocked === true).length,
    usable: blocked === true ? 0 : keys.filter(isUsable).length,
  }
}

function toBucket({ bucketStart, cost, calls, refused, code }: SpendSum): TeamBucket {
  return { start: bucketStart ?? 0, cost, calls, refused, refusedByEvent: isEventRefusal(code) ? refused : 0 }
}

export function countStates(rows: readonly Pick<TeamRow, 'state'>[]): Overview['teams'] {
  const counts = Object.fromEntries(Object.keys(teamStates).map(state => [state, 0])) as Record<
    TeamState,
    number
  >
  for (const { state } of rows) counts[state] += 1
  return counts
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
