// Inputs and results of an admission: estimate, levels, refusals and their messages, and what is left of the windows.

import type { RefusalFigures } from '@fairgate/contracts/errors/api-error.ts'
import type { NanoDollars } from './money.ts'
import type { PriceTable, Unit } from './price.ts'

/** The max cost of a call. */
export type CallEstimate =
  | { readonly kind: 'none' }
  | { readonly kind: 'fixed'; readonly cost: NanoDollars }
  | TokenEstimate

export type TokenEstimate = {
  readonly kind: 'tokens'
  /** Choices; each is billed as a separate call. */
  readonly count: number
  /** Ceiling of the input tokens of one choice. */
  readonly inputTokens: number
  readonly price: PriceTable
  /** Units that the input and the output may be billed as; only text if absent. */
  readonly inputUnits?: readonly [Unit, ...Unit[]]
  readonly outputUnits?: readonly [Unit, ...Unit[]]
  /** Output cap of one choice, requested or by default. */
  readonly askedOutput: number
  /** The cap is never reduced below this: min(asked, the smallest useful answer). */
  readonly minimumOutput: number
  /** False if the cap may not be changed: the call is refused instead. */
  readonly reducible: boolean
  /** Estimates for the models that may serve instead: the hold covers the most expensive of all. */
  readonly alternatives?: readonly TokenEstimate[]
}

/** Level of a limit. Team levels are shared by all keys of the team (spec 5.2), that of the event by all teams. */
export type LimitLevel = 'service_model' | 'team' | 'team_model' | 'key' | 'key_model' | 'event'

/** Figures are requests, tokens, running calls, or nano-dollars for the two budget codes. */
export type Refusal = {
  readonly code: 'rpm_exceeded' | 'tpm_exceeded' | 'parallel_exceeded' | 'budget_exceeded' | 'budget_held'
  readonly level: LimitLevel
  readonly limit: number
  readonly used: number
  readonly held: number
  /** Unix ms: when the refusing limit has room for this call, or when the budget period ends; null if never or unknown. */
  readonly resetAt: number | null
  /** Whole seconds after which all windows have room for this call if nothing else comes; null if waiting does not help. */
  readonly retryAfterSeconds: number | null
}

/** One window: how much is left, and how long until it is empty again. */
export type WindowSnapshot = { readonly limit: number; readonly remaining: number; readonly resetMs: number }

/** The tightest windows that apply to a call; null if none does. */
export type RateSnapshot = {
  readonly requests: WindowSnapshot | null
  readonly tokens: WindowSnapshot | null
}

const levelNames: Readonly<Record<LimitLevel, string>> = {
  service_model: 'the service for this model',
  team: 'the team',
  team_model: 'the team for this model',
  key: 'the key',
  key_model: 'the key for this model',
  event: 'the event, over all teams,',
}

export function describeRefusal(
  code: Refusal['code'],
  level: LimitLevel,
  { limit, used, held, reset: resetAt }: Omit<RefusalFigures, 'level'>,
): string {
  const whose = levelNames[level]
  const reset = resetAt === null ? '' : ` Resets at ${resetAt}.`
  switch (code) {
    case 'budget_exceeded':
      return `Budget has been exceeded! The budget of ${whose} is ${limit} USD, ${used} USD is spent, and this call could cost more than what is left.${reset}`
    case 'budget_held':
      return `The budget of ${whose} is ${limit} USD, ${used} USD is spent and ${held} USD is held by running calls. Try again when they have ended.`
    case 'rpm_exceeded':
      return `Rate limit exceeded for ${whose}. Limit type: requests per minute. Limit: ${limit}, used: ${used}.${reset}`
    case 'tpm_exceeded':
      return `Rate limit exceeded for ${whose}. Limit type: tokens per minute. Limit: ${limit}, used or reserved: ${used}.${reset}`
    case 'parallel_exceeded':
      return `Rate limit exceeded for ${whose}. Limit type: max_parallel_requests. Limit: ${limit}, running: ${used}.`
  }
}

/** True if a record's text is a known level. */
export function isLevel(text: string): text is LimitLevel {
  return Object.hasOwn(levelNames, text)
}
