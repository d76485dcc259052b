// The event: its name, its phases, and what applies at a given moment. Pure rules; times are Unix ms, money is nano-dollars.
import { lastOpenPhase } from '../../ledger/event-limits.ts'
import type { NanoDollars } from '../../ledger/money.ts'
import type { BoardLock } from '../../store/statements/boards.ts'

export type Phase = {
  readonly name: string
  /** The phase covers [from, until). */
  readonly from: number
  /** Null: no end. Only the last phase may have none. */
  readonly until: number | null
  readonly gateway: 'open' | 'closed'
  /** Canonical ids; null for all models. */
  readonly models: readonly string[] | null
  /** Replaces every team's budget until the phase ends. */
  readonly budgetNano: NanoDollars | null
  /** `new`: teams and keys start a new budget period at `from`. */
  readonly accounting: 'new' | 'continue'
  /** Locks the boards at `lockOf(phase)`; entries from before are accepted until then. Null locks nothing. */
  readonly entriesUntil: number | null
}

export type Event = {
  readonly name: string
  /** IANA name: the zone for times without an offset, and for times that participants see. */
  readonly timeZone: string
  /** The max that all teams together may spend. */
  readonly capNano: NanoDollars | null
  /** In order, without overlap. */
  readonly phases: readonly Phase[]
  readonly paused: { readonly since: number; readonly reason: string } | null
  /** Ended manually: from `at` on the gateway is closed and the boards are locked, regardless of phases. */
  readonly ended: {
    readonly at: number
    /** Entries that happened before `at` are accepted until then. */
    readonly entriesUntil: number
    readonly reason: string
  } | null
}

/** The event before anything is set. It limits nothing. */
export const emptyEvent: Event = Object.freeze({
  name: '',
  timeZone: 'UTC',
  capNano: null,
  phases: [],
  paused: null,
  ended: null,
})

export type GatewayState =
  /** `until`: when to evaluate it again; null if nothing ends it. */
  | { readonly kind: 'open'; readonly phase: Phase | null; readonly until: number | null }
  | { readonly kind: 'paused'; readonly since: number; readonly reason: string }
  | {
      readonly kind: 'closed'
      /** When it was last open; null if it has not been open yet. */
      readonly since: number | null
      /** When it opens by itself; null if it does not. */
      readonly opensAt: number | null
      /** An organiser ended the event. */
      readonly isEnded: boolean
    }

/** Decides whether paid calls are accepted at `now`. The end of a phase belongs to what comes after it. */
export function gatewayAt(event: Event, now: number): GatewayState {
  const { phases, paused, ended } = event
  if (ended !== null && ended.at <= now)
    return { kind: 'closed', since: ended.at, opensAt: null, isEnded: true }
  const phase = phaseAt(event, now)
  if (phase?.gateway === 'closed' || (phase === null && phases.length > 0)) return closedAt(event, now)
  if (paused !== null) return { kind: 'paused', ...paused }
  return { kind: 'open', phase, until: earliest(phase?.until ?? null, ended?.at ?? null) }
}

/**
 * Until when money can be spent from one budget: the end of its period or of the gateway's opening, whichever comes first; `now` while the
 * gateway is paused or closed. Null: no end. `periodEnd`: Unix ms.
 */
export function spendableUntil(event: Event, periodEnd: number | null, now: number): number | null {
  const gateway = gatewayAt(event, now)
  return earliest(periodEnd, gateway.kind === 'open' ? gateway.until : now)
}

/** True if a refusal comes from an event-wide setting of the organisers and says nothing about the team. */
export function isEventRefusal(code: string | null): boolean {
  return code === 'event_paused' || code === 'contest_closed'
}

export function phaseAt({ phases }: Pick<Event, 'phases'>, now: number): Phase | null {
  return phases.find(({ from, until }) => from <= now && (until === null || now < until)) ?? null
}

/**
 * Start of the time for which a team's calls are counted (Unix ms): the start of the open phase, also after its end; before the first
 * phase, a day ago.
 */
export function countedSince({ phases }: Pick<Event, 'phases'>, now: number): number {
  return lastOpenPhase(phases, now)?.from ?? now - dayMs
}

const dayMs = 86_400_000

function closedAt({ phases, ended }: Event, now: number): GatewayState {
  const open = phases.filter(({ gateway }) => gateway === 'open')
  const last = open.findLast(({ until }) => until !== null && until <= now)
  const next = open.find(({ from }) => from > now)
  const opensAt = next === undefined || (ended !== null && ended.at <= next.from) ? null : next.from
  return { kind: 'closed', since: last?.until ?? null, opensAt, isEnded: false }
}

/** When the gateway closes for good; null if nothing ends it. */
export function endOf({ phases, ended }: Pick<Event, 'phases' | 'ended'>): number | null {
  return ended?.at ?? phases.findLast(({ gateway }) => gateway === 'open')?.until ?? null
}

/** When the gateway or the phase next changes by itself; null if nothing is set. */
export function nextChange({ phases, ended }: Event, now: number): number | null {
  const moments = [
    ...phases.flatMap(({ from, until }) => (until === null ? [from] : [from, until])),
    ...(ended === null ? [] : [ended.at]),
  ]
  const coming = moments.filter(moment => moment > now && (ended === null || moment <= ended.at))
  return coming.length === 0 ? null : Math.min(...coming)
}

/** When a phase locks the boards: at its end, or at its start if the gateway is closed. Null if never. */
export function lockOf({ gateway, from, until }: Pick<Phase, 'gateway' | 'from' | 'until'>): number | null {
  return gateway === 'closed' ? from : until
}

/** When the boards of all teams are locked. The next open phase opens them. */
export function boardLocksOf({ phases, ended }: Pick<Event, 'phases' | 'ended'>): BoardLock[] {
  const locks = phases.flatMap((phase): BoardLock[] => {
    const closesAt = lockOf(phase)
    if (phase.entriesUntil === null || closesAt === null) return []
    const next = phases.find(({ gateway, from }) => gateway === 'open' && from >= closesAt)
    const reopensAt = next?.from ?? null
    return reopensAt === closesAt ? [] : [{ closesAt, lateUntil: phase.entriesUntil, reopensAt }]
  })
  return ended === null
    ? locks
    : [...locks, { closesAt: ended.at, lateUntil: ended.entriesUntil, reopensAt: null }]
}

/** How long (ms) entries from before are accepted after an end at `at`: as long as after the next end that the phases set, otherwise 0. */
export function graceAt({ phases }: Pick<Event, 'phases'>, at: number): number {
  const next = boardLocksOf({ phases, ended: null }).find(({ closesAt }) => closesAt > at)
  return next === undefined ? 0 : next.lateUntil - next.closesAt
}

function earliest(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other
  return Math.min(one, other)
}

/** Moves the end of a phase and everything after it by `span` ms; anything earlier is unchanged. */
export function extendPhase(event: Event, phase: Phase, span: number): Event {
  const index = event.phases.indexOf(phase)
  const move = (moment: number | null) => (moment === null ? null : moment + span)
  const phases = event.phases.map((each, place): Phase => {
    if (place < index) return each
    // A closed phase's time for entries counts from its start, which does not move if that phase itself is extended.
    const isLockMoved = place > index || each.gateway === 'open'
    return {
      ...each,
      from: place === index ? each.from : each.from + span,
      until: move(each.until),
      entriesUntil: isLockMoved ? move(each.entriesUntil) : each.entriesUntil,
    }
  })
  return { ...event, phases }
}
