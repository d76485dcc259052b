// Copies every row of every table from one database to another, whatever engines the two are.
import { Kysely, sql } from 'kysely'
import { migrate } from '../store/migrations/migrate.ts'
import type { Schema } from '../store/schema/schema.ts'
import { openBunSqlite } from '../store/sqlite/bun-sqlite-dialect.ts'

type Row = Readonly<Record<string, unknown>>

/** Table → its primary key, by which it is read in pages; teams come before what refers to them. */
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
  // After what its triggers count: its own rows take the place of theirs.
  spend_buckets: ['bucket_start', 'team_id', 'key_hash', 'model_id', 'code', 'writer'],
  totals: ['team_id', 'owner', 'slot'],
  running_calls: ['team_id', 'call_id'],
  processes: ['process_id'],
  boards: ['team_id'],
  entries: ['team_id', 'seq'],
  idempotent_calls: ['team_id', 'key_hash', 'idempotency_key'],
  video_tasks: ['team_id', 'task_id'],
  vendor_files: ['team_id', 'file_id'],
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
} as const satisfies Record<keyof Schema, readonly string[]>

export type TableName = keyof typeof tableKeys

export const tableNames = Object.keys(tableKeys) as readonly TableName[]

/** How many rows are in memory at once. One kept answer may have 32 MiB. */
const rowsPerPage: Readonly<Partial<Record<TableName, number>>> = { idempotent_calls: 4, entries: 200 }
const usualRows = 500

/** The tables that the database has. An older one lacks the later tables. */
export async function listTables(db: Kysely<Schema>): Promise<TableName[]> {
  const found = new Set((await db.introspection.getTables()).map(({ name }) => name))
  return tableNames.filter(name => found.has(name))
}

export async function countRows(db: Kysely<Schema>, table: TableName): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(db)
  return rows[0]?.rows ?? 0
}

/** Rows that a database has before anybody uses it: some migrations write a row that later statements change. */
export async function countFreshRows(): Promise<ReadonlyMap<TableName, number>> {
  const db = new Kysely<Schema>({ dialect: openBunSqlite(':memory:', 'write').dialect })
  try {
    await migrate(db)
    const counts = new Map<TableName, number>()
    for (const table of await listTables(db)) counts.set(table, await countRows(db, table))
    return counts
  } finally {
    await db.destroy()
  }
}

/**
 * Copies into tables that nobody has used, and answers table → rows. `report` is called after each page with the number of rows copied so far. Columns
 * that the source lacks get their defaults.
 */
export async function copyTables(
  source: Kysely<Schema>,
  target: Kysely<Schema>,
  report: (table: string, rows: number) => void,
): Promise<Record<string, number>> {
  const copied: Record<string, number> = {}
  for (const table of await listTables(source)) {
    copied[table] = await copyTable(source, target, table, rows => report(table, rows))
  }
  return copied
}

async function copyTable(
  source: Kysely<Schema>,
  target: Kysely<Schema>,
  table: TableName,
  report: (rows: number) => void,
): Promise<number> {
  const limit = rowsPerPage[table] ?? usualRows
  const keys = tableKeys[table]
  await sql`delete from ${sql.table(table)}`.execute(target)
  let copied = 0
  let last: Row | null = null
  for (;;) {
    const rows = await readPage(source, table, keys, last, limit)
    if (rows.length > 0) await insertRows(target, table, rows)
    copied += rows.length
    last = rows.at(-1) ?? null
    if (rows.length > 0) report(copied)
    if (rows.length < limit) return copied
  }
}

async function readPage(
  db: Kysely<Schema>,
  table: TableName,
  keys: readonly string[],
  after: Row | null,
  limit: number,
): Promise<readonly Row[]> {
  const order = sql.join(keys.map(name => sql.ref(name)))
  const beyond =
    after === null ? sql`` : sql`where (${order}) > (${sql.join(keys.map(name => sql.val(after[name])))})`
  const { rows } =
    await sql<Row>`select * from ${sql.table(table)} ${beyond} order by ${order} limit ${limit}`.execute(db)
  return rows
}

async function insertRows(db: Kysely<Schema>, table: TableName, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  const values = rows.map(row => sql`(${sql.join(columns.map(name => sql.val(row[name])))})`)
  const names = sql.join(columns.map(name => sql.ref(name)))
  await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(db)
}
