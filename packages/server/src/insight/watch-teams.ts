// Figures by team for the metrics, if the settings ask for them: what each has spent, what is left, and how many calls were refused.
import type { Directory } from '../directory/create-directory.ts'
import type { Metrics, TeamFigure } from '../http/metrics.ts'
import type { Limits } from '../limits/port.ts'
import { readTeamBudgets, type TeamBudgets } from '../limits/team-budgets.ts'
import { keepRunning } from '../world/timers.ts'
import type { World } from '../world/world.ts'

const lookMs = 15_000
/** Each team is its own series in every scraper; those beyond are one together, named `other`. */
const maxTeams = 500
const others = 'other'

/** `readBudgets` rejects while the database is unavailable: a scrape then gets the last known figures. */
export function watchTeams(
  { every, metrics }: Pick<World, 'every'> & { readonly metrics: Pick<Metrics, 'showTeams'> },
  readBudgets: () => Promise<TeamBudgets>,
) {
  const known = new Set<string>()
  let figures: readonly TeamFigure[] = []
  const countRefusal = metrics.showTeams(() => figures)

  const nameOf = (teamId: string): string => {
    if (!known.has(teamId) && known.size >= maxTeams) return others
    known.add(teamId)
    return teamId
  }
  const describe = ({ teams }: TeamBudgets): TeamFigure[] => {
    const sums = new Map<string, TeamFigure>()
    for (const { team, spent, budget } of teams) {
      const name = nameOf(team.teamId)
      const sum = sums.get(name)
      const left = budget === null ? null : Math.max(0, budget - spent)
      sums.set(name, {
        team: name,
        spentNano: spent + (sum?.spentNano ?? 0),
        leftNano: sum === undefined ? left : addKnown(left, sum.leftNano),
      })
    }
    return [...sums.values()]
  }
  const look = async (): Promise<void> => {
    const budgets = await readBudgets().catch(() => null)
    if (budgets !== null) figures = describe(budgets)
  }
  return {
    look,
    noteUncharged: ({ teamId, outcome }: { readonly teamId: string; readonly outcome: string }): void => {
      if (outcome === 'refused') countRefusal(nameOf(teamId))
    },
    stop: keepRunning(every, lookMs, look),
  }
}

export type TeamWatch = ReturnType<typeof watchTeams>

/** Null unless the settings ask for figures by team. */
export function openTeamWatch(world: World, directory: Directory, limits: Limits): TeamWatch | null {
  if (!world.config.settings.metrics_by_team) return null
  const read = () => readTeamBudgets(directory, directory.teams(), limits, world.clock())
  const watch = watchTeams(world, read)
  world.onStop(watch.stop)
  return watch
}

function addKnown(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : one + other
}
