// Caches how much of each team's spend its log covers, and its sessions, for lists of all teams. Read in the background, one team at a time, while someone is
// watching. The shares are also stored: after a restart, reading 500 teams would take half an hour.

import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { type CoverageReader, everyCall, type TeamCoverage } from './coverage-reader.ts'
import { digestSessions, type SessionDigest } from './digest-sessions.ts'
import type { SessionBook } from './session-book.ts'
import { sumCovered } from './sum-coverage.ts'

export type KeptCoverageDependencies = Pick<World, 'clock' | 'stopwatch'> & {
  readonly coverage: Pick<CoverageReader, 'read' | 'readBehind' | 'readBook'>
  readonly read: Pick<Store['read'], 'readFacts'>
  readonly write: Pick<Store['write'], 'replaceFacts'>
}

/** The fields of a team that change its share. */
export type WatchedTeam = { readonly teamId: string; readonly calls: number; readonly entries: number }

/** The coverage of a team without its calls. */
export type CoverageSummary = Omit<TeamCoverage, 'calls' | 'logged'>

/** `share`: from 0 to 1; null if there is too little to judge. Cost in nano-dollars. `asOf`: Unix ms. */
export type KeptShare = {
  readonly share: number | null
  readonly covered: number
  readonly judged: number
  /** True if a recorded AI tool has an entry in the log. The recorder's own test entry, which `join` sends, does not count. */
  readonly hasToolEntry: boolean
  readonly asOf: number
}

type StoredShare = Pick<WatchedTeam, 'calls' | 'entries'> & { readonly share: KeptShare }

/** The sessions of a team: the ones that were active last, and how many older ones are left out. */
export type KeptSessions = {
  readonly sessions: readonly SessionDigest[]
  readonly leftOut: number
  readonly cost: number
  readonly asOf: number
}

/** `found`: null for a share from before the start. */
type Known = StoredShare & {
  readonly found: { readonly summary: CoverageSummary; readonly sessions: KeptSessions } | null
}

const prefix = 'coverage/'

/** A log that explains less of the spend than this does not record the work. The pages mark sessions by the same share. */
export const leastExplained = 0.6

