// What each team may spend in its present period and has spent of it, and the same for the event: grants and phases counted in.
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
  /** Unix ms: when the present period began. */
  readonly periodStart: number
  /** Unix ms: when the next one begins; null when none does. */
  readonly periodEnd: number | null
  readonly spent: NanoDollars
  readonly held: NanoDollars
  /** Grants included; null where nothing limits the team. */
  readonly budget: NanoDollars | null
}

export type TeamBudgets = {
  /** In the order of their creation. */
  readonly teams: readonly TeamBudget[]
  /** Of all teams together; `cap` is null where the event has none. */
  readonly event: Spend & { readonly cap: NanoDollars | null }
}

/** `now` in Unix ms. However many teams there are, the limits are asked once. Rejects as the limits do. */
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

/** As `buildLevels` limits the team: the budget of the phase takes the place of its own, and what was granted in the period is added. */
export function budgetOf(
  { maxBudget, granted = null }: Team,
  event: Pick<EventLimits, 'teamBudget'> | null,
  periodStart: number,
): NanoDollars | null {
  const maximum = event?.teamBudget ?? maxBudget
  return maximum === null ? null : maximumIn({ level: 'team', maximum, granted }, periodStart)
}
