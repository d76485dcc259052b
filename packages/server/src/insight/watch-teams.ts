// Figures by team for the metrics, where the settings ask for them: what each has spent, what is left, and how many calls were refused.
import type { Directory } from '../directory/create-directory.ts'
import type { TeamFigure } from '../http/metrics.ts'
import type { Limits } from '../limits/port.ts'
import { readTeamBudgets, type TeamBudgets } from '../limits/team-budgets.ts'
import type { World } from '../world/world.ts'

export type TeamWatchDependencies = {
  /** Rejects while the database is away. */
  readonly readBudgets: () => Promise<TeamBudgets>
  readonly every: (milliseconds: number, run: () => void) => () => void
  /** Shows what `read` answers at each scrape. Answers what counts a refused call of a team. */
  readonly showTeams: (read: () => readonly TeamFigure[]) => (team: string) => void
}

const lookMs = 15_000
/** Each team is a series of its own in whatever scrapes; those beyond are one together, named `other`. */
const mostTeams = 500
const others = 'other'

export class TeamWatch {
  readonly #dependencies: TeamWatchDependencies
  readonly #countRefusal: (team: string) => void
  readonly #known = new Set<string>()
  #figures: readonly TeamFigure[] = []
  #isLooking = false
  readonly stop: () => void

  constructor(dependencies: TeamWatchDependencies) {
    this.#dependencies = dependencies
    this.#countRefusal = dependencies.showTeams(() => this.#figures)
    this.stop = dependencies.every(lookMs, () => void this.look())
  }

  /** Never rejects: while the database is away, a scrape has what was known last. */
  async look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    const budgets = await this.#dependencies.readBudgets().catch(() => null)
    this.#isLooking = false
    if (budgets !== null) this.#figures = this.#describe(budgets)
  }

  noteUncharged({ teamId, outcome }: { readonly teamId: string; readonly outcome: string }): void {
    if (outcome === 'refused') this.#countRefusal(this.#nameOf(teamId))
  }

  #describe({ teams }: TeamBudgets): TeamFigure[] {
    const figures = new Map<string, TeamFigure>()
    for (const { team, spent, budget } of teams) {
      const name = this.#nameOf(team.teamId)
      const known = figures.get(name)
      const left = budget === null ? null : Math.max(0, budget - spent)
      figures.set(name, {
        team: name,
        spentNano: spent + (known?.spentNano ?? 0),
        leftNano: known === undefined ? left : addKnown(left, known.leftNano),
      })
    }
    return [...figures.values()]
  }

  #nameOf(teamId: string): string {
    if (this.#known.has(teamId)) return teamId
    if (this.#known.size >= mostTeams) return others
    this.#known.add(teamId)
    return teamId
  }
}

/** Null where the settings do not ask for figures by team. */
export function openTeamWatch(world: World, directory: Directory, limits: Limits): TeamWatch | null {
  const { config, clock, every, metrics, onStop } = world
  if (!config.settings.metrics_by_team) return null
  const watch = new TeamWatch({
    readBudgets: () => readTeamBudgets(directory, directory.teams(), limits, clock()),
    every,
    showTeams: metrics.showTeams,
  })
  onStop(watch.stop)
  return watch
}

function addKnown(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : one + other
}
