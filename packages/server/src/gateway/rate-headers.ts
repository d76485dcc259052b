// The OpenAI-style rate-limit headers of a reply: the tightest window that applies, on 200 and on 429.
import type { RateSnapshot } from '../limits/port.ts'

/** `x-ratelimit-{limit,remaining,reset}-{requests,tokens}`; reset as OpenAI writes it (`12s`). Absent where no limit applies. */
export function rateHeaders(rates: RateSnapshot): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const kind of ['requests', 'tokens'] as const) {
    const rate = rates[kind]
    if (rate === null) continue
    headers[`x-ratelimit-limit-${kind}`] = String(rate.limit)
    headers[`x-ratelimit-remaining-${kind}`] = String(rate.remaining)
    headers[`x-ratelimit-reset-${kind}`] = `${Math.ceil(rate.resetMs / 1000)}s`
  }
  return headers
}
