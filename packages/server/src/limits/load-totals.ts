// Fills the limits with what the database says was spent, before the first call is admitted.
import type { OwnerSpend } from '../store/statements/charges.ts'
import type { MemoryLimits } from './memory/create-memory-limits.ts'
import type { OwnerRef } from './port.ts'

/** Throws on an owner that this version does not know, rather than forgetting money. */
export function loadTotals(limits: Pick<MemoryLimits, 'load'>, totals: readonly OwnerSpend[]): void {
  limits.load(
    totals.map(({ teamId, owner, periodStart, spent }) => ({
      owner: parseOwner(teamId, owner),
      periodStart,
      spent,
    })),
  )
}

function parseOwner(teamId: string, text: string): OwnerRef {
  if (text === 'event') return { kind: 'event' }
  const [kind, first, ...others] = text.split(':')
  if (kind === 'team' && first !== undefined) return { kind: 'team', teamId: [first, ...others].join(':') }
  if (kind === 'key' && first !== undefined) return { kind: 'key', teamId, keyHash: first }
  if (kind === 'key_model' && first !== undefined)
    return { kind: 'key_model', teamId, keyHash: first, modelId: others.join(':') }
  throw new Error(`The totals table names an unknown owner "${text}".`)
}
