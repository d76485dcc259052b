// Counts log entries by their own times but never later than their receipt, from the indexes that pages are read by: no body is touched.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'
import { entryKinds } from './entry-kinds.ts'

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

/**
 * `select team_id, micros / ?, count(*) from (…) group by 1, 2`, where for each kind of entries it counts `select team_id, at from entries where
 * team_id in (…) and … and at >= ? and at < ?`.
 */
export async function countEntries(
  db: Kysely<Schema>,
  { teamIds, from, until, stepMs }: CountEntriesInput,
): Promise<EntryCount[]> {
  if (teamIds.length === 0) return []
  const kinds = entryKinds.map(kind => {
    const at = sql.ref(kind.at)
    return sql`select team_id, ${at} as micros from entries
      where team_id in (${sql.join(teamIds)}) and ${kind.condition} and ${at} >= ${from * 1000} and ${at} < ${until * 1000}`
  })
  const step = sql`micros / ${sql.lit(stepMs * 1000)}`
  const { rows } = await sql<{ teamId: string; step: number; entries: number }>`
    select team_id as "teamId", ${step} as step, count(*) as entries
    from (${sql.join(kinds, sql` union all `)}) as counted group by team_id, ${step}`.execute(db)
  return rows
    .map(({ teamId, step: number, entries }) => ({ teamId, at: number * stepMs, entries }))
    .sort((left, right) => left.at - right.at || (left.teamId < right.teamId ? -1 : 1))
}
