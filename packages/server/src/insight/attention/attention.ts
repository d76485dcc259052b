// Gathers the figures for `findConditions` from the parts of the server that have them, and tracks how long each condition has lasted.

import type { Directory } from '../../directory/create-directory.ts'
import {
  countedSince,
  type Event,
  gatewayAt,
  isEventRefusal,
  spendableUntil,
  submissionAsked,
  submissionDeadline,
} from '../../directory/event/event.ts'
import { nanoDollars } from '../../ledger/money.ts'
import type { Limits } from '../../limits/port.ts'
import { readTeamBudgets } from '../../limits/team-budgets.ts'
import type { KeptCoverage, KeptShare } from '../../record/kept-coverage.ts'
import { bucketMs } from '../../store/schema/spend.ts'
import { acceptsSince, isLockedByHand } from '../../store/statements/boards.ts'
import type { ConditionStart } from '../../store/statements/conditions.ts'
import type { SpendSum } from '../../store/statements/spend-sums.ts'
import type { Store } from '../../store/store.ts'
import type { World } from '../../world/world.ts'
import { askPace, forecastBudget } from '../forecast/forecast-budget.ts'
import { forecastEvent } from '../forecast/forecast-event.ts'
import type { Condition } from './condition.ts'
import { type AttentionFacts, findConditions, type UpstreamFacts } from './find-conditions.ts'
import { silenceMs, type TeamFacts } from './find-team-conditions.ts'
import type { LateCalls } from './refused-often.ts'

export type AttentionDependencies = Pick<World, 'clock'> & {
  readonly directory: Pick<Directory, 'teams' | 'event' | 'unchargedOf'>
  readonly limits: Pick<Limits, 'readSpend'>
  readonly read: Pick<
    Store['read'],
    'sumSpend' | 'listBoards' | 'sumQuestions' | 'listConditionStarts' | 'listSubmissionHeads'
  >
  readonly coverage: Pick<KeptCoverage, 'of' | 'watch'>
  readonly write: Pick<Store['write'], 'noteConditionStarts'>
  /** `failure`: the code of the last call if it failed, otherwise null. */
  readonly upstreams: () => readonly (Pick<UpstreamFacts, 'upstream' | 'keys' | 'recentTries'> & {
    readonly failure: string | null
  })[]
  readonly disk: () => AttentionFacts['disk']
  readonly ledger: () => AttentionFacts['ledger']
  /** Totals that did not match the sums of their rows in the last proof. */
  readonly wrongTotals: () => number
}

/** After a start, this is enough to find a condition again that must be seen for a minute before it counts. */
const settlingMs = 2 * 60_000

