// PostgreSQL hands 64-bit integers over as text: reads the number columns that teams and keys share.
import type { TeamsTable } from '../schema/directory.ts'

type OwnerNumbers = Pick<
  TeamsTable,
  'blocked' | 'max_budget_nano' | 'budget_anchor' | 'rpm_limit' | 'tpm_limit' | 'created_at' | 'updated_at'
>

export function readOwnerColumns(row: OwnerNumbers): OwnerNumbers {
  return {
    blocked: toNumber(row.blocked),
    max_budget_nano: toNumber(row.max_budget_nano),
    budget_anchor: Number(row.budget_anchor),
    rpm_limit: toNumber(row.rpm_limit),
    tpm_limit: toNumber(row.tpm_limit),
    created_at: Number(row.created_at),
    updated_at: Number(row.updated_at),
  }
}

export function toNumber(value: number | null): number | null {
  return value === null ? null : Number(value)
}
