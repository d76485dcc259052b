// Groups the audit rows of one action on many teams into one item.
import type { AuditRow } from '@fairgate/contracts/management/audit.ts'

/** Rows of one action are adjacent, and the order stays. Each group has at least one row. */
export function groupBulk(rows: readonly AuditRow[]): readonly (readonly [AuditRow, ...AuditRow[]])[] {
  const groups: [AuditRow, ...AuditRow[]][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (last !== undefined && row.bulk_id !== undefined && last[0].bulk_id === row.bulk_id) last.push(row)
    else groups.push([row])
  }
  return groups
}
