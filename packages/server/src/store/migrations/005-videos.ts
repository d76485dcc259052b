// Creates the tasks of videos and the files they led to, keyed by team first so that they can be distributed by team.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('video_tasks')
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('task_id', 'text', column => column.notNull())
    .addColumn('interface', 'text', column => column.notNull())
    .addColumn('key_hash', 'text', column => column.notNull())
    .addColumn('model_id', 'text', column => column.notNull())
    .addColumn('call_id', 'text', column => column.notNull())
    .addColumn('cost_nano', 'bigint', column => column.notNull())
    .addColumn('team_period', 'bigint', column => column.notNull())
    .addColumn('key_period', 'bigint', column => column.notNull())
    .addColumn('endpoint', 'text', column => column.notNull())
    .addColumn('state', 'text', column => column.notNull())
    .addColumn('wish', 'text', column => column.notNull())
    .addColumn('operation', 'text')
    .addColumn('upstream_key', 'text')
    .addColumn('error', 'text')
    .addColumn('files', 'text', column => column.notNull())
    .addColumn('stored_bytes', 'bigint')
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('completed_at', 'bigint')
    .addColumn('expires_at', 'bigint')
    .addColumn('deadline_at', 'bigint', column => column.notNull())
    .addColumn('due_at', 'bigint')
    .addColumn('leased_until', 'bigint', column => column.notNull())
    .addColumn('hidden', 'integer', column => column.notNull())
    .addPrimaryKeyConstraint('video_tasks_pk', ['team_id', 'task_id'])
    .execute()
  const indexes: Record<string, string[]> = {
    video_tasks_due: ['due_at'],
    video_tasks_by_time: ['team_id', 'created_at', 'task_id'],
    video_tasks_by_operation: ['team_id', 'operation'],
  }
  for (const [name, columns] of Object.entries(indexes)) {
    await db.schema.createIndex(name).on('video_tasks').columns(columns).execute()
  }
  await db.schema
    .createTable('vendor_files')
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('file_id', 'text', column => column.notNull())
    .addColumn('task_id', 'text', column => column.notNull())
    .addColumn('upstream_key', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('vendor_files_pk', ['team_id', 'file_id'])
    .execute()
}
