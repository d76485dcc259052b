// The tables in a backup, with their keys.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../store/schema/schema.ts'

/** Table → its primary key, which orders its rows; teams come before what refers to them. */
export const tableKeys = {
  teams: ['team_id'],
  gateway_keys: ['key_hash'],
  deleted_keys: ['key_hash'],
  log_tokens: ['token_hash'],
  members: ['member_id'],
  claims: ['claim_id'],
  join_tickets: ['ticket_hash'],
  directory_version: ['id'],
  directory_deletions: ['version', 'key_hash'],
  event_settings: ['id'],
  announcements: ['announcement_id'],
  announcement_reads: ['announcement_id', 'team_id', 'member_id'],
  questions: ['question_id'],
  webhooks: ['webhook_id'],
  webhook_deliveries: ['webhook_id', 'event_id'],
  noted_conditions: ['condition_id'],
  audit: ['id'],
  charges: ['team_id', 'call_id'],
  adjustments: ['team_id', 'adjustment_id'],
  undelivered_answers: ['team_id', 'call_id'],
  uncharged_sums: ['team_id', 'model_id', 'endpoint', 'medium'],
  calls: ['team_id', 'call_id'],
  unfiled_calls: ['note_id'],
  // Comes after the tables that its triggers count, because its own rows replace the triggers' rows.
  spend_buckets: ['bucket_start', 'team_id', 'key_hash', 'model_id', 'code', 'writer'],
  totals: ['team_id', 'owner', 'slot'],
  running_calls: ['team_id', 'call_id'],
  processes: ['process_id'],
  boards: ['team_id'],
  entries: ['team_id', 'seq'],
  entry_buckets: ['bucket_start', 'team_id'],
  idempotent_calls: ['team_id', 'key_hash', 'idempotency_key'],
  stored_responses: ['team_id', 'call_id'],
  video_tasks: ['team_id', 'task_id'],
  vendor_files: ['team_id', 'file_id'],
  files: ['team_id', 'file_id'],
  window_rows: ['sequence'],
  deployment_facts: ['name'],
  attention_snoozes: ['condition_id'],
  condition_starts: ['condition_id'],
  recorders: ['token_id', 'clone_id'],
  admin_keys: ['key_id'],
  sign_ins: ['cookie_hash'],
  sign_in_links: ['ticket_hash'],
  wall_tokens: ['wall_token_id'],
  notes: ['note_id'],
  submissions: ['team_id', 'version'],
  judging_records: ['seq'],
  judging_drafts: ['judge_id', 'team_id'],
} as const satisfies Record<keyof Schema, readonly string[]>

export type TableName = keyof typeof tableKeys

export const tableNames = Object.keys(tableKeys) as readonly TableName[]

/** The tables that the database has. An older one lacks later tables. */
export async function listTables(db: Kysely<Schema>): Promise<TableName[]> {
  const found = new Set((await db.introspection.getTables()).map(({ name }) => name))
  return tableNames.filter(name => found.has(name))
}

export async function countRows(db: Kysely<Schema>, table: TableName): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(db)
  return rows[0]?.rows ?? 0
}
