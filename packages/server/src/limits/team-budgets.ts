// Reads what each team may spend and has spent in its current period, and the same for the event, including grants and phases.
import type { Directory } from '../directory/create-directory.ts'
import { eventLimitsAt } from '../directory/event/event-limits-at.ts'
import type { Team } from '../directory/types.ts'
import { periodOf } from '../ledger/budget-period.ts'
import type { EventLimits } from '../ledger/event-limits.ts'
import { type NanoDollars, nanoDollars } from '../ledger/money.ts'
import { eventPeriodStart, maximumIn } from './levels.ts'
import type { Limits, OwnerPeriod, Spend } from './port.ts'

export type TeamBudget = {
  readonly team: Team
  /** Start of the current period, Unix ms. */
  readonly periodStart: number
  /** Start of the next period, Unix ms; null if there is none. */
  readonly periodEnd: number | null
  readonly spent: NanoDollars
  readonly held: NanoDollars
  /** Includes grants; null if nothing limits the team. */
  readonly budget: NanoDollars | null
}

export type TeamBudgets = {
  /** In the order of their creation. */
  readonly teams: readonly TeamBudget[]
  /** Sum over all teams; `cap` is null if the event has none. */
  readonly event: Spend & { readonly cap: NanoDollars | null }
}

/** `now` in Unix ms. Asks the limits once, however many teams there are. Rejects as the limits do. */
export async function readTeamBudgets(
  directory: Pick<Directory, 'event'>,
  teams: readonly Team[],
  limits: Pick<Limits, 'readSpend'>,
  now: number,
): Promise<TeamBudgets> {
  const event = eventLimitsAt(directory.event(), now)
  const asked = teams.map(team => {
    const { start, end } = periodOf(team.budgetDuration, team.budgetAnchor, now, event?.since ?? null)
    return {
      team,
      periodStart: start,
      periodEnd: end,
      budget: budgetOf(team, event, start),
    }
  })
  const owners = [
    { owner: { kind: 'event' }, periodStart: eventPeriodStart } as const,
    ...asked.map(
      ({ team: { teamId }, periodStart }): OwnerPeriod => ({ owner: { kind: 'team', teamId }, periodStart }),
    ),
  ]
  const [ofEvent, ...ofTeams] = await limits.readSpend(owners)
  return {
    teams: asked.flatMap((each, index) => {
      const spend = ofTeams[index]
      return spend === undefined ? [] : [{ ...each, spent: spend.spent, held: spend.held }]
    }),
    event: { ...(ofEvent ?? nothing), cap: event?.cap ?? null },
  }
}

const nothing: Spend = { spent: nanoDollars(0), held: nanoDollars(0) }

/** Budget as `buildLevels` limits the team: the budget of the phase replaces the team's own, plus the grants of the period. */
export function budgetOf(
  { maxBudget, granted = null }: Team,
  event: Pick<EventLimits, 'teamBudget'> | null,
  periodStart: number,
): NanoDollars | null {
  const maximum = event?.teamBudget ?? maxBudget
  return maximum === null ? null : maximumIn({ level: 'team', maximum, granted }, periodStart)
}
