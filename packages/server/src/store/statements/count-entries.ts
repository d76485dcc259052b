// Counts log entries by their bounded times, from the index that pages are read by: no body is touched.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

export type CountEntriesInput = {
  readonly teamIds: readonly string[]
  /** Unix ms: at or after, and before. */
  readonly from: number
  readonly until: number
  /** Steps are whole multiples of it since the Unix epoch. */
  readonly stepMs: number
}

export type EntryCount = {
  readonly teamId: string
  /** Start of the step (Unix ms). */
  readonly at: number
  readonly entries: number
}

/** `select team_id, at_micros / ?, count(*) from entries where team_id in (…) and at_micros >= ? and at_micros < ? group by 1, 2`. */
export async function countEntries(
  db: Kysely<Schema>,
  { teamIds, from, until, stepMs }: CountEntriesInput,
): Promise<EntryCount[]> {
  if (teamIds.length === 0) return []
  const step = sql<number>`at_micros / ${sql.lit(stepMs * 1000)}`
  const rows = await db
    .selectFrom('entries')
    .select(['team_id', step.as('step'), sql<number>`count(*)`.as('entries')])
    .where('team_id', 'in', teamIds)
    .where('at_micros', '>=', from * 1000)
    .where('at_micros', '<', until * 1000)
    .groupBy(['team_id', step])
    .execute()
  return rows
    .map(row => ({ teamId: row.team_id, at: Number(row.step) * stepMs, entries: Number(row.entries) }))
    .sort((left, right) => left.at - right.at || (left.teamId < right.teamId ? -1 : 1))
}
