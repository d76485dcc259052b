// Plans the sample calls that cost nothing: refused by a limit or a rule, or failed at the provider.
import type { RefusalFigures } from '@fairgate/contracts/errors/api-error.ts'
import type { CallOutcome } from '../../../server/src/ledger/call-record.ts'
import { type PastTeam, teamBudget } from './cast.ts'
import type { PastCall } from './plan-past.ts'

/** Limits of each sample key, in requests and tokens per minute; see `buildPastEvent`. */
export const keyLimits = { rpm: 30, tpm: 400_000, parallel: 4 } as const

type Kind = {
  readonly code: string
  readonly status: number
  readonly outcome: CallOutcome
  readonly refusal: ((at: number) => RefusalFigures) | null
}

const soon = (at: number) => new Date(at + 20_000).toISOString()

const kinds = {
  requests: {
    code: 'rpm_exceeded',
    status: 429,
    outcome: 'refused',
    refusal: at => ({
      level: 'key',
      limit: `${keyLimits.rpm}`,
      used: `${keyLimits.rpm}`,
      held: '0',
      reset: soon(at),
    }),
  },
  tokens: {
    code: 'tpm_exceeded',
    status: 429,
    outcome: 'refused',
    refusal: at => ({ level: 'key', limit: `${keyLimits.tpm}`, used: '391204', held: '0', reset: soon(at) }),
  },
  parallel: {
    code: 'parallel_exceeded',
    status: 429,
    outcome: 'refused',
    refusal: () => ({
      level: 'key',
      limit: `${keyLimits.parallel}`,
      used: `${keyLimits.parallel}`,
      held: '0',
      reset: null,
    }),
  },
  budget: {
    code: 'budget_exceeded',
    status: 429,
    outcome: 'refused',
    refusal: () => ({ level: 'team', limit: `${teamBudget}`, used: `${teamBudget}`, held: '0', reset: null }),
  },
  model: { code: 'model_not_allowed', status: 403, outcome: 'refused', refusal: null },
  request: { code: 'invalid_request', status: 400, outcome: 'refused', refusal: null },
  upstream: { code: 'upstream_error', status: 502, outcome: 'failed', refusal: null },
  timeout: { code: 'upstream_timeout', status: 504, outcome: 'failed', refusal: null },
} as const satisfies Readonly<Record<string, Kind>>

/** Failures that any team can meet, in turn. */
const usual = [
  'requests',
  'request',
  'upstream',
  'model',
  'tokens',
  'parallel',
  'timeout',
  'requests',
] as const
const usualEvery = 14

export type RefusalsInput = {
  readonly team: PastTeam
  /** Unix ms. */
  readonly now: number
  readonly random: () => number
  /** The charged calls, between which the others fall. */
  readonly calls: readonly PastCall[]
}

export function planRefusals({ team, now, random, calls }: RefusalsInput): PastCall[] {
  const offset = Math.floor(random() * usual.length)
  const among = calls
    .filter((_, index) => index % usualEvery === usualEvery - 1)
    .map((call, index) => {
      const name = usual[(index + offset) % usual.length] ?? 'requests'
      return refuse(call, call.at + 200, kinds[name], 1 + Math.floor(random() * 3))
    })
  const byMember = Map.groupBy(calls, ({ member }) => member)
  const last = [...byMember.values()].flatMap(own => own.at(-1) ?? [])
  const [first, second] = last
  if (first === undefined || second === undefined) return among
  if (team.role === 'budget_spent')
    return [
      ...among,
      ...[38, 21, 9, 3].map((minutes, index) =>
        refuse(index % 2 === 0 ? first : second, now - minutes * 60_000, kinds.budget, 1 + index),
      ),
    ]
  if (team.role === 'refused_now')
    return [
      ...among,
      ...[4, 2.5, 1].map((minutes, index) =>
        refuse(index % 2 === 0 ? first : second, now - minutes * 60_000, kinds.requests, 18 + 5 * index),
      ),
    ]
  return among
}

/** A call like `call` without a result; `count` equal ones within half a minute. */
function refuse(
  call: PastCall,
  at: number,
  { code, status, outcome, refusal }: Kind,
  count: number,
): PastCall {
  return {
    ...call,
    at,
    outcome,
    code,
    status,
    refusal: refusal?.(at) ?? null,
    units: {},
    cost: 0,
    flag: null,
    texts: null,
    durationMs: outcome === 'failed' ? 2400 : 3,
    firstByteMs: null,
    count: outcome === 'failed' ? 1 : count,
    lastAt: outcome === 'failed' || count === 1 ? at : at + 30_000,
  }
}
