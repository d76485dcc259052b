// The directory's tables: teams, gateway keys, log tokens, and the audit of every change to them.
import type { Generated } from 'kysely'

/** Limits that teams and keys share. Money in nano-dollars, times in Unix ms. */
type OwnerColumns = {
  /** JSON: list of canonical model ids. */
  models: string
  /** 1, 0, or null until first set. */
  blocked: number | null
  max_budget_nano: number | null
  budget_duration: string | null
  /** When the current duration was set. */
  budget_anchor: number
  rpm_limit: number | null
  tpm_limit: number | null
  /** JSON object, with `model_rpm_limit` and `model_tpm_limit` where there are any. */
  metadata: string
  /** JSON object: fields that are shown and otherwise not used. */
  informational: string
  created_at: number
  updated_at: number
  created_by: string
  updated_by: string
} & Versioned

/** The change of the directory that wrote the row last: what it must still be when the next change is written. */
type Versioned = { version: number }

export type TeamsTable = OwnerColumns & {
  team_id: string
  alias: string
}

export type GatewayKeysTable = OwnerColumns & {
  /** Lower-case hex SHA-256 of the secret. */
  key_hash: string
  key_name: string
  alias: string
  team_id: string
  user_id: string
  /** JSON object: alias → canonical model id. */
  aliases: string
  /** JSON object: canonical model id → nano-dollars. */
  model_max_budget: string
  max_parallel_requests: number
  expires_at: number | null
  /** JSON: list of paths. */
  allowed_routes: string
}

export type LogTokensTable = {
  /** Lower-case hex SHA-256 of the secret. */
  token_hash: string
  token_id: string
  token_name: string
  team_id: string
  revoked_at: number | null
  created_at: number
  created_by: string
} & Versioned

/** Append-only. */
export type AuditTable = {
  id: Generated<number>
  at: number
  actor: string
  action: string
  team_id: string
  target: string
  /** JSON object without secrets; null when there was nothing before. */
  before: string | null
  /** As `before`; null when nothing is left. */
  after: string | null
}

/** One row: the number of the last change. There is none before the first change. */
export type DirectoryVersionTable = {
  id: number
  version: number
  /** The last change that makes processes read the file of models again. */
  catalog_version: number
}

/** Keys that are gone, for processes that still have them. */
export type DirectoryDeletionsTable = {
  version: number
  key_hash: string
}

export type DirectorySchema = {
  directory_version: DirectoryVersionTable
  directory_deletions: DirectoryDeletionsTable
  teams: TeamsTable
  gateway_keys: GatewayKeysTable
  log_tokens: LogTokensTable
  audit: AuditTable
}
