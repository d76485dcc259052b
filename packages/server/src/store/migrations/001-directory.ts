// Creates the directory: teams, gateway keys, log tokens, and the audit of every change to them.
import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  await addOwnerColumns(
    db.schema
      .createTable('teams')
      .addColumn('team_id', 'text', column => column.primaryKey())
      .addColumn('alias', 'text', column => column.notNull()),
  ).execute()
  await addOwnerColumns(
    db.schema
      .createTable('gateway_keys')
      .addColumn('key_hash', 'text', column => column.primaryKey())
      .addColumn('key_name', 'text', column => column.notNull())
      .addColumn('alias', 'text', column => column.notNull())
      .addColumn('team_id', 'text', column => column.notNull().references('teams.team_id'))
      .addColumn('user_id', 'text', column => column.notNull())
      .addColumn('aliases', 'text', column => column.notNull())
      .addColumn('model_max_budget', 'text', column => column.notNull())
      .addColumn('max_parallel_requests', 'integer', column => column.notNull())
      .addColumn('expires_at', 'bigint')
      .addColumn('allowed_routes', 'text', column => column.notNull()),
  ).execute()
  await db.schema
    .createTable('log_tokens')
    .addColumn('token_hash', 'text', column => column.primaryKey())
    .addColumn('token_id', 'text', column => column.notNull().unique())
    .addColumn('token_name', 'text', column => column.notNull())
    .addColumn('team_id', 'text', column => column.notNull().references('teams.team_id'))
    .addColumn('revoked_at', 'bigint')
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('created_by', 'text', column => column.notNull())
    .execute()
  await createAudit(db)
}

async function createAudit(db: Kysely<unknown>): Promise<void> {
  // SQLite's "autoincrement" never gives the number of a row again; PostgreSQL has a sequence for it.
  const isPostgres = dialectOf(db) === 'postgres'
  await db.schema
    .createTable('audit')
    .addColumn('id', isPostgres ? sql`bigserial` : 'integer', column =>
      isPostgres ? column.primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn('at', 'bigint', column => column.notNull())
    .addColumn('actor', 'text', column => column.notNull())
    .addColumn('action', 'text', column => column.notNull())
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('target', 'text', column => column.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .execute()
  await db.schema.createIndex('audit_by_team').on('audit').columns(['team_id', 'id']).execute()
}

function addOwnerColumns<Table extends string>(
  table: CreateTableBuilder<Table, string>,
): CreateTableBuilder<Table, string> {
  return table
    .addColumn('models', 'text', column => column.notNull())
    .addColumn('blocked', 'integer')
    .addColumn('max_budget_nano', 'bigint')
    .addColumn('budget_duration', 'text')
    .addColumn('budget_anchor', 'bigint', column => column.notNull())
    .addColumn('rpm_limit', 'bigint')
    .addColumn('tpm_limit', 'bigint')
    .addColumn('metadata', 'text', column => column.notNull())
    .addColumn('informational', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('updated_at', 'bigint', column => column.notNull())
    .addColumn('created_by', 'text', column => column.notNull())
    .addColumn('updated_by', 'text', column => column.notNull())
}
