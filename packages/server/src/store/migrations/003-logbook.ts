// Creates the logbook: boards and entries, keyed by team first so that they can be distributed by team.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('boards')
    .addColumn('team_id', 'text', column => column.primaryKey())
    .addColumn('locked', 'integer', column => column.notNull())
    .addColumn('lock_at', 'bigint')
    .addColumn('head_seq', 'bigint', column => column.notNull())
    .addColumn('head_chain', 'text', column => column.notNull())
    .addColumn('updated_at', 'bigint', column => column.notNull())
    .execute()
  // `body` stands last: a page is bounded by `body_bytes` without reading a body.
  await db.schema
    .createTable('entries')
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('seq', 'bigint', column => column.notNull())
    .addColumn('ts_micros', 'bigint', column => column.notNull())
    .addColumn('received_micros', 'bigint', column => column.notNull())
    .addColumn('tool_key', 'text', column => column.notNull())
    .addColumn('event_key', 'text', column => column.notNull())
    .addColumn('identity', 'text', column => column.notNull())
    .addColumn('chain', 'text', column => column.notNull())
    .addColumn('body_bytes', 'integer', column => column.notNull())
    .addColumn('body', 'text', column => column.notNull())
    .addPrimaryKeyConstraint('entries_pk', ['team_id', 'seq'])
    .addUniqueConstraint('entries_identity', ['team_id', 'identity'])
    .execute()
  // One index per filter, each ending in the order of a page, so that its cost does not grow with the table.
  const indexes: Record<string, string[]> = {
    entries_by_time: ['team_id', 'ts_micros', 'seq'],
    entries_by_tool: ['team_id', 'tool_key', 'ts_micros', 'seq'],
    entries_by_event: ['team_id', 'event_key', 'ts_micros', 'seq'],
    entries_by_tool_event: ['team_id', 'tool_key', 'event_key', 'ts_micros', 'seq'],
  }
  for (const [name, columns] of Object.entries(indexes)) {
    await db.schema.createIndex(name).on('entries').columns(columns).execute()
  }
}
