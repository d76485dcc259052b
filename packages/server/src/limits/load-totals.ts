// Fills the limits with what the database says was spent, before the first call is admitted.
import { nanoDollars } from '../ledger/money.ts'
import type { TotalRow } from '../store/statements/charges.ts'
import type { Limits, OwnerRef } from './port.ts'

/** Throws on an owner that this version does not know, rather than forgetting money. */
export function loadTotals(limits: Pick<Limits, 'load'>, rows: readonly TotalRow[]): void {
  limits.load(
    rows.map(row => ({
      owner: parseOwner(row.owner),
      periodStart: row.period_start,
      spent: nanoDollars(row.spent_nano),
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
