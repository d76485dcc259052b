// Deals teams to judges: as many judges for each team as were asked for, loads as even as possible, and no two judges always together. The same
// input gives the same deal in any order, and everybody can repeat its draws, which are SHA-256 of the seed and the names.
import { createHash } from 'node:crypto'

export type Pair = { readonly teamId: string; readonly judgeId: string }

export type Deal = {
  readonly seed: string
  readonly teams: readonly string[]
  /** `places`: the max number of teams, kept ones included. */
  readonly judges: readonly { readonly judgeId: string; readonly places: number }[]
  /** False if this judge must not judge this team. */
  readonly mayJudge: (pair: Pair) => boolean
  readonly judgesPerTeam: number
  /** Assignments that stay, also of judges who are no longer dealt to; in the order in which each judge has them. */
  readonly kept: readonly Pair[]
}

export type Dealt = {
  /** New assignments, in the order in which each judge reads them. */
  readonly added: readonly Pair[]
  /** Teams with fewer judges than were asked for. */
  readonly short: readonly { readonly teamId: string; readonly judges: number }[]
}

export function dealTeams(deal: Deal): Dealt {
  const table = new DealTable(deal)
  const teams = sortByDraw(deal.teams, teamId => draw(deal.seed, teamId))
  for (let round = 0; round < deal.judgesPerTeam; round += 1) {
    for (const teamId of teams) {
      if (table.judgesOf(teamId).size <= round) table.addJudge(teamId)
    }
  }
  table.evenLoads()
  table.partPairs()
  return {
    added: sortByDraw(table.added(), ({ teamId, judgeId }) => draw(deal.seed, judgeId, teamId)),
    short: deal.teams
      .map(teamId => ({ teamId, judges: table.judgesOf(teamId).size }))
      .filter(({ judges }) => judges < deal.judgesPerTeam),
  }
}

class DealTable {
  readonly #deal: Deal
  readonly #teams: readonly string[]
  readonly #judges: readonly string[]
  readonly #places: ReadonlyMap<string, number>
  readonly #judgesOf = new Map<string, Set<string>>()
  /** Teams of a judge that were dealt here, so they may still move. */
  readonly #dealtTo = new Map<string, Set<string>>()
  readonly #loads = new Map<string, number>()
  /** By both judges, in either order. */
  readonly #together = new Map<string, Map<string, number>>()

  constructor(deal: Deal) {
    this.#deal = deal
    this.#teams = deal.teams.toSorted()
    this.#judges = deal.judges.map(({ judgeId }) => judgeId).toSorted()
    this.#places = new Map(deal.judges.map(({ judgeId, places }) => [judgeId, places]))
    for (const { teamId, judgeId } of deal.kept) this.#assign(teamId, judgeId)
  }

  readonly judgesOf = (teamId: string): ReadonlySet<string> => this.#judgesOf.get(teamId) ?? new Set()

  readonly added = (): Pair[] =>
    this.#judges.flatMap(judgeId => this.#movable(judgeId).map(teamId => ({ teamId, judgeId })))

  /** Adds a judge, by moving teams of others if none who may judge this team has a place left. The team stays short if nobody can. */
  addJudge(teamId: string): void {
    const direct = this.#judges.filter(judgeId => this.#mayTake(teamId, judgeId) && this.#hasPlace(judgeId))
    const best = this.#chooseJudge(teamId, direct)
    if (best !== undefined) {
      this.#deals(teamId, best)
      return
    }
    const able = this.#judges.filter(judgeId => this.#mayTake(teamId, judgeId))
    const path = this.#findPath(able, judgeId => this.#hasPlace(judgeId))
    if (path === null) return
    this.#shift(path.moves)
    this.#deals(teamId, path.first)
  }

  /**
   * Moves teams along chains of judges until no chain leads to a judge with two teams fewer. Then no deal with these teams has a smaller sum of
   * squared loads (Harvey, Ladner, Lovász and Tamir, "Semi-matchings for bipartite graphs", 2003). Each chain makes that sum smaller, so it ends.
   */
  evenLoads(): void {
    for (let isMoved = true; isMoved; ) {
      isMoved = false
      for (const judgeId of this.#judges.toSorted((a, b) => this.#load(b) - this.#load(a))) {
        const load = this.#load(judgeId)
        // Most deals are even when they come here, and a search that finds nothing visits every judge.
        if (this.#judges.every(other => this.#load(other) > load - 2)) break
        const path = this.#findPath(
          [judgeId],
          other => this.#hasPlace(other) && this.#load(other) <= load - 2,
        )
        if (path === null) continue
        this.#shift(path.moves)
        isMoved = true
      }
    }
  }

