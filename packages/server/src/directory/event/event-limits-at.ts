// The event's limits at a moment, as one object for as long as they apply, so that anything derived from it is built once.
import { type EventLimits, limitsOfEvent } from '../../ledger/event-limits.ts'
import type { Event } from './event.ts'

type Known = { readonly from: number; readonly limits: EventLimits | null }

/** Cached per settings object: settings are replaced when they change, and never modified. */
const known = new WeakMap<Event, Known>()

/** `now` in Unix ms. Null if the event limits nothing. */
export function eventLimitsAt(event: Event, now: number): EventLimits | null {
  const found = known.get(event)
  if (found !== undefined && found.from <= now && now < (found.limits?.until ?? Number.POSITIVE_INFINITY))
    return found.limits
  const limits = withEnd(limitsOfEvent(event, now), event, now)
  known.set(event, { from: now, limits })
  return limits
}

/** A planned end limits what applies before it, as the end of a phase does. */
function withEnd(limits: EventLimits | null, { ended }: Event, now: number): EventLimits | null {
  if (ended === null || ended.at <= now) return limits
  const { cap, teamBudget, since, until } = limits ?? nothing
  return { cap, teamBudget, since, until: until === null ? ended.at : Math.min(until, ended.at) }
}

const nothing: EventLimits = { cap: null, teamBudget: null, since: null, until: null }
