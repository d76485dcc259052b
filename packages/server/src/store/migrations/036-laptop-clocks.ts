// Makes room for how far the clocks of laptops are behind, as recorders report it when they send.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('recorders').addColumn('clock_behind_ms', 'bigint').execute()
}
