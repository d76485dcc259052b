// Makes room for what teams ask, for who has read which announcement, and for the key that a ticket has made.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('announcement_reads')
    .addColumn('announcement_id', 'text', column => column.notNull())
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('member_id', 'text', column => column.notNull())
    .addColumn('seen_at', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('announcement_reads_key', ['announcement_id', 'team_id', 'member_id'])
    .execute()
  await db.schema
    .createTable('questions')
    .addColumn('question_id', 'text', column => column.primaryKey())
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('member_id', 'text')
    .addColumn('text', 'text', column => column.notNull())
    .addColumn('page', 'text')
    .addColumn('call_id', 'text')
    .addColumn('asked_at', 'bigint', column => column.notNull())
    .addColumn('answer', 'text')
    .addColumn('answered_at', 'bigint')
    .addColumn('answered_by', 'text')
    .addColumn('announcement_id', 'text')
    .execute()
  await db.schema
    .createIndex('questions_by_team')
    .on('questions')
    .columns(['team_id', 'asked_at', 'question_id'])
    .execute()
  await db.schema
    .createIndex('questions_by_answer')
    .on('questions')
    .columns(['answered_at', 'asked_at', 'question_id'])
    .execute()
  for (const [name, type] of [
    ['key_hash', 'text'],
    ['signed_in_at', 'bigint'],
  ] as const)
    await db.schema.alterTable('join_tickets').addColumn(name, type).execute()
}
