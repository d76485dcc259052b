// The rows of the audit that one action on many teams has left are one item.
import type { AuditRow } from '@fairgate/contracts/management/audit.ts'

/** Rows of one action follow one another; the order stays. Each group has a row at least. */
export function groupBulk(rows: readonly AuditRow[]): readonly (readonly [AuditRow, ...AuditRow[]])[] {
  const groups: [AuditRow, ...AuditRow[]][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (last !== undefined && row.bulk_id !== undefined && last[0].bulk_id === row.bulk_id) last.push(row)
    else groups.push([row])
  }
  return groups
}
