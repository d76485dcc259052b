// Makes room for secrets that take the place of others, for the names of deleted keys, and for the number of an act on many teams in the audit.
import { type Kysely, sql } from 'kysely'

type Deletion = {
  readonly at: number
  readonly actor: string
  readonly team_id: string
  readonly target: string
  readonly before: string
}

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('gateway_keys').addColumn('rotation', 'text').execute()
  await db.schema
    .createTable('deleted_keys')
    .addColumn('key_hash', 'text', column => column.primaryKey())
    .addColumn('key_name', 'text', column => column.notNull())
    .addColumn('alias', 'text', column => column.notNull())
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('user_id', 'text', column => column.notNull())
    .addColumn('member_id', 'text')
    .addColumn('deleted_at', 'bigint', column => column.notNull())
    .addColumn('deleted_by', 'text', column => column.notNull())
    .addColumn('version', 'bigint', column => column.notNull())
    .execute()
  await db.schema.createIndex('deleted_keys_by_version').on('deleted_keys').column('version').execute()
  await nameDeletedKeys(db)
  await db.schema.alterTable('audit').addColumn('bulk_id', 'text').execute()
  await sql`create index audit_by_bulk on audit (bulk_id, id) where bulk_id is not null`.execute(db)
}

/** Keys that were deleted before have their names in the audit. */
async function nameDeletedKeys(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<Deletion>`select at, actor, team_id, target, before from audit
    where action = 'key.delete' and before is not null order by id`.execute(db)
  for (const { at, actor, team_id, target, before } of rows) {
    const state: Readonly<Record<string, unknown>> = JSON.parse(before)
    const read = (member: string) => {
      const value = state[member]
      return typeof value === 'string' ? value : ''
    }
    await sql`insert into deleted_keys
      (key_hash, key_name, alias, team_id, user_id, deleted_at, deleted_by, version)
      values (${target}, ${read('key_name')}, ${read('key_alias')}, ${team_id}, ${read('user_id')}, ${at}, ${actor}, 0)
      on conflict (key_hash) do nothing`.execute(db)
  }
}
