// Adds the time by which our own pages order entries: the one that an entry claims, but never later than its receipt.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

/** The database computes it, so that a process of the version before can go on storing entries. PostgreSQL 15 can only store it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const earlier = sql`case when ts_micros < received_micros then ts_micros else received_micros end`
  const isStored = dialectOf(db) === 'postgres'
  await db.schema
    .alterTable('entries')
    .addColumn('at_micros', 'bigint', column => {
      const computed = column.generatedAlwaysAs(earlier)
      return isStored ? computed.stored() : computed
    })
    .execute()
  // Beside those by the claimed time, which the teams' own list keeps (spec 4.2).
  const indexes: Record<string, string[]> = {
    entries_by_bounded_time: ['team_id', 'at_micros', 'seq'],
    entries_by_tool_bounded: ['team_id', 'tool_key', 'at_micros', 'seq'],
    entries_by_event_bounded: ['team_id', 'event_key', 'at_micros', 'seq'],
    entries_by_tool_event_bounded: ['team_id', 'tool_key', 'event_key', 'at_micros', 'seq'],
  }
  for (const [name, columns] of Object.entries(indexes))
    await db.schema.createIndex(name).on('entries').columns(columns).execute()
}