export class Attention {
  readonly #dependencies: AttentionDependencies
  #knownSince: ReadonlyMap<string, number> = new Map()
  /** Conditions that others wrote down before this process looked first, and until when (Unix ms) it may still find them itself. */
  #inherited: { readonly ids: ReadonlySet<string>; readonly until: number } | null = null
  #failing: ReadonlyMap<string, NonNullable<UpstreamFacts['failing']>> = new Map()
  #last: Pick<AttentionFacts, 'teams' | 'event' | 'forecast' | 'submissions'> = {
    teams: [],
    event: null,
    forecast: null,
    submissions: null,
  }

  constructor(dependencies: AttentionDependencies) {
    this.#dependencies = dependencies
  }

  /**
   * The conditions that need an organiser now, worst first. While the database does not answer, teams are judged by its last answer, and
   * starts are those that this process knows. Never rejects.
   */
  readonly conditions = async (): Promise<readonly Condition[]> => {
    const { directory, disk, ledger, wrongTotals, clock } = this.#dependencies
    const now = clock()
    const starts = await this.#readFigures(now).catch(() => null)
    const event = directory.event()
    const gateway = gatewayAt(event, now)
    const facts = {
      now,
      ...this.#last,
      timeZone: event.timeZone,
      isGatewayOpen: gateway.kind === 'open',
      openPhase: gateway.kind === 'open' ? (gateway.phase?.name ?? null) : null,
      upstreams: this.#readUpstreams(now),
      disk: disk(),
      ledger: ledger(),
      wrongTotals: wrongTotals(),
    }
    const before = this.#knownSince
    const found = findConditions({ ...facts, knownSince: takeEarliest(before, starts ?? []) })
    this.#knownSince = sinceOf(found)
    if (starts === null) return found
    const kept = await this.#noteStarts(found, before, starts, now).catch(() => [])
    if (kept.length === 0) return found
    const knownSince = takeEarliest(this.#knownSince, kept)
    const agreed = findConditions({ ...facts, knownSince })
    this.#knownSince = sinceOf(agreed)
    return agreed
  }

  /** Resolves with the stored starts. */
  async #readFigures(now: number): Promise<readonly ConditionStart[]> {
    const [, starts] = await Promise.all([
      this.#readTeams(now),
      this.#dependencies.read.listConditionStarts(null),
    ])
    return starts
  }

  /**
   * Writes only when a condition begins or ends. Conditions that only another process has found are left to it: its upstream may fail while
   * ours works. Those that existed before this process started are ended if they have not been found for two minutes, so that a restart
   * loses no start.
   */
  async #noteStarts(
    found: readonly Condition[],
    before: ReadonlyMap<string, number>,
    starts: readonly ConditionStart[],
    now: number,
  ): Promise<readonly ConditionStart[]> {
    const stored = new Map(starts.map(({ conditionId, since }) => [conditionId, since]))
    this.#inherited ??= { ids: new Set(stored.keys()), until: now + settlingMs }
    const { ids, until } = this.#inherited
    const begun = found
      .filter(({ id, since }) => since < (stored.get(id) ?? Number.POSITIVE_INFINITY))
      .map(({ id, since }) => ({ conditionId: id, since }))
    const lasting = new Set(found.map(({ id }) => id))
    const isOver = (id: string) => !lasting.has(id) && (before.has(id) || (now >= until && ids.has(id)))
    const ended = [...stored.keys()].filter(isOver)
    // After that time, this process ends only the conditions that it has found itself.
    if (now >= until && ids.size > 0) this.#inherited = { ids: new Set(), until }
    if (begun.length === 0 && ended.length === 0) return []
    return await this.#dependencies.write.noteConditionStarts({ begun, ended })
  }

  #readUpstreams(now: number): UpstreamFacts[] {
    const facts = this.#dependencies.upstreams().map(({ failure, ...facts }) => {
      const since = this.#failing.get(facts.upstream)?.since ?? now
      return { ...facts, failing: failure === null ? null : { since, code: failure } }
    })
    this.#failing = new Map(
      facts.flatMap(({ upstream, failing }) => (failing === null ? [] : [[upstream, failing] as const])),
    )
    return facts
  }

  /** Reads nothing at any other time. */
  async #readSubmissions(now: number): Promise<AttentionFacts['submissions']> {
    const { directory, read } = this.#dependencies
    const event = directory.event()
    const asked = submissionAsked(event)
    const deadline = submissionDeadline(event)
    if (asked === null || deadline === null) return null
    if (now < deadline - submissionsBeforeMs || now >= deadline + submissionsAfterMs) return null
    const handedIn = new Set((await read.listSubmissionHeads(null)).map(({ teamId }) => teamId))
    const teams = directory.teams().filter(({ blocked }) => blocked !== true)
    return {
      deadline,
      missing: teams.filter(({ teamId }) => !handedIn.has(teamId)).length,
      teams: teams.length,
      isLateAccepted: asked.late === 'marked',
    }
  }

  async #readTeams(now: number): Promise<void> {
    const { directory, limits, read, coverage } = this.#dependencies
    const nothing = { until: null, teamId: null, keyHash: null, modelId: null }
    const event = directory.event()
    const [budgets, calls, late, paces, counted, boards, questions, submissions] = await Promise.all([
      readTeamBudgets(directory, directory.teams(), limits, now),
      read.sumSpend({ ...nothing, from: now - silenceMs, by: ['team_id'] }),
      read.sumSpend({ ...nothing, from: startOfBucket(now - bucketMs), by: ['team_id', 'code'] }),
      read.sumSpend(askPace(now)),
      read.sumSpend({ ...nothing, from: countedSince(event, now), by: ['team_id'] }),
      read.listBoards(),
      read.sumQuestions(null),
      this.#readSubmissions(now),
    ])
    const callsOf = new Map(calls.map(({ teamId, calls: count }) => [teamId, count]))
    const lateOf = Map.groupBy(late, ({ teamId }) => teamId)
    const pacesOf = Map.groupBy(paces, ({ teamId }) => teamId)
    const boardOf = new Map(boards.map(board => [board.teamId, board]))
    const questionsOf = new Map(questions.map(sum => [sum.teamId, sum]))
    const teams = budgets.teams.map(({ team, periodEnd, held, ...own }) => {
      const board = boardOf.get(team.teamId)
      const buckets = (pacesOf.get(team.teamId) ?? []).map(({ bucketStart, cost }) => ({
        start: bucketStart ?? 0,
        cost,
      }))
      const ends = { periodStart: own.periodStart, periodEnd: spendableUntil(event, periodEnd, now) }
      const { dry_at } = forecastBudget({ ...own, ...ends, now, held, buckets })
      const facts: TeamFacts = {
        ...own,
        teamId: team.teamId,
        name: team.alias === '' ? team.teamId : team.alias,
        isBlocked: team.blocked === true,
        // Without an end, there is no time that the budget has to last for.
        dryAt: ends.periodEnd === null || dry_at.mid === null ? null : Date.parse(dry_at.mid),
        recentCalls: callsOf.get(team.teamId) ?? 0,
        lately: sumLate(lateOf.get(team.teamId) ?? []),
        lastEntryAt: board === undefined || board.headSeq === 0 ? null : board.headReceivedMicros / 1000,
        isBoardLocked: board !== undefined && isLockedByHand(board, now),
        logOpenSince: board === undefined ? 0 : acceptsSince(board, now),
        explained: readShare(coverage.of(team.teamId)),
        uncharged: nanoDollars(directory.unchargedOf(team.teamId).reduce((sum, { open }) => sum + open, 0)),
        questions: {
          waiting: questionsOf.get(team.teamId)?.waiting ?? 0,
          since: questionsOf.get(team.teamId)?.waitingSince ?? null,
        },
      }
      return { facts, buckets, entries: board?.headSeq ?? 0 }
    })
    // Callers that read conditions watch the teams.
    const countOf = new Map(counted.map(({ teamId, calls: count }) => [teamId, count]))
    coverage.watch(
      teams.map(({ facts: { teamId }, entries }) => ({ teamId, entries, calls: countOf.get(teamId) ?? 0 })),
    )
    const { spent, cap } = budgets.event
    this.#last = {
      event: cap === null ? null : { spent, cap },
      teams: teams.map(({ facts }) => facts),
      submissions,
      forecast: cap === null ? null : forecastSpend(event, spent, teams, now),
    }
  }
}

