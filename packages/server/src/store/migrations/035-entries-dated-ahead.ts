// Gives entries that date themselves later than their receipt indexes of their own, so that pages find both kinds in their order.
import { type Kysely, sql } from 'kysely'

/** Each entry is in four indexes, as before; one that is dated ahead is in eight. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const filters = [
    ['time', []],
    ['tool', ['tool_key']],
    ['event', ['event_key']],
    ['tool_event', ['tool_key', 'event_key']],
  ] as const
  const kinds = [
    ['in', 'ts_micros', sql<boolean>`ts_micros <= received_micros`],
    ['ahead_in', 'ts_micros', sql<boolean>`ts_micros > received_micros`],
    ['ahead_received_in', 'received_micros', sql<boolean>`ts_micros > received_micros`],
  ] as const
  for (const [filter, columns] of filters) {
    for (const [kind, time, condition] of kinds)
      await db.schema
        .createIndex(`entries_${kind}_${filter}`)
        .on('entries')
        .columns(['team_id', ...columns, time, 'seq'])
        .where(condition)
        .execute()
    await db.schema.dropIndex(`entries_by_${filter}`).execute()
  }
}
