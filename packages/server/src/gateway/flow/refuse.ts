// Turns a refusal by a limit into the 429 that names it: level, limit, used, held, when it resets and when to try again.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { formatUsd, nanoDollars } from '../../ledger/money.ts'
import type { LimitLevel, RateSnapshot, Refusal } from '../../limits/port.ts'
import { rateHeaders } from './respond.ts'

const levelNames: Readonly<Record<LimitLevel, string>> = {
  service_model: 'the service for this model',
  team: 'the team',
  team_model: 'the team for this model',
  key: 'the key',
  key_model: 'the key for this model',
}

export function refuse(refusal: Refusal, rates: RateSnapshot): ApiError {
  const headers: Record<string, string> = {
    ...rateHeaders(rates),
    'x-gateway-limit-level': refusal.level,
    'x-gateway-limit': figure(refusal, refusal.limit),
    'x-gateway-limit-used': figure(refusal, refusal.used),
    'x-gateway-limit-held': figure(refusal, refusal.held),
  }
  if (refusal.resetAt !== null) headers['x-gateway-limit-reset'] = new Date(refusal.resetAt).toISOString()
  if (refusal.retryAfterSeconds !== null)
    headers['retry-after'] = String(Math.max(1, Math.ceil(refusal.retryAfterSeconds)))
  // OpenAI's clients repeat a 429 by themselves; a spent budget does not come back by asking again.
  if (refusal.code === 'budget_exceeded') headers['x-should-retry'] = 'false'
  return new ApiError(refusal.code, { message: describe(refusal), headers })
}

function figure(refusal: Refusal, value: number): string {
  return isMoney(refusal) ? formatUsd(nanoDollars(value)) : String(value)
}

function isMoney(refusal: Refusal): boolean {
  return refusal.code === 'budget_exceeded' || refusal.code === 'budget_held'
}

function describe(refusal: Refusal): string {
  const whose = levelNames[refusal.level]
  const limit = figure(refusal, refusal.limit)
  const used = figure(refusal, refusal.used)
  const held = figure(refusal, refusal.held)
  const reset = refusal.resetAt === null ? '' : ` Resets at ${new Date(refusal.resetAt).toISOString()}.`
  switch (refusal.code) {
    case 'budget_exceeded':
      return `Budget has been exceeded! The budget of ${whose} is ${limit} USD, ${used} USD are spent, and this call could cost more than the rest.${reset}`
    case 'budget_held':
      return `The budget of ${whose} is ${limit} USD, ${used} USD are spent and ${held} USD are held by running calls. Try again when they have ended.`
    case 'rpm_exceeded':
      return `Rate limit exceeded for ${whose}. Limit type: requests per minute. Limit: ${limit}, used: ${used}.${reset}`
    case 'tpm_exceeded':
      return `Rate limit exceeded for ${whose}. Limit type: tokens per minute. Limit: ${limit}, used or reserved: ${used}.${reset}`
    case 'parallel_exceeded':
      return `Rate limit exceeded for ${whose}. Limit type: max_parallel_requests. Limit: ${limit}, running: ${used}.`
  }
}
