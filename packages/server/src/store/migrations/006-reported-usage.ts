// Keeps what an upstream reported where that was not charged as it stands, also of a stream that a crash may cut.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('charges').addColumn('reported', 'text').execute()
  await db.schema.alterTable('open_streams').addColumn('flag', 'text').execute()
  await db.schema.alterTable('open_streams').addColumn('reported', 'text').execute()
}
