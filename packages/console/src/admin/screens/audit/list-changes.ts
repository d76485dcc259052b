// What a change has changed: the members that differ between before and after, as texts.
import type { AuditRow } from '@fairgate/contracts/management/audit.ts'
import { formatCost } from '../../../format/money.ts'

export type Change = { readonly name: string; readonly before: string | null; readonly after: string | null }

export function listChanges({ before, after }: Pick<AuditRow, 'before' | 'after'>): Change[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  return [...names].flatMap(name => {
    const change = { name, before: write(before, name), after: write(after, name) }
    // When it was changed stands at the row itself.
    const isTime = name === 'updated_at' && change.before !== null
    return change.before === change.after || isTime ? [] : [change]
  })
}

/** Null where there is none: a member that is null, like one that is not there, has no value. */
function write(state: AuditRow['before'], name: string): string | null {
  const value = state === null || !Object.hasOwn(state, name) ? null : state[name]
  if (value === null || value === undefined) return null
  if (name.endsWith('_nano') && Number.isSafeInteger(value)) return formatCost(Number(value))
  return typeof value === 'string' ? value : JSON.stringify(value)
}
