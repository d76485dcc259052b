// Gathers the figures for `findConditions` from the parts of the server that know them, and remembers since when each condition lasts.
import type { Directory } from '../directory/create-directory.ts'
import type { Limits } from '../limits/port.ts'
import { readTeamBudgets } from '../limits/team-budgets.ts'
import type { Store } from '../store/store.ts'
import {
  type AttentionFacts,
  type Condition,
  findConditions,
  silenceMs,
  type UpstreamFacts,
} from './find-conditions.ts'

export type AttentionDependencies = {
  readonly directory: Pick<Directory, 'teams' | 'event'>
  readonly limits: Pick<Limits, 'readSpend'>
  readonly read: Pick<Store['read'], 'sumSpend' | 'listBoards' | 'sumQuestions'>
  /** `failure`: the code of the last call where it has failed; null where it has not. */
  readonly upstreams: () => readonly (Pick<UpstreamFacts, 'upstream' | 'keys'> & {
    readonly failure: string | null
  })[]
  readonly disk: () => AttentionFacts['disk']
  readonly ledger: () => AttentionFacts['ledger']
  /** Totals that are not the sums of their rows, by the last proof. */
  readonly wrongTotals: () => number
  /** Unix ms. */
  readonly clock: () => number
}

export class Attention {
  readonly #dependencies: AttentionDependencies
  #knownSince: ReadonlyMap<string, number> = new Map()
  #failing: ReadonlyMap<string, NonNullable<UpstreamFacts['failing']>> = new Map()
  #lastTeams: AttentionFacts['teams'] = []
  #lastEvent: AttentionFacts['event'] = null

  constructor(dependencies: AttentionDependencies) {
    this.#dependencies = dependencies
  }

  /** What needs an organiser now, worst first. While the database does not answer, teams are judged by what it said last. Never rejects. */
  readonly conditions = async (): Promise<readonly Condition[]> => {
    const { disk, ledger, wrongTotals, clock } = this.#dependencies
    const now = clock()
    await this.#readTeams(now).catch(() => undefined)
    const conditions = findConditions({
      now,
      teams: this.#lastTeams,
      event: this.#lastEvent,
      upstreams: this.#readUpstreams(now),
      disk: disk(),
      ledger: ledger(),
      wrongTotals: wrongTotals(),
      knownSince: this.#knownSince,
    })
    this.#knownSince = new Map(conditions.map(({ id, since }) => [id, since]))
    return conditions
  }

  #readUpstreams(now: number): UpstreamFacts[] {
    const facts = this.#dependencies.upstreams().map(({ upstream, keys, failure }) => {
      const since = this.#failing.get(upstream)?.since ?? now
      return { upstream, keys, failing: failure === null ? null : { since, code: failure } }
    })
    this.#failing = new Map(
      facts.flatMap(({ upstream, failing }) => (failing === null ? [] : [[upstream, failing] as const])),
    )
    return facts
  }

  async #readTeams(now: number): Promise<void> {
    const { directory, limits, read } = this.#dependencies
    const nothing = { until: null, teamId: null, keyHash: null, modelId: null }
    const [budgets, calls, boards, questions] = await Promise.all([
      readTeamBudgets(directory, limits, now),
      read.sumSpend({ ...nothing, from: now - silenceMs, by: ['team_id'] }),
      read.listBoards(),
      read.sumQuestions(null),
    ])
    const callsOf = new Map(calls.map(({ teamId, calls: count }) => [teamId, count]))
    const entryOf = new Map(boards.map(board => [board.teamId, board.headReceivedMicros / 1000]))
    const questionsOf = new Map(questions.map(sum => [sum.teamId, sum]))
    this.#lastEvent = budgets.event
    this.#lastTeams = budgets.teams.map(({ team, ...budget }) => ({
      ...budget,
      teamId: team.teamId,
      name: team.alias === '' ? team.teamId : team.alias,
      isBlocked: team.blocked === true,
      recentCalls: callsOf.get(team.teamId) ?? 0,
      lastEntryAt: entryOf.get(team.teamId) || null,
      questions: {
        waiting: questionsOf.get(team.teamId)?.waiting ?? 0,
        since: questionsOf.get(team.teamId)?.waitingSince ?? null,
      },
    }))
  }
}
