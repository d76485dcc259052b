// The columns that teams and keys share ⇄ their members in memory.
import Type from 'typebox'
import { nanoDollars } from '../ledger/money.ts'
import type { TeamsTable } from '../store/schema/directory.ts'
import { readJsonColumn } from './json-column.ts'
import type { JsonObject, Team } from './types.ts'

export type Owner = Omit<Team, 'teamId' | 'alias'>
type OwnerColumns = Omit<TeamsTable, 'team_id' | 'alias'>

const jsonObject = Type.Record(Type.String(), Type.Unknown())
const limitByModel = Type.Record(Type.String(), Type.Integer({ minimum: 0 }))
const metadataSchema = Type.Object({
  model_rpm_limit: Type.Optional(limitByModel),
  model_tpm_limit: Type.Optional(limitByModel),
})
const informationalSchema = Type.Object({
  organization_id: Type.Optional(Type.String()),
  members_with_roles: Type.Optional(Type.Array(Type.Unknown())),
  config: Type.Optional(jsonObject),
  permissions: Type.Optional(jsonObject),
  allowed_cache_controls: Type.Optional(Type.Array(Type.Unknown())),
})

export function toOwnerColumns(owner: Owner): OwnerColumns {
  return {
    models: JSON.stringify(owner.models),
    blocked: owner.blocked === null ? null : Number(owner.blocked),
    max_budget_nano: owner.maxBudget,
    budget_duration: owner.budgetDuration,
    budget_anchor: owner.budgetAnchor,
    rpm_limit: owner.rpmLimit,
    tpm_limit: owner.tpmLimit,
    metadata: JSON.stringify(owner.metadata),
    informational: JSON.stringify(owner.informational ?? {}),
    created_at: owner.createdAt,
    updated_at: owner.updatedAt,
    created_by: owner.createdBy,
    updated_by: owner.updatedBy,
  }
}

/** Throws when a column holds what was never written. */
export function fromOwnerColumns(row: OwnerColumns): Owner {
  const metadata = readJsonColumn('metadata', metadataSchema, row.metadata)
  return {
    models: readJsonColumn('models', Type.Array(Type.String()), row.models),
    blocked: row.blocked === null ? null : row.blocked === 1,
    maxBudget: row.max_budget_nano === null ? null : nanoDollars(row.max_budget_nano),
    budgetDuration: row.budget_duration,
    budgetAnchor: row.budget_anchor,
    rpmLimit: row.rpm_limit,
    tpmLimit: row.tpm_limit,
    modelRpmLimit: new Map(Object.entries(metadata.model_rpm_limit ?? {})),
    modelTpmLimit: new Map(Object.entries(metadata.model_tpm_limit ?? {})),
    metadata: metadata satisfies JsonObject,
    informational: readJsonColumn('informational', informationalSchema, row.informational),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    createdBy: row.created_by,
    updatedBy: row.updated_by,
  }
}
