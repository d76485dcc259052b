// Means of teams, as they are and adjusted for strict and lenient judges. Pure.

/** The weighted mean that a judge gives a team, from 0 to 1. */
export type Given = { readonly teamId: string; readonly judgeId: string; readonly mean: number }

/** A judge with few teams is believed to be average by as much as this many more teams would show. */
const prior = 2
/** Each round brings the largest step down by a factor; hundreds are enough for 60 teams and 40 judges. */
const maxRounds = 10_000
const tolerance = 1e-12

/** True if a judge has not judged one of these teams: only then can strict and lenient judges make a difference between teams. */
export function arePanelsSampled(given: readonly Given[]): boolean {
  const teams = new Set(given.map(({ teamId }) => teamId))
  const judges = new Set(given.map(({ judgeId }) => judgeId))
  return given.length < teams.size * judges.size
}

/** Rounded to nine places, so that equal teams are equal. */
export function averageMeans(given: readonly Given[]): Map<string, number> {
  return new Map(
    [...Map.groupBy(sort(given), ({ teamId }) => teamId)].map(([teamId, own]) => [
      teamId,
      round(average(own.map(({ mean }) => mean))),
    ]),
  )
}

/**
 * Each team's mean and each judge's leniency: mean = team + judge + chance, by least squares, with the leniency of judges shrunk towards 0.
 * Judges who see different teams are compared by the teams that they share with others. Rounded to nine places.
 */
export function adjustMeans(given: readonly Given[]): {
  readonly teams: ReadonlyMap<string, number>
  readonly leniency: ReadonlyMap<string, number>
} {
  const sorted = sort(given)
  const byTeam = Map.groupBy(sorted, ({ teamId }) => teamId)
  const byJudge = Map.groupBy(sorted, ({ judgeId }) => judgeId)
  const teams = new Map<string, number>()
  const leniency = new Map<string, number>()
  for (let count = 0; count < maxRounds; count += 1) {
    for (const [teamId, own] of byTeam)
      teams.set(teamId, average(own.map(({ judgeId, mean }) => mean - (leniency.get(judgeId) ?? 0))))
    let largest = 0
    for (const [judgeId, own] of byJudge) {
      const sum = own.reduce((total, { teamId, mean }) => total + mean - (teams.get(teamId) ?? 0), 0)
      const next = sum / (own.length + prior)
      largest = Math.max(largest, Math.abs(next - (leniency.get(judgeId) ?? 0)))
      leniency.set(judgeId, next)
    }
    if (largest < tolerance) break
  }
  return { teams: roundAll(teams), leniency: roundAll(leniency) }
}

/** Sums of floating point depend on their order, which must not depend on who came first. */
function sort(given: readonly Given[]): Given[] {
  return given.toSorted((one, other) => one.mean - other.mean || compare(one.judgeId, other.judgeId))
}

export function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

// Adding 0 turns -0 into 0.
export const round = (value: number): number => Math.round(value * 1e9) / 1e9 + 0

function roundAll(values: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...values].map(([name, value]) => [name, round(value)]))
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
