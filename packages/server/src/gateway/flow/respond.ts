// Respond: the headers of a reply, with what the call cost and what is left of the windows.
import { retirementHeaders } from '../../catalog/retirement.ts'
import { formatUsd } from '../../ledger/money.ts'
import type { RateSnapshot } from '../../limits/port.ts'
import type { Admitted } from './admit.ts'
import type { Metered } from './meter.ts'

/**
 * The tightest window that applies, on 200 and on 429: `x-ratelimit-{limit,remaining,reset}-{requests,tokens}`, with the reset as
 * OpenAI writes it (`12s`). Absent where no limit applies.
 */
export function rateHeaders(rates: RateSnapshot): Record<string, string> {
  const headers: Record<string, string> = {}
  const { requests, tokens } = rates
  // Names written out: put together for each call they are six texts each time.
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

/** Of a window, which is a minute long: written once, and not for each call. */
const resetTexts = Array.from({ length: 61 }, (_, seconds) => `${seconds}s`)

/** Headers known before the call is made: windows, the end of the model, and the output cap when the budget reduced it. */
export function admissionHeaders({ rates, hold, model }: Admitted): Record<string, string> {
  const headers = rateHeaders(rates)
  if (model.retiresOn !== null) Object.assign(headers, retirementHeaders(model, hold.admittedAt))
  if (hold.reduced && hold.outputCap !== null) headers['x-gateway-output-cap'] = String(hold.outputCap)
  return headers
}

/** Headers of a reply whose charge is on disk. */
export function settledHeaders(admitted: Admitted, { cost }: Pick<Metered, 'cost'>): Record<string, string> {
  const headers = admissionHeaders(admitted)
  headers['x-gateway-response-cost'] = formatUsd(cost)
  return headers
}
