// Tracks how much of a scarce model each team was recently given. The team with the least is served next.
import type { LineReport, TeamsElsewhere } from './lines-elsewhere.ts'

export type ServiceRate = { readonly requests: number | null; readonly tokens: number | null }

type Given = { readonly at: number; readonly tokens: number }

/** Given after the `heard`th report of other processes, and between that and the one before. */
type Unheard = { heard: number; given: number; tokens: number; givenBefore: number; tokensBefore: number }

type Recent = {
  given: Given[]
  first: number
  tokens: number
  lastAsked: number
  /** Calls that the upstream refused since this process knows the team. */
  refused: number
  /** Since the report of other processes before the last: their last report does not have all of it yet. */
  since: Unheard
}

/** About 50 kB as JSON. */
const maxListed = 1000

/** Length of a window (spec 5.3). */
export const recentMs = 60_000
/** Refusals by the upstream within this time count together. */
const refusedMs = 20_000

/** A team's part of a model within the last minute: of its requests or of its tokens, whichever is more (dominant resource fairness). */
export class RecentShares {
  readonly #teams = new Map<string, Recent>()
  /** When the upstream last refused a call of a team, here or in another process (Unix ms). */
  readonly #refusedAt = new Map<string, number>()
  #elsewhere: TeamsElsewhere = new Map()
  #processes = 0
  #heard = 0
  readonly #since: number

  /** `now`: calls before it are not known. */
  constructor(now: number) {
    this.#since = now
  }

  /**
   * Replaces what was known of other processes. Assumes that each of them has given as much as this process gave since the time before
   * last: a team that calls all of them at the same moment would otherwise get its part from each.
   */
  hear(elsewhere: TeamsElsewhere, processes: number): void {
    this.#elsewhere = elsewhere
    this.#processes = processes
    this.#heard += 1
  }

  noteAsked(teamId: string, now: number): void {
    this.#of(teamId).lastAsked = now
  }

  noteGiven(teamId: string, tokens: number, now: number): void {
    const recent = this.#of(teamId)
    recent.given.push({ at: now, tokens })
    recent.tokens += tokens
    const since = this.#turn(recent.since)
    since.given += 1
    since.tokens += tokens
  }

  /** Counts the upstream's refusal of a call of this process. */
  noteRefused(teamId: string, now: number): void {
    this.#of(teamId).refused += 1
    this.hearRefused(teamId, now)
  }

  hearRefused(teamId: string, now: number): void {
    this.#refusedAt.set(teamId, now)
  }

  /** Later refusals must be common again on their own. */
  forgetRefused(): void {
    this.#refusedAt.clear()
  }

