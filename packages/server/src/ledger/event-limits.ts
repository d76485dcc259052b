// What an event means for limits at a moment: its cap over all teams, and what the phase that covers the moment sets.
import type { NanoDollars } from './money.ts'

/** As far as limits depend on it. It holds in [from, until), Unix ms; `until` null: without end. */
export type PhaseTimes = {
  readonly from: number
  readonly until: number | null
  readonly gateway: 'open' | 'closed'
  /** Of each team, in place of its own; null: its own. */
  readonly budgetNano: NanoDollars | null
  /** `new`: teams and their keys begin a new budget period with it. */
  readonly accounting: 'new' | 'continue'
}

/** `phases`: in order, none over another. */
export type EventTimes = { readonly capNano: NanoDollars | null; readonly phases: readonly PhaseTimes[] }

export type EventLimits = {
  /** Over all teams and the whole event; null: none. */
  readonly cap: NanoDollars | null
  /** Of each team, in place of its own; null: its own. */
  readonly teamBudget: NanoDollars | null
  /** Unix ms: when the budget periods of teams and keys last began; null: as their own records say. */
  readonly since: number | null
  /** Unix ms: from then on other limits hold; null: never. */
  readonly until: number | null
}

/**
 * At the moment `now` (Unix ms); null if the event limits nothing. While the gateway is closed, the budget of the last open phase stays: its
 * teams still look at what they had and spent.
 */
export function limitsOfEvent({ capNano, phases }: EventTimes, now: number): EventLimits | null {
  if (capNano === null && phases.length === 0) return null
  const covering = phases.find(({ from, until }) => from <= now && (until === null || now < until))
  const begun = phases.filter(({ from, accounting }) => accounting === 'new' && from <= now)
  const next = phases.find(({ from }) => from > now)
  return {
    cap: capNano,
    teamBudget: lastOpenPhase(phases, now)?.budgetNano ?? null,
    since: begun.at(-1)?.from ?? null,
    until: covering === undefined ? (next?.from ?? null) : covering.until,
  }
}

/** The open phase that covers `now` (Unix ms), else the one before; null before the first. `phases`: in order, none over another. */
export function lastOpenPhase<Phase extends Pick<PhaseTimes, 'from' | 'gateway'>>(
  phases: readonly Phase[],
  now: number,
): Phase | null {
  return phases.findLast(({ from, gateway }) => gateway === 'open' && from <= now) ?? null
}