/** Organisers can still do something then: before, by asking; after, by accepting late ones. */
const submissionsBeforeMs = 60 * 60_000
const submissionsAfterMs = 60 * 60_000

function sumLate(sums: readonly SpendSum[]): LateCalls {
  const refusals = sums.filter(({ refused, code }) => refused > 0 && !isEventRefusal(code))
  const [worst] = refusals.toSorted((one, other) => other.refused - one.refused)
  return {
    calls: sums.reduce((total, { calls }) => total + calls, 0),
    refused: refusals.reduce((total, { refused }) => total + refused, 0),
    worst: worst?.code ?? null,
  }
}

function readShare(known: KeptShare | null): TeamFacts['explained'] {
  if (known === null || known.share === null) return null
  const { share, judged, covered } = known
  return { share, judged, covered }
}

type Pace = {
  readonly facts: Pick<TeamFacts, 'budget' | 'spent'>
  readonly buckets: readonly { readonly start: number; readonly cost: number }[]
}

/** The overview's forecast. Only a phase in which money can be spent has a pace. */
function forecastSpend(
  event: Event,
  spent: number,
  teams: readonly Pace[],
  now: number,
): AttentionFacts['forecast'] {
  const gateway = gatewayAt(event, now)
  const { forecast } = forecastEvent({
    now,
    spent,
    phase: gateway.kind === 'open' ? gateway.phase : null,
    teams: teams.map(({ facts: { budget, spent: own }, buckets }) => ({
      unspent: budget === null ? null : budget - own,
      buckets,
    })),
  })
  if (forecast === null || !Number.isSafeInteger(forecast.mid_nano)) return null
  return { spent: nanoDollars(forecast.mid_nano), until: Date.parse(forecast.until) }
}

/** Sums are kept in buckets: at its start none is partly left out. */
function startOfBucket(moment: number): number {
  return Math.floor(moment / bucketMs) * bucketMs
}

function takeEarliest(
  known: ReadonlyMap<string, number>,
  starts: readonly ConditionStart[],
): ReadonlyMap<string, number> {
  const earliest = new Map(known)
  for (const { conditionId, since } of starts)
    earliest.set(conditionId, Math.min(since, earliest.get(conditionId) ?? since))
  return earliest
}

function sinceOf(conditions: readonly Condition[]): ReadonlyMap<string, number> {
  return new Map(conditions.map(({ id, since }) => [id, since]))
}
