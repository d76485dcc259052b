// Keeps how much of each team's spend its log covers, for lists of all teams: read in the background, a team at a time, while somebody watches.

import type { World } from '../world/world.ts'
import { type CoverageReader, everyCall } from './coverage-reader.ts'

export type KeptCoverageDependencies = Pick<World, 'clock' | 'stopwatch'> & {
  readonly coverage: Pick<CoverageReader, 'read'>
}

/** What of a team makes its share another one. */
export type WatchedTeam = { readonly teamId: string; readonly calls: number; readonly entries: number }

/** From 0 to 1; null where there is too little to judge. Cost in nano-dollars. `asOf`: Unix ms. */
export type KeptShare = {
  readonly share: number | null
  readonly covered: number
  readonly judged: number
  /** Whether a recorded AI tool has an entry in the log; that of the recorder's own test, which `join` sends, does not count. */
  readonly hasToolEntry: boolean
  readonly asOf: number
}

type Known = KeptShare & Pick<WatchedTeam, 'calls' | 'entries'>

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
    return this.#known.get(teamId) ?? null
  }

  /** Of all teams together whose share is known, rounded down to four places; null while there are none. */
  whole(): number | null {
    const judged = [...this.#known.values()].filter(({ share }) => share !== null)
    const cost = judged.reduce((sum, team) => sum + team.judged, 0)
    if (cost === 0) return null
    const covered = judged.reduce((sum, team) => sum + team.covered, 0)
    return Math.floor((covered / cost) * 10_000) / 10_000
  }

  /** Reads the share of the team that needs it most, when it is time. Rejects with StoreUnavailable; the next turn tries again. */
  async turn(): Promise<void> {
    const { coverage, clock, stopwatch } = this.#dependencies
    const startedAt = stopwatch()
    if (this.#isReading || startedAt < this.#restUntil || startedAt - this.#watchedAt > watchedMs) return
    const team = this.#choose(clock())
    if (team === null) return
    this.#isReading = true
    try {
      const { coverage: share, judged, classes, logged, asOf } = await coverage.read(team.teamId, everyCall)
      const covered = classes.session.cost + classes.text.cost + classes.ambiguous.cost
      const { calls, entries } = team
      const hasToolEntry = logged.some(({ tool }) => tool !== null)
      this.#known.set(team.teamId, {
        calls,
        entries,
        share,
        covered,
        judged: judged.cost,
        hasToolEntry,
        asOf,
      })
    } finally {
      this.#isReading = false
      this.#restUntil = stopwatch() + restFactor * (stopwatch() - startedAt)
    }
  }

  /** Of those that are due the one whose share is oldest. A team without calls has none, and costs nothing. */
  #choose(now: number): WatchedTeam | null {
    let oldest: WatchedTeam | null = null
    let oldestAt = Number.POSITIVE_INFINITY
    for (const team of this.#teams) {
      const known = this.#known.get(team.teamId)
      const asOf = known?.asOf ?? Number.NEGATIVE_INFINITY
      const hasChanged = known?.calls !== team.calls || known.entries !== team.entries
      if (now - asOf < (hasChanged ? freshMs : longMs) || asOf >= oldestAt) continue
      oldest = team
      oldestAt = asOf
    }
    return oldest
  }
}
