// Keeps who sent an entry and from where, a commitment that later proofs can rest on, and when a board received its last entry.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

/**
 * Entries that are there already stay without a sender, which nobody knows any more. They stay without a commitment too: it needs the
 * digest of every body, and a salt that is drawn later is as good as one that is drawn now.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const bytes = dialectOf(db) === 'postgres' ? sql`bytea` : sql`blob`
  await db.schema.alterTable('entries').addColumn('token_id', 'text').execute()
  await db.schema.alterTable('entries').addColumn('client_address', 'text').execute()
  await db.schema.alterTable('entries').addColumn('salt', bytes).execute()
  await db.schema.alterTable('entries').addColumn('commitment', bytes).execute()
  await db.schema
    .alterTable('boards')
    .addColumn('head_received_micros', 'bigint', column => column.notNull().defaultTo(0))
    .execute()
  await sql`update boards set head_received_micros = coalesce((
    select received_micros from entries where entries.team_id = boards.team_id and entries.seq = boards.head_seq
  ), 0)`.execute(db)
}
