// The order of a judge's teams while it is changed by hand. Pure.
import type { OrderReply } from '@fairgate/contracts/judging/scores.ts'

export type OrderItem = OrderReply['items'][number]

/** `to` is cut to the ends of the list. */
export function moveTeam(teams: readonly string[], team: string, to: number): string[] {
  const others = teams.filter(each => each !== team)
  const place = Math.max(0, Math.min(others.length, to))
  return [...others.slice(0, place), team, ...others.slice(place)]
}

/** The order on this page, with what the server has learned since: teams that were finished come in at their place, others leave. */
export function followServer(teams: readonly string[], items: readonly OrderItem[]): string[] {
  const places = items.map(({ team }) => team)
  let followed = teams.filter(team => places.includes(team))
  for (const [place, team] of places.entries()) {
    if (!followed.includes(team)) followed = moveTeam(followed, team, place)
  }
  return followed
}

/** Teams that stand above one with a higher mean of scores. */
export function findContradictions(items: readonly OrderItem[]): Set<string> {
  const found = new Set<string>()
  let best = -1
  for (const { team, mean } of [...items].reverse()) {
    if (mean < best) found.add(team)
    best = Math.max(best, mean)
  }
  return found
}
