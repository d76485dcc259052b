// Keeps how much of each team's spend its log covers, for lists of all teams: read in the background, a team at a time, while somebody watches.

import type { World } from '../world/world.ts'
import { type CoverageReader, everyCall, type TeamCoverage } from './coverage-reader.ts'
import { sumCovered } from './sum-coverage.ts'

export type KeptCoverageDependencies = Pick<World, 'clock' | 'stopwatch'> & {
  readonly coverage: Pick<CoverageReader, 'read'>
}

/** What of a team makes its share another one. */
export type WatchedTeam = { readonly teamId: string; readonly calls: number; readonly entries: number }

/** The coverage of a team without its calls. */
export type CoverageSummary = Omit<TeamCoverage, 'calls' | 'logged'>

/** `share`: from 0 to 1; null where there is too little to judge. Cost in nano-dollars. `asOf`: Unix ms. */
export type KeptShare = {
  readonly share: number | null
  readonly covered: number
  readonly judged: number
  /** Whether a recorded AI tool has an entry in the log; that of the recorder's own test, which `join` sends, does not count. */
  readonly hasToolEntry: boolean
  readonly asOf: number
}

type Known = Pick<WatchedTeam, 'calls' | 'entries'> & {
  readonly summary: CoverageSummary
  readonly hasToolEntry: boolean
}

/** A log that explains less of the spend than this is no record of the work; the pages mark sessions by the same share. */
export const leastExplained = 0.6

/** Nobody has looked at the teams for so long: their shares are not read. */
const watchedMs = 60_000
/** A team that goes on changing is read again after so long, and any team after `longMs`: entries become late by themselves. */
const freshMs = 60_000
const longMs = 15 * 60_000
/** Reading takes a twentieth of the time at most. */
const restFactor = 19

export class KeptCoverage {
  readonly #dependencies: KeptCoverageDependencies
  readonly #known = new Map<string, Known>()
  #teams: readonly WatchedTeam[] = []
  #watchedAt = Number.NEGATIVE_INFINITY
  #restUntil = Number.NEGATIVE_INFINITY
  #isReading = false

  constructor(dependencies: KeptCoverageDependencies) {
    this.#dependencies = dependencies
  }

  /** Somebody watches these teams, which are all that there are. */
  watch(teams: readonly WatchedTeam[]): void {
    // What is given may hold much more, the share of before among it.
    this.#teams = teams.map(({ teamId, calls, entries }) => ({ teamId, calls, entries }))
    this.#watchedAt = this.#dependencies.stopwatch()
    const ids = new Set(teams.map(({ teamId }) => teamId))
    for (const teamId of this.#known.keys()) if (!ids.has(teamId)) this.#known.delete(teamId)
  }

  /** Null before it was read for the first time. */
  of(teamId: string): KeptShare | null {
    const known = this.#known.get(teamId)
    if (known === undefined) return null
    const { summary, hasToolEntry } = known
    const { coverage: share, judged, asOf } = summary
    return { share, covered: sumCovered(summary).cost, judged: judged.cost, hasToolEntry, asOf }
  }

  /**
   * As it is kept, a quarter of an hour old at most; else it is read. `client`: aborts when the client has left, and ends the reading.
   * Rejects with StoreUnavailable.
   */
  async read(teamId: string, client: AbortSignal): Promise<CoverageSummary> {
    const known = this.#known.get(teamId)
    const age = known === undefined ? longMs : this.#dependencies.clock() - known.summary.asOf
    if (known !== undefined && age >= 0 && age < longMs) return known.summary
    return await this.#read(this.#teams.find(team => team.teamId === teamId) ?? unwatched(teamId), client)
  }

  /** Of all teams together whose share is known, rounded down to four places; null while there are none. */
  whole(): number | null {
    let [covered, cost] = [0, 0]
    for (const { summary } of this.#known.values()) {
      if (summary.coverage === null) continue
      covered += sumCovered(summary).cost
      cost += summary.judged.cost
    }
    return cost === 0 ? null : Math.floor((covered / cost) * 10_000) / 10_000
  }

  /** Reads the share of the team that needs it most, when it is time. Rejects with StoreUnavailable; the next turn tries again. */
  async turn(): Promise<void> {
    const { clock, stopwatch } = this.#dependencies
    const startedAt = stopwatch()
    if (this.#isReading || startedAt < this.#restUntil || startedAt - this.#watchedAt > watchedMs) return
    const team = this.#choose(clock())
    if (team === null) return
    this.#isReading = true
    try {
      await this.#read(team)
    } finally {
      this.#isReading = false
      this.#restUntil = stopwatch() + restFactor * (stopwatch() - startedAt)
    }
  }

  async #read({ teamId, calls, entries }: WatchedTeam, client?: AbortSignal): Promise<CoverageSummary> {
    const found = await this.#dependencies.coverage.read(teamId, everyCall, client)
    const { calls: _, logged, ...summary } = found
    const hasToolEntry = logged.some(({ tool }) => tool !== null)
    this.#known.set(teamId, { calls, entries, summary, hasToolEntry })
    return summary
  }

  /** Of those that are due the one whose share is oldest. A team without calls has none, and costs nothing. */
  #choose(now: number): WatchedTeam | null {
    let oldest: WatchedTeam | null = null
    let oldestAt = Number.POSITIVE_INFINITY
    for (const team of this.#teams) {
      const known = this.#known.get(team.teamId)
      const asOf = known?.summary.asOf ?? Number.NEGATIVE_INFINITY
      const hasChanged = known?.calls !== team.calls || known.entries !== team.entries
      if (now - asOf < (hasChanged ? freshMs : longMs) || asOf >= oldestAt) continue
      oldest = team
      oldestAt = asOf
    }
    return oldest
  }
}

/** Its figures are not known: whoever watches it next finds them changed. */
function unwatched(teamId: string): WatchedTeam {
  return { teamId, calls: -1, entries: -1 }
}
