// Since when each condition lasts, for all processes: written when one begins, and removed when it ends.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

/** `since`: Unix ms. */
export type ConditionStart = { readonly conditionId: string; readonly since: number }

/** `select * from condition_starts`. */
export async function listConditionStarts(db: Kysely<Schema>, _input: null): Promise<ConditionStart[]> {
  return await db.selectFrom('condition_starts').select(['condition_id as conditionId', 'since']).execute()
}

/**
 * Of one condition that several processes have seen begin, the earliest time stays. Answers what is kept of those that begin. Rows are
 * written in the order of their ids, so that processes that write the same ones wait for each other.
 */
export async function noteConditionStarts(
  db: Kysely<Schema>,
  { begun, ended }: { readonly begun: readonly ConditionStart[]; readonly ended: readonly string[] },
): Promise<ConditionStart[]> {
  const ends = ended.map(conditionId => ({ conditionId, since: null }))
  const inOrder = [...begun, ...ends].sort((one, other) => (one.conditionId < other.conditionId ? -1 : 1))
  const kept: ConditionStart[] = []
  for (const { conditionId, since } of inOrder) {
    if (since === null) {
      await db.deleteFrom('condition_starts').where('condition_id', '=', conditionId).execute()
      continue
    }
    const row = await db
      .insertInto('condition_starts')
      .values({ condition_id: conditionId, since })
      .onConflict(conflict =>
        conflict.column('condition_id').doUpdateSet({
          since: sql<number>`case when excluded.since < condition_starts.since then excluded.since else condition_starts.since end`,
        }),
      )
      .returning('since')
      .executeTakeFirstOrThrow()
    kept.push({ conditionId, since: row.since })
  }
  return kept
}
