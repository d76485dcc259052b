// Makes room for the list of answers that clients did not get because a charge could not be recorded in time.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('undelivered_answers')
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('call_id', 'text', column => column.notNull())
    .addColumn('at', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('undelivered_answers_pk', ['team_id', 'call_id'])
    .execute()
}