  hasRefused(now: number): boolean {
    for (const [teamId, at] of this.#refusedAt) if (now - at >= refusedMs) this.#refusedAt.delete(teamId)
    return this.#refusedAt.size > 0
  }

  /**
   * True if the upstream has recently refused calls of at least two teams, and of more than half of all teams that were given calls. A team
   * can cause refusals of its own calls at will, but not of other teams' calls. Counts teams, not refusals, because one team can cause any
   * number of refusals. False until it is known who else calls: the first refusals of a model are often what opens its queue.
   */
  isRefusedInCommon(now: number): boolean {
    if (now - this.#since < refusedMs || !this.hasRefused(now) || this.#refusedAt.size < 2) return false
    let teams = this.#refusedAt.size
    for (const teamId of this.#listAllTeams())
      if (!this.#refusedAt.has(teamId) && this.countGivenTo(teamId, now) > 0) teams += 1
    return this.#refusedAt.size * 2 > teams
  }

  /**
   * Sum over all processes; 0 if nothing was given, 1 is all that the window has. Called for every team at each call, so it allocates no
   * object.
   */
  shareOf(teamId: string, { requests, tokens }: ServiceRate, now: number): number {
    const recent = this.#teams.get(teamId)
    const elsewhere = this.#elsewhere.get(teamId)
    let count = elsewhere?.given ?? 0
    let amount = elsewhere?.tokens ?? 0
    if (recent !== undefined) {
      forget(recent, now)
      count += recent.given.length - recent.first
      amount += recent.tokens
      if (this.#processes > 0) {
        const since = this.#turn(recent.since)
        count += (since.given + since.givenBefore) * this.#processes
        amount += (since.tokens + since.tokensBefore) * this.#processes
      }
    }
    return Math.max(
      requests === null ? 0 : count / Math.max(requests, 1),
      tokens === null ? 0 : amount / Math.max(tokens, 1),
    )
  }

  /** Calls that were let through within the last minute. */
  countGiven(now: number): number {
    return this.used({ requests: 1, tokens: null }, now)
  }

  countGivenTo(teamId: string, now: number): number {
    return this.shareOf(teamId, { requests: 1, tokens: null }, now)
  }

  /** The sum of all shares. */
  used(rate: ServiceRate, now: number): number {
    let used = 0
    for (const teamId of this.#listAllTeams()) used += this.shareOf(teamId, rate, now)
    return used
  }

  /** Teams that have asked within the last minute. */
  countRivals(now: number): number {
    let teams = 0
    for (const teamId of this.#listAllTeams()) {
      if (this.#elsewhere.get(teamId)?.hasAsked === true || this.#hasAsked(teamId, now)) teams += 1
    }
    return teams
  }

  /** Teams of this process alone. If there are very many, those that were given the most. */
  listTeams(now: number): LineReport['teams'] {
    const teams: (readonly [string, LineReport['teams'][string]])[] = []
    for (const [teamId, recent] of this.#teams) {
      forget(recent, now)
      const given = recent.given.length - recent.first
      const hasAsked = this.#hasAsked(teamId, now)
      if (given > 0 || hasAsked) teams.push([teamId, [given, recent.tokens, hasAsked, recent.refused]])
    }
    if (teams.length > maxListed) teams.sort(([, [one]], [, [other]]) => other - one)
    return Object.fromEntries(teams.slice(0, maxListed))
  }

  /** Drops teams that have neither asked nor been given anything for a minute. Returns true if none is left. */
  tidy(now: number): boolean {
    for (const [teamId, recent] of this.#teams) {
      forget(recent, now)
      if (recent.first === recent.given.length && now - recent.lastAsked >= recentMs)
        this.#teams.delete(teamId)
    }
    return this.#teams.size === 0
  }

  #turn(since: Unheard): Unheard {
    if (since.heard === this.#heard) return since
    const isNext = since.heard === this.#heard - 1
    since.givenBefore = isNext ? since.given : 0
    since.tokensBefore = isNext ? since.tokens : 0
    since.heard = this.#heard
    since.given = 0
    since.tokens = 0
    return since
  }

  #hasAsked(teamId: string, now: number): boolean {
    const recent = this.#teams.get(teamId)
    return recent !== undefined && now - recent.lastAsked < recentMs
  }

  *#listAllTeams(): Iterable<string> {
    yield* this.#teams.keys()
    for (const teamId of this.#elsewhere.keys()) if (!this.#teams.has(teamId)) yield teamId
  }

  #of(teamId: string): Recent {
    let recent = this.#teams.get(teamId)
    if (recent === undefined) {
      recent = {
        given: [],
        first: 0,
        tokens: 0,
        lastAsked: Number.NEGATIVE_INFINITY,
        refused: 0,
        since: { heard: this.#heard, given: 0, tokens: 0, givenBefore: 0, tokensBefore: 0 },
      }
      this.#teams.set(teamId, recent)
    }
    return recent
  }
}

/** Trims the list only now and then: trimming it for each call would copy it each time. */
function forget(recent: Recent, now: number): void {
  for (let given = recent.given[recent.first]; given !== undefined && now - given.at >= recentMs; ) {
    recent.tokens -= given.tokens
    recent.first += 1
    given = recent.given[recent.first]
  }
  if (recent.first > 256 && recent.first > recent.given.length / 2) {
    recent.given = recent.given.slice(recent.first)
    recent.first = 0
  }
}