/** Teams that no one has looked at for this long are not read. */
const watchedMs = 60_000
/** A team that keeps changing is read again after this time, and any team after `longMs`, because entries become late by themselves. */
const freshMs = 60_000
const longMs = 15 * 60_000
/** Sessions of all teams in memory, about 700 bytes each. Each team may have an equal part of them. */
const maxSessions = 100_000
const maxSessionsOfTeam = 2000
/** Reading takes at most a twentieth of the time. */
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

  /** Takes over the shares that were stored before this process started. Rejects with StoreUnavailable. */
  async recall(): Promise<void> {
    for (const { name, value } of await this.#dependencies.read.readFacts({ prefix, since: 0 })) {
      const teamId = name.slice(prefix.length)
      const stored: StoredShare = JSON.parse(value)
      if (!this.#known.has(teamId)) this.#known.set(teamId, { ...stored, found: null })
    }
  }

  /** Marks these teams, which are all teams, as being watched. */
  watch(teams: readonly WatchedTeam[]): void {
    // Copy only these fields: the argument may hold much more, including the previous share.
    this.#teams = teams.map(({ teamId, calls, entries }) => ({ teamId, calls, entries }))
    this.#watchedAt = this.#dependencies.stopwatch()
    const ids = new Set(teams.map(({ teamId }) => teamId))
    for (const teamId of this.#known.keys()) if (!ids.has(teamId)) this.#known.delete(teamId)
  }

  /** Has these teams read in the background too, if no one watches them yet. */
  want(teamIds: readonly string[]): void {
    const known = new Set(this.#teams.map(({ teamId }) => teamId))
    const added = teamIds.filter(teamId => !known.has(teamId)).map(unwatched)
    if (added.length > 0) this.#teams = [...this.#teams, ...added]
    this.#watchedAt = this.#dependencies.stopwatch()
  }

  /** Null until it has been read for the first time. */
  of(teamId: string): KeptShare | null {
    return this.#known.get(teamId)?.share ?? null
  }

  /** True if `read` answers at once. */
  has(teamId: string): boolean {
    return this.#findRecent(teamId) !== null
  }

  /**
   * The cached value if it is at most a quarter of an hour old; otherwise reads it. `client`: aborts when the client has left, which ends
   * the reading. Rejects with StoreUnavailable.
   */
  async read(teamId: string, client: AbortSignal): Promise<CoverageSummary> {
    const recent = this.#findRecent(teamId)
    if (recent !== null) return recent.summary
    const { coverage } = this.#dependencies
    const team = this.#teams.find(watched => watched.teamId === teamId) ?? unwatched(teamId)
    const found = await coverage.read(teamId, everyCall, client)
    return this.#note(team, found, await coverage.readBook(teamId))
  }

  /** Null unless `read` answers at once. */
  sessionsOf(teamId: string): KeptSessions | null {
    return this.#findRecent(teamId)?.sessions ?? null
  }

  #findRecent(teamId: string): Known['found'] {
    const found = this.#known.get(teamId)?.found ?? null
    if (found === null) return null
    const age = this.#dependencies.clock() - found.summary.asOf
    return age >= 0 && age < longMs ? found : null
  }

  /** Share over all teams with a known share, rounded down to four decimals; null if there are none. */
  whole(): number | null {
    let [covered, cost] = [0, 0]
    for (const { share } of this.#known.values()) {
      if (share.share === null) continue
      covered += share.covered
      cost += share.judged
    }
    return cost === 0 ? null : Math.floor((covered / cost) * 10_000) / 10_000
  }

  /** Reads the share of the team that needs it most, if it is time. Rejects with StoreUnavailable; the next turn tries again. */
  async turn(): Promise<void> {
    const { clock, stopwatch } = this.#dependencies
    const startedAt = stopwatch()
    if (this.#isReading || startedAt < this.#restUntil || startedAt - this.#watchedAt > watchedMs) return
    const team = this.#choose(clock())
    if (team === null) return
    this.#isReading = true
    try {
      const { coverage } = this.#dependencies
      const found = await coverage.readBehind(team.teamId, everyCall)
      this.#note(team, found, await coverage.readBook(team.teamId))
    } finally {
      this.#isReading = false
      this.#restUntil = stopwatch() + restFactor * (stopwatch() - startedAt)
    }
  }

  #note(
    { teamId, calls, entries }: WatchedTeam,
    found: TeamCoverage,
    book: Pick<SessionBook, 'find'>,
  ): CoverageSummary {
    const { calls: _, logged, ...summary } = found
    const { coverage: share, judged, asOf } = summary
    const hasToolEntry = logged.some(({ tool }) => tool !== null)
    const stored: StoredShare = {
      calls,
      entries,
      share: { share, covered: sumCovered(summary).cost, judged: judged.cost, hasToolEntry, asOf },
    }
    this.#known.set(teamId, { ...stored, found: { summary, sessions: this.#cut(found, book) } })
    const fact = { name: `${prefix}${teamId}`, value: JSON.stringify(stored), now: asOf }
    // A share that could not be stored is only missing after a restart.
    void this.#dependencies.write.replaceFacts({ facts: [fact] }).catch(() => undefined)
    return summary
  }

  #cut(found: TeamCoverage, book: Pick<SessionBook, 'find'>): KeptSessions {
    const all = digestSessions(found, book, everyCall).sort((left, right) => right.lastAt - left.lastAt)
    const most = Math.min(maxSessionsOfTeam, Math.floor(maxSessions / Math.max(1, this.#known.size)))
    const cost = all.reduce((sum, session) => sum + session.cost, 0)
    return {
      sessions: all.slice(0, most),
      leftOut: Math.max(0, all.length - most),
      cost,
      asOf: found.asOf,
    }
  }

  /** The due team with the oldest share. A team without calls has none and costs nothing. */
  #choose(now: number): WatchedTeam | null {
    let oldest: WatchedTeam | null = null
    let oldestAt = Number.POSITIVE_INFINITY
    for (const team of this.#teams) {
      const known = this.#known.get(team.teamId)
      const asOf = known?.share.asOf ?? Number.NEGATIVE_INFINITY
      const hasChanged = known?.calls !== team.calls || known.entries !== team.entries
      if (now - asOf < (hasChanged ? freshMs : longMs) || asOf >= oldestAt) continue
      oldest = team
      oldestAt = asOf
    }
    return oldest
  }
}

/** Without known figures, so the next watcher finds the team changed. */
function unwatched(teamId: string): WatchedTeam {
  return { teamId, calls: -1, entries: -1 }
}
