// The record of management changes as lines for people: who, what, and which members became what.
import type { AuditPage, AuditRow } from '@fairgate/contracts/management/audit.ts'
import { formatTable } from './format-table.ts'
import { absent } from './format-values.ts'

export function describeAudit({ items }: AuditPage): string {
  if (items.length === 0) return 'No changes recorded.'
  return formatTable(
    ['ID', 'AT', 'ACTOR', 'ACTION', 'TEAM', 'TARGET', 'CHANGED'],
    items.map(row => [
      String(row.id),
      row.at,
      row.actor,
      row.action,
      row.team_id,
      row.target === row.team_id ? absent : row.target.slice(0, 16),
      describeChange(row),
    ]),
  )
}

/** The members that differ. Nothing when something was created or deleted as a whole. */
function describeChange({ before, after }: AuditRow): string {
  if (before === null || after === null) return absent
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changes = names.flatMap(name => {
    const [from, to] = [showValue(before[name]), showValue(after[name])]
    return from === to ? [] : [`${name}: ${from} → ${to}`]
  })
  return changes.length === 0 ? absent : changes.join('; ')
}

function showValue(value: unknown): string {
  return JSON.stringify(value) ?? absent
}
