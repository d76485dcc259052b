// The limits of an event at a moment: its cap over all teams, and those of the phase that covers the moment.
import type { NanoDollars } from './money.ts'

/** The part of a phase that limits depend on. It applies in [from, until), Unix ms; `until` null: without end. */
export type PhaseTimes = {
  readonly from: number
  readonly until: number | null
  readonly gateway: 'open' | 'closed'
  /** Budget of each team, instead of its own; null: its own. */
  readonly budgetNano: NanoDollars | null
  /** `new`: a new budget period of teams and their keys begins with the phase. */
  readonly accounting: 'new' | 'continue'
}

/** `phases`: in order, without overlaps. */
export type EventTimes = { readonly capNano: NanoDollars | null; readonly phases: readonly PhaseTimes[] }

export type EventLimits = {
  /** Cap over all teams and the whole event; null: none. */
  readonly cap: NanoDollars | null
  /** Budget of each team, instead of its own; null: its own. */
  readonly teamBudget: NanoDollars | null
  /** Unix ms at which the budget periods of teams and keys last began; null: as in their own records. */
  readonly since: number | null
  /** Unix ms from which other limits apply; null: never. */
  readonly until: number | null
}

/**
 * The limits at `now` (Unix ms); null if the event limits nothing. While the gateway is closed, the budget of the last open phase stays,
 * because teams still look at what they had and spent.
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

/** The open phase that covers `now` (Unix ms), else the one before; null before the first. `phases`: in order, without overlaps. */
export function lastOpenPhase<Phase extends Pick<PhaseTimes, 'from' | 'gateway'>>(
  phases: readonly Phase[],
  now: number,
): Phase | null {
  return phases.findLast(({ from, gateway }) => gateway === 'open' && from <= now) ?? null
}
