// The ranking that the orders of the judges give: a Plackett-Luce model, fitted with a prior. Pure.

/** A judge's teams, best first. */
export type JudgedOrder = readonly string[]

/**
 * Every team also wins and loses this many times against an average team. Without it a team that is first in its only order would be
 * infinitely strong.
 */
const priorGames = 1
/** Relative change of every strength, below which it has converged. */
const tolerance = 1e-12
/** Hundreds are enough for 60 teams and 40 judges. */
const maxRounds = 20_000

/**
 * Logarithm of each team's strength, 0 for an average team; rounded to nine places, so that equal teams are equal. The model (Plackett 1975):
 * a judge picks the best of the teams with chances in proportion to their strengths, then the best of the rest, and so on. Fitted by
 * minorization-maximization (Hunter 2004), which has one maximum with the prior. A round takes time by the total length of all orders.
 */
export function fitOrders(teams: readonly string[], orders: readonly JudgedOrder[]): Map<string, number> {
  const ids = teams.toSorted()
  const index = new Map(ids.map((teamId, at) => [teamId, at]))
  // Sums of floating point depend on their order, which must not depend on who has judged.
  const ranked = orders
    .map(order => order.flatMap(teamId => index.get(teamId) ?? []))
    .filter(({ length }) => length > 1)
    .sort(compareLists)
  const wins = new Float64Array(ids.length)
  for (const order of ranked) for (const team of order.slice(0, -1)) wins[team] = (wins[team] ?? 0) + 1
  let strengths = new Float64Array(ids.length).fill(1)
  for (let round = 0; round < maxRounds; round += 1) {
    const next = improve(strengths, wins, ranked)
    const change = next.reduce(
      (most, value, at) => Math.max(most, Math.abs(value / (strengths[at] ?? 1) - 1)),
      0,
    )
    strengths = next
    if (change < tolerance) break
  }
  return new Map(ids.map((teamId, at) => [teamId, round(Math.log(strengths[at] ?? 1))]))
}

function improve(
  strengths: Float64Array,
  wins: Float64Array,
  orders: readonly (readonly number[])[],
): Float64Array<ArrayBuffer> {
  const chances = new Float64Array(strengths.length)
  for (const order of orders) {
    /** Of each place and all behind it. */
    const left = new Float64Array(order.length)
    let sum = 0
    for (let place = order.length - 1; place >= 0; place -= 1) {
      sum += strengths[order[place] ?? 0] ?? 0
      left[place] = sum
    }
    let picks = 0
    for (const [place, team] of order.entries()) {
      // The last one is not picked from anything.
      if (place < order.length - 1) picks += 1 / (left[place] ?? 1)
      chances[team] = (chances[team] ?? 0) + picks
    }
  }
  return Float64Array.from(strengths, (strength, team) => {
    const prior = (2 * priorGames) / (strength + 1)
    return ((wins[team] ?? 0) + priorGames) / ((chances[team] ?? 0) + prior)
  })
}

function compareLists(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, place) => value !== other[place])
  return at < 0 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1)
}

// Adding 0 turns -0 into 0.
const round = (value: number) => Math.round(value * 1e9) / 1e9 + 0
