// Turns a refusal by a limit into the 429 that names it: level, limit, used, held, when it resets and when to try again.
import { ApiError, type RefusalFigures } from '@fairgate/contracts/errors/api-error.ts'
import { describeRefusal } from '../../ledger/describe-refusal.ts'
import { formatUsd, nanoDollars } from '../../ledger/money.ts'
import type { RateSnapshot, Refusal } from '../../limits/port.ts'
import { rateHeaders } from './respond.ts'

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
  // OpenAI's clients repeat a 429 by themselves; a spent budget does not come back by asking again.
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
  // A correction may have brought what was spent to the highest amount, and calls come on top.
  return isMoney(refusal) ? formatUsd(nanoDollars(Math.min(value, Number.MAX_SAFE_INTEGER))) : String(value)
}

function isMoney(refusal: Refusal): boolean {
  return refusal.code === 'budget_exceeded' || refusal.code === 'budget_held'
}
