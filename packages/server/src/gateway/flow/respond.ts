// Respond: the headers of a reply, with the cost of the call and what is left of the windows, and the 429 of a limit that refuses.
import { ApiError, type RefusalFigures } from '@fairgate/contracts/errors/api-error.ts'
import { retirementHeaders } from '../../catalog/retirement.ts'
import { describeRefusal } from '../../ledger/admission.ts'
import { formatUsd, nanoDollars } from '../../ledger/money.ts'
import type { RateSnapshot, Refusal } from '../../limits/port.ts'
import type { Admitted } from './admitted.ts'
import type { Metered } from './meter.ts'

/**
 * The tightest window that applies, on 200 and on 429: `x-ratelimit-{limit,remaining,reset}-{requests,tokens}`, with the reset as
 * OpenAI writes it (`12s`). Absent if no limit applies.
 */
export function rateHeaders(rates: RateSnapshot): Record<string, string> {
  const headers: Record<string, string> = {}
  const { requests, tokens } = rates
  // Names written out: building them would create six strings per call.
  if (requests !== null) {
    headers['x-ratelimit-limit-requests'] = String(requests.limit)
    headers['x-ratelimit-remaining-requests'] = String(requests.remaining)
    headers['x-ratelimit-reset-requests'] = writeReset(requests)
  }
  if (tokens !== null) {
    headers['x-ratelimit-limit-tokens'] = String(tokens.limit)
    headers['x-ratelimit-remaining-tokens'] = String(tokens.remaining)
    headers['x-ratelimit-reset-tokens'] = writeReset(tokens)
  }
  return headers
}

function writeReset({ resetMs }: { readonly resetMs: number }): string {
  const seconds = Math.ceil(resetMs / 1000)
  return resetTexts[seconds] ?? `${seconds}s`
}

/** The reset of a window, which is a minute long: created once, not per call. */
const resetTexts = Array.from({ length: 61 }, (_, seconds) => `${seconds}s`)

/** Headers known before the call is made: windows, the end of the model, and the output cap when the budget reduced it. */
export function admissionHeaders({ rates, hold, model }: Admitted): Record<string, string> {
  const headers = rateHeaders(rates)
  if (model.retiresOn !== null) Object.assign(headers, retirementHeaders(model, hold.admittedAt))
  if (hold.reduced && hold.outputCap !== null) headers['x-gateway-output-cap'] = String(hold.outputCap)
  return headers
}

/** Headers of a reply after its charge is on disk. */
export function settledHeaders(admitted: Admitted, { cost }: Pick<Metered, 'cost'>): Record<string, string> {
  const headers = admissionHeaders(admitted)
  headers['x-gateway-response-cost'] = formatUsd(cost)
  return headers
}

export function refuse(refusal: Refusal, rates: RateSnapshot): ApiError {
  const { code, level } = refusal
  const figures = readFigures(refusal)
  const headers: Record<string, string> = {
    ...rateHeaders(rates),
    'x-gateway-limit-level': level,
    'x-gateway-limit': figures.limit,
    'x-gateway-limit-used': figures.used,
    'x-gateway-limit-held': figures.held,
  }
  if (figures.reset !== null) headers['x-gateway-limit-reset'] = figures.reset
  if (refusal.retryAfterSeconds !== null)
    headers['retry-after'] = String(Math.max(1, Math.ceil(refusal.retryAfterSeconds)))
  // OpenAI's clients retry a 429 by themselves, but retrying does not bring a spent budget back.
  if (code === 'budget_exceeded') headers['x-should-retry'] = 'false'
  return new ApiError(code, { message: describeRefusal(code, level, figures), headers, refusal: figures })
}

export function readFigures(refusal: Refusal): RefusalFigures {
  const { level, limit, used, held, resetAt } = refusal
  return {
    level,
    limit: figure(refusal, limit),
    used: figure(refusal, used),
    held: figure(refusal, held),
    reset: resetAt === null ? null : new Date(resetAt).toISOString(),
  }
}

function figure(refusal: Refusal, value: number): string {
  // A correction may have raised spending to the highest amount, and calls are added on top.
  return isMoney(refusal) ? formatUsd(nanoDollars(Math.min(value, Number.MAX_SAFE_INTEGER))) : String(value)
}

function isMoney(refusal: Refusal): boolean {
  return refusal.code === 'budget_exceeded' || refusal.code === 'budget_held'
}
