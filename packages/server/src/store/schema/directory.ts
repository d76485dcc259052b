// The directory's tables: teams, their members, gateway keys, log tokens, claims, the event, and the audit of every change to them.
import type { ColumnType, Generated } from 'kysely'

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
  /** JSON object, with `model_rpm_limit` and `model_tpm_limit` if there are any. */
  metadata: string
  /** JSON object: fields that are returned but otherwise unused. */
  informational: string
  created_at: number
  updated_at: number
  created_by: string
  updated_by: string
} & Versioned

/** The change of the directory that last wrote the row: the row must still have it when the next change is written. */
type Versioned = { version: number }

export type TeamsTable = OwnerColumns & {
  team_id: string
  alias: string
  /** Added to the budget, only in the period that starts at `granted_period`. */
  granted_nano: number
  granted_period: number | null
  /** Unix ms: since when lists leave it out; null for a team that they show. */
  hidden_at: number | null
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
  /** JSON: the secret that replaced the first; null until the first is replaced. */
  rotation: string | null
  /** The member who owns it; null for keys of the whole team. */
  member_id: string | null
}

/** Names of keys, for spend reports. */
export type DeletedKeysTable = {
  key_hash: string
  key_name: string
  alias: string
  team_id: string
  user_id: string
  member_id: string | null
  /** Unix ms. */
  deleted_at: number
  deleted_by: string
} & Versioned

export type LogTokensTable = {
  /** Lower-case hex SHA-256 of the secret. */
  token_hash: string
  token_id: string
  token_name: string
  team_id: string
  revoked_at: number | null
  created_at: number
  created_by: string
  /** The member who owns it; null for tokens of the whole team. */
  member_id: string | null
} & Versioned

/** A person in a team. Removed members stay, so that reports still have their names. */
export type MembersTable = {
  member_id: string
  team_id: string
  name: string
  /** The name in the form in which names are compared: no two members of a team have the same. */
  name_key: string
  email: string | null
  /** When a claim took the seat; null while it is free. */
  claimed_at: number | null
  removed_at: number | null
  created_at: number
  updated_at: number
  created_by: string
  updated_by: string
} & Versioned

/** A code that provides members of a team with keys. Processes read it when it is used. */
export type ClaimsTable = {
  claim_id: string
  team_id: string
  /** Lower-case hex SHA-256 of the code. */
  code_hash: string
  /** Its last four characters, to show to people. */
  code_name: string
  /** For people who are not on the team's list of members. */
  seats: number
  seats_left: number
  /** How many seats were taken with it, members' included. */
  uses: number
  last_used_at: number | null
  expires_at: number
  ended_at: number | null
  /** `revoked` or `renewed`; null while it was not ended. */
  end_reason: string | null
  created_at: number
  created_by: string
}

/** The ticket in a pasted line: valid once, for one seat, within minutes. */
export type JoinTicketsTable = {
  /** Lower-case hex SHA-256 of the ticket. */
  ticket_hash: string
  claim_id: string
  team_id: string
  /** Null for a person who is not on the list yet. */
  member_id: string | null
  /** That person's name; empty for a member. */
  name: string
  /** Hex: the server's part of the secrets that the ticket creates. */
  salt: string
  /** Lower-case hex SHA-256 of the random text that the laptop sent. */
  laptop_hash: string | null
  created_at: number
  expires_at: number
  used_at: number | null
  /** The key that it has created; null until it is used. */
  key_hash: string | null
  /** When the browser that showed it signed in with it, which works once. */
  signed_in_at: number | null
}

/** Append-only. */
export type AuditTable = {
  id: Generated<number>
  at: number
  actor: string
  action: string
  team_id: string
  target: string
  /** JSON object without secrets; null if there was nothing before. */
  before: string | null
  /** As `before`; null if nothing is left. */
  after: string | null
  /** The same for all rows of an action on many teams. */
  bulk_id: ColumnType<string | null, string | null | undefined, string | null>
  /** The reason, if the organiser gave one. */
  reason: ColumnType<string | null, string | null | undefined, string | null>
}

/** One row: the number of the last change. There is none before the first change. */
export type DirectoryVersionTable = {
  id: number
  version: number
  /** The last change that makes processes reload their catalog files. */
  catalog_version: number
}

/** One row: the settings of the event. There is none before they are set. */
export type EventSettingsTable = {
  id: number
  /** JSON, in the form of directory/event/event-record.ts. */
  document: string
  /** JSON: the `event_locks` of a new board; null for none. */
  board_locks: string | null
} & Versioned

/** Deleted keys, for processes that still have them. */
export type DirectoryDeletionsTable = {
  version: number
  key_hash: string
}

export type DirectorySchema = {
  directory_version: DirectoryVersionTable
  directory_deletions: DirectoryDeletionsTable
  event_settings: EventSettingsTable
  teams: TeamsTable
  gateway_keys: GatewayKeysTable
  deleted_keys: DeletedKeysTable
  log_tokens: LogTokensTable
  members: MembersTable
  claims: ClaimsTable
  join_tickets: JoinTicketsTable
  audit: AuditTable
}
