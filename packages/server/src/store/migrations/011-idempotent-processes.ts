// Notes which process makes a call with an Idempotency-Key, so that its key is free when that process has died.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('idempotent_calls').addColumn('process_id', 'text').execute()
}
