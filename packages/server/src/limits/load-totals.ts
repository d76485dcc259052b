// Fills the limits with what the database says was spent, before the first call is admitted.
import { nanoDollars } from '../ledger/money.ts'
import type { OwnerSpend } from '../store/statements/charges.ts'
import type { Limits, OwnerRef } from './port.ts'

/** Throws on an owner that this version does not know, rather than forgetting money. */
export function loadTotals(limits: Pick<Limits, 'load'>, totals: readonly OwnerSpend[]): void {
  limits.load(
    totals.map(({ owner, periodStart, spent }) => ({
      owner: parseOwner(owner),
      periodStart,
      spent: nanoDollars(spent),
    })),
  )
}

function parseOwner(text: string): OwnerRef {
  const [kind, ...rest] = text.split(':')
  const [first, ...others] = rest
  if (kind === 'team' && first !== undefined) return { kind: 'team', teamId: rest.join(':') }
  if (kind === 'key' && first !== undefined) return { kind: 'key', keyHash: first }
  if (kind === 'key_model' && first !== undefined)
    return { kind: 'key_model', keyHash: first, modelId: others.join(':') }
  throw new Error(`The totals table names an unknown owner "${text}".`)
}
