// The order of a judge's own finished teams: as saved, with later ones at the place of their mean. Pure.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'

/** `mean`: from 0 to 1. */
export type WeighedTeam = { readonly teamId: string; readonly mean: number }

/** Best first. `finished`: in the order of reading, which decides between equal means. */
export function orderTeams(finished: readonly WeighedTeam[], saved: readonly string[]): WeighedTeam[] {
  const byId = new Map(finished.map(team => [team.teamId, team]))
  const order = saved.flatMap(teamId => byId.get(teamId) ?? [])
  const known = new Set(saved)
  const added = finished.filter(({ teamId }) => !known.has(teamId)).toSorted((a, b) => b.mean - a.mean)
  for (const team of added) {
    const at = order.findIndex(({ mean }) => mean < team.mean)
    order.splice(at < 0 ? order.length : at, 0, team)
  }
  return order
}

/** Teams whose mean another one has too. */
export function findTied(teams: readonly WeighedTeam[]): ReadonlySet<string> {
  const groups = Map.groupBy(teams, ({ mean }) => mean).values()
  return new Set(
    [...groups].filter(({ length }) => length > 1).flatMap(group => group.map(({ teamId }) => teamId)),
  )
}

/** True if the saved order has all finished teams; others may have left it, for example by a conflict. */
export function isWhole(finished: readonly WeighedTeam[], saved: readonly string[]): boolean {
  return finished.every(({ teamId }) => saved.includes(teamId))
}

/** `nameOf`: as the judge knows the team. Throws ApiError `invalid_request` that names the difference. */
export function requireWhole(
  finished: readonly WeighedTeam[],
  teams: readonly string[],
  nameOf: (teamId: string) => string,
): void {
  const list = (ids: readonly string[]) => ids.map(teamId => `"${nameOf(teamId)}"`).join(', ')
  const twice = teams.filter((teamId, at) => teams.indexOf(teamId) !== at)
  const missing = finished.map(({ teamId }) => teamId).filter(teamId => !teams.includes(teamId))
  const beyond = teams.filter(teamId => !finished.some(team => team.teamId === teamId))
  const problems = [
    ...(missing.length === 0 ? [] : [`${list(missing)} missing`]),
    ...(beyond.length === 0 ? [] : [`${list(beyond)} not finished by you`]),
    ...(twice.length === 0 ? [] : [`${list(twice)} there twice`]),
  ]
  if (problems.length > 0)
    throw invalidRequest(
      'teams',
      `The order must have all your finished teams, each once: ${problems.join('; ')}.`,
    )
}
