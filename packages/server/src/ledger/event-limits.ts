// What an event means for limits at a moment: its cap over all teams, and what the phase that covers the moment sets.
import type { NanoDollars } from './money.ts'

/** As far as limits depend on it. It holds in [from, until), Unix ms; `until` null: without end. */
export type PhaseTimes = {
  readonly from: number
  readonly until: number | null
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

/** Of the moment `now` (Unix ms); null where the event limits nothing. Between phases and after the last one only cap and periods stay. */
export function limitsOfEvent({ capNano, phases }: EventTimes, now: number): EventLimits | null {
  if (capNano === null && phases.length === 0) return null
  const covering = phases.find(({ from, until }) => from <= now && (until === null || now < until))
  const begun = phases.filter(({ from, accounting }) => accounting === 'new' && from <= now)
  const next = phases.find(({ from }) => from > now)
  return {
    cap: capNano,
    teamBudget: covering?.budgetNano ?? null,
    since: begun.at(-1)?.from ?? null,
    until: covering === undefined ? (next?.from ?? null) : covering.until,
  }
}
