// Keeps with a condition what is told when it is over.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('noted_conditions').addColumn('ended', 'text').execute()
}
