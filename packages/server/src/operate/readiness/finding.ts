// Findings of the readiness checks: ok, a warning or a fault, each with a fix.
import type { Finding, ReadinessPart } from '@fairgate/contracts/management/readiness.ts'
import { messageOf } from '../../world/message-of.ts'

export type { Finding, ReadinessPart }

/** One, multiple, or none. */
export type Found = Finding | readonly Finding[]

/** Never rejects because of what it checks: that becomes a finding. */
export type Check = (options: CheckOptions) => Promise<Found>

/** `calls`: true if calls that cost money may be made. */
export type CheckOptions = { readonly calls: boolean }

export type Checks = ReadonlyMap<ReadinessPart, Check>

export const ok = (text: string): Finding => ({ state: 'ok', text, fix: null })
export const warning = (text: string, fix: string): Finding => ({ state: 'warning', text, fix })
export const fault = (text: string, fix: string): Finding => ({ state: 'fault', text, fix })

const ranks = { fault: 0, warning: 1, ok: 2 } as const

/** A copy, worst first. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((left, right) => ranks[left.state] - ranks[right.state])
}

/** The worst finding. A check that found nothing has no objection to the part. */
export function worstOf(findings: readonly Finding[]): Finding {
  return sortFindings(findings)[0] ?? ok('nothing to check')
}

/** Resolves after this many ms, or when the signal aborts. */
export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<unknown>

/** A check may use a network. None may keep the others waiting forever. */
export async function runCheck(
  check: Check,
  options: CheckOptions,
  limit: { readonly milliseconds: number; readonly wait: Wait },
): Promise<readonly Finding[]> {
  const ended = new AbortController()
  const overdue = limit
    .wait(limit.milliseconds, ended.signal)
    .then(() =>
      fault(
        `the check had no result after ${limit.milliseconds / 1000} s`,
        'Find out whether the disk or the network of this machine hangs, then check again.',
      ),
    )
  const found = check(options).catch(error =>
    fault(`the check failed: ${messageOf(error)}`, 'Fix the problem in the message, then check again.'),
  )
  const result = await Promise.race([found, overdue])
  ended.abort()
  return [result].flat()
}
