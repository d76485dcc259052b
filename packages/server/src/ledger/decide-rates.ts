// Decides 429 rpm_exceeded and tpm_exceeded: whether the windows have room for one more call. All levels are checked before any is changed,
// so a refusal consumes nothing. If processes share PostgreSQL, its function admit_2 decides the same
// (store/postgres/functions/admit-2.ts).
import type { LimitLevel, RateSnapshot, Refusal, WindowSnapshot } from './admission.ts'
import type { RequestWindow } from './request-window.ts'
import { clipReservation, type TokenReservation, type TokenWindow } from './token-window.ts'

type Looks = 'count' | 'nextFreeAt' | 'emptyAt'

/** Inputs of a decision about the windows of one level, wherever they are; null if that level has no limit. */
export type CountedLevel = {
  readonly level: LimitLevel
  readonly requests: { readonly limit: number; readonly window: Pick<RequestWindow, Looks> } | null
  readonly tokens: { readonly limit: number; readonly window: Pick<TokenWindow, Looks> } | null
}

/** The in-memory windows of one level, from which a call takes its share. */
export type RateLevel = CountedLevel & {
  readonly requests: { readonly limit: number; readonly window: RequestWindow } | null
  readonly tokens: { readonly limit: number; readonly window: TokenWindow } | null
}

/** Amounts that a call takes from every level's windows. */
export type RateDemand = {
  readonly countsRequest: boolean
  readonly tokens: { readonly input: number; readonly output: number }
}

/** Data needed to settle what was reserved in one level's token window. */
export type TakenTokens = { readonly window: TokenWindow; readonly reservation: TokenReservation }

/**
 * The refusal, or null if every window has room. Requests come before tokens; among windows of a kind, the one that frees last is named.
 * `retryAfterSeconds` holds for all windows together, not only for the one named.
 */
export function decideRates(
  levels: readonly CountedLevel[],
  demand: RateDemand,
  now: number,
): Refusal | null {
  let requests: Refusal | null = null
  let tokens: Refusal | null = null
  for (const level of levels) {
    if (demand.countsRequest) requests = later(requests, refuseRequest(level, now))
    if (demand.tokens.input + demand.tokens.output > 0)
      tokens = later(tokens, refuseTokens(level, demand, now))
  }
  const named = requests ?? tokens
  if (named === null) return null
  const last = later(requests, tokens)
  return { ...named, retryAfterSeconds: last === null ? null : secondsUntil(last.resetAt, now) }
}

function refuseRequest({ level, requests }: CountedLevel, now: number): Refusal | null {
  if (requests === null) return null
  const { limit, window } = requests
  const used = window.count(now)
  if (used < limit) return null
  const resetAt = window.nextFreeAt(limit, now)
  return {
    code: 'rpm_exceeded',
    level,
    limit,
    used,
    held: 0,
    resetAt,
    retryAfterSeconds: secondsUntil(resetAt, now),
  }
}

function refuseTokens({ level, tokens }: CountedLevel, demand: RateDemand, now: number): Refusal | null {
  if (tokens === null) return null
  const { limit, window } = tokens
  const wanted = clipReservation(demand.tokens, limit)
  const used = window.count(now)
  if (used + wanted <= limit) return null
  const resetAt = window.nextFreeAt(wanted, limit, now)
  return {
    code: 'tpm_exceeded',
    level,
    limit,
    used,
    held: 0,
    resetAt,
    retryAfterSeconds: secondsUntil(resetAt, now),
  }
}

/** The refusal that lasts longer; never (null) is the longest, and the first wins a tie. */
function later(left: Refusal | null, right: Refusal | null): Refusal | null {
  if (left === null || right === null) return left ?? right
  const leftEnd = left.resetAt ?? Number.POSITIVE_INFINITY
  const rightEnd = right.resetAt ?? Number.POSITIVE_INFINITY
  return rightEnd > leftEnd ? right : left
}

function secondsUntil(moment: number | null, now: number): number | null {
  return moment === null ? null : Math.max(1, Math.ceil((moment - now) / 1000))
}

/** Takes the call's share of every window. Call it only after `decideRates` returned null at the same `now`. */
export function takeRates(levels: readonly RateLevel[], demand: RateDemand, now: number): TakenTokens[] {
  const taken: TakenTokens[] = []
  const takesTokens = demand.tokens.input + demand.tokens.output > 0
  for (const { requests, tokens } of levels) {
    if (requests !== null && demand.countsRequest) requests.window.add(now)
    if (tokens !== null && takesTokens) {
      const { window, limit } = tokens
      taken.push({ window, reservation: window.reserve(clipReservation(demand.tokens, limit), now) })
    }
  }
  return taken
}

export function snapshotRates(levels: readonly CountedLevel[], now: number): RateSnapshot {
  let requests: WindowSnapshot | null = null
  let tokens: WindowSnapshot | null = null
  for (const level of levels) {
    if (level.requests !== null) requests = tighter(requests, level.requests, now)
    if (level.tokens !== null) tokens = tighter(tokens, level.tokens, now)
  }
  return { requests, tokens }
}

type CountedWindow = { readonly limit: number; readonly window: Pick<RequestWindow, 'count' | 'emptyAt'> }

function tighter(best: WindowSnapshot | null, { limit, window }: CountedWindow, now: number): WindowSnapshot {
  const remaining = Math.max(0, limit - window.count(now))
  if (best !== null && best.remaining <= remaining) return best
  return { limit, remaining, resetMs: Math.max(0, window.emptyAt(now) - now) }
}