  /** Swaps teams of judges who are together on more than twice their fair share of teams, as long as that brings the excess down. */
  partPairs(): void {
    const { judgesPerTeam } = this.#deal
    const pairs = (this.#judges.length * (this.#judges.length - 1)) / 2
    const fair = (this.#teams.length * judgesPerTeam * (judgesPerTeam - 1)) / 2 / Math.max(1, pairs)
    const limit = Math.ceil(2 * fair)
    while (this.#partOnce(limit));
  }

  #partOnce(limit: number): boolean {
    for (const [one, other] of this.#pairsAbove(limit)) {
      for (const teamId of this.#movable(one)) {
        if (!this.judgesOf(teamId).has(other)) continue
        for (const judgeId of this.#judges) {
          if (!this.#mayTake(teamId, judgeId)) continue
          for (const swapped of this.#movable(judgeId)) {
            if (!this.#mayTake(swapped, one)) continue
            const before = this.#excessAt([teamId, swapped], limit, [one, judgeId])
            this.#swap(teamId, one, swapped, judgeId)
            if (this.#excessAt([teamId, swapped], limit, [one, judgeId]) < before) return true
            this.#swap(teamId, judgeId, swapped, one)
          }
        }
      }
    }
    return false
  }

  #pairsAbove(limit: number): [string, string][] {
    return this.#judges.flatMap(one =>
      this.#judges
        .filter(other => other !== one && this.#countTogether(one, other) > limit)
        .map((other): [string, string] => [one, other]),
    )
  }

  /** Sum over the pairs that a swap changes: how far each is above the limit. */
  #excessAt(teams: readonly string[], limit: number, moved: readonly string[]): number {
    const others = new Set(teams.flatMap(teamId => [...this.judgesOf(teamId)]))
    let sum = 0
    for (const judgeId of moved) {
      for (const other of others) {
        if (other !== judgeId) sum += Math.max(0, this.#countTogether(judgeId, other) - limit)
      }
    }
    return sum
  }

  #swap(teamId: string, from: string, otherTeam: string, otherFrom: string): void {
    this.#shift([
      { teamId, from, to: otherFrom },
      { teamId: otherTeam, from: otherFrom, to: from },
    ])
  }

  /** The least load decides, then who is least often together with the judges of this team, then the draw. */
  #chooseJudge(teamId: string, judges: readonly string[]): string | undefined {
    const others = [...this.judgesOf(teamId)]
    const together = (judgeId: string) =>
      others.reduce((sum, other) => sum + this.#countTogether(judgeId, other) ** 2, 0)
    const fitting = keepLeast(
      keepLeast(judges, judgeId => this.#load(judgeId)),
      together,
    )
    const [chosen] =
      fitting.length < 2 ? fitting : sortByDraw(fitting, judgeId => draw(this.#deal.seed, teamId, judgeId))
    return chosen
  }

  /** Breadth first: the shortest chain of moves from one of these judges to one who is accepted. */
  #findPath(starts: readonly string[], accepts: (judgeId: string) => boolean) {
    const cameBy = new Map<string, Move | null>(starts.map(judgeId => [judgeId, null]))
    for (const from of cameBy.keys()) {
      if (accepts(from)) return this.#trace(from, cameBy)
      for (const teamId of this.#movable(from)) {
        for (const to of this.#judges) {
          if (!cameBy.has(to) && this.#mayTake(teamId, to)) cameBy.set(to, { teamId, from, to })
        }
      }
    }
    return null
  }

  #trace(last: string, cameBy: ReadonlyMap<string, Move | null>) {
    const moves: Move[] = []
    let first = last
    for (let move = cameBy.get(last); move !== null && move !== undefined; move = cameBy.get(move.from)) {
      moves.push(move)
      first = move.from
    }
    return { first, moves }
  }

  /** From the end of the chain to its start, so that no judge has a team too many in between. */
  #shift(moves: readonly Move[]): void {
    for (const { teamId, from } of moves) {
      this.#dealtTo.get(from)?.delete(teamId)
      this.#release(teamId, from)
    }
    for (const { teamId, to } of moves) this.#deals(teamId, to)
  }

  #deals(teamId: string, judgeId: string): void {
    this.#assign(teamId, judgeId)
    this.#dealtTo.set(judgeId, (this.#dealtTo.get(judgeId) ?? new Set()).add(teamId))
  }

  #assign(teamId: string, judgeId: string): void {
    this.#countPairs(teamId, judgeId, 1)
    this.#judgesOf.set(teamId, (this.#judgesOf.get(teamId) ?? new Set()).add(judgeId))
    this.#loads.set(judgeId, this.#load(judgeId) + 1)
  }

  #release(teamId: string, judgeId: string): void {
    this.#judgesOf.get(teamId)?.delete(judgeId)
    this.#loads.set(judgeId, this.#load(judgeId) - 1)
    this.#countPairs(teamId, judgeId, -1)
  }

  #countPairs(teamId: string, judgeId: string, by: 1 | -1): void {
    for (const other of this.judgesOf(teamId)) {
      this.#countPair(judgeId, other, by)
      this.#countPair(other, judgeId, by)
    }
  }

  #countPair(one: string, other: string, by: 1 | -1): void {
    const counts = this.#together.get(one) ?? new Map<string, number>()
    counts.set(other, (counts.get(other) ?? 0) + by)
    this.#together.set(one, counts)
  }

  #countTogether(one: string, other: string): number {
    return this.#together.get(one)?.get(other) ?? 0
  }

  #load(judgeId: string): number {
    return this.#loads.get(judgeId) ?? 0
  }

  #hasPlace(judgeId: string): boolean {
    return this.#load(judgeId) < (this.#places.get(judgeId) ?? 0)
  }

  #mayTake(teamId: string, judgeId: string): boolean {
    return !this.judgesOf(teamId).has(judgeId) && this.#deal.mayJudge({ teamId, judgeId })
  }

  #movable(judgeId: string): string[] {
    return [...(this.#dealtTo.get(judgeId) ?? [])].toSorted()
  }
}

type Move = { readonly teamId: string; readonly from: string; readonly to: string }

function draw(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex')
}

function keepLeast<Item>(items: readonly Item[], measure: (item: Item) => number): readonly Item[] {
  const measures = items.map(measure)
  const least = Math.min(...measures)
  return items.filter((_, at) => measures[at] === least)
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function sortByDraw<Item>(items: readonly Item[], drawOf: (item: Item) => string): Item[] {
  return items
    .map(item => ({ item, draw: drawOf(item) }))
    .toSorted((a, b) => compare(a.draw, b.draw))
    .map(({ item }) => item)
}
