// Conditions that need attention: since when each has lasted, for all processes, and until when organisers have snoozed it.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'

/** `since`: Unix ms. */
export type ConditionStart = { readonly conditionId: string; readonly since: number }

/** `select * from condition_starts`. */
export async function listConditionStarts(db: Kysely<Schema>, _input: null): Promise<ConditionStart[]> {
  return await db.selectFrom('condition_starts').select(['condition_id as conditionId', 'since']).execute()
}

/**
 * If multiple processes saw a condition begin, the earliest time is kept. Returns the stored starts of those that begin. Rows are written
 * in the order of their ids, so that processes that write the same ones wait for each other.
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

export type Snooze = {
  readonly conditionId: string
  /** Unix ms. */
  readonly until: number
  readonly actor: string
  readonly reason: string
}

/** `insert into attention_snoozes … on conflict do update`, and `delete … where until <= ?` for all that have ended. `now`: Unix ms. */
export async function snoozeCondition(
  db: Kysely<Schema>,
  { snooze, now, audit }: { readonly snooze: Snooze; readonly now: number; readonly audit: AuditEntry },
): Promise<void> {
  const { conditionId: condition_id, until, actor, reason } = snooze
  await db
    .insertInto('attention_snoozes')
    .values({ condition_id, until, actor, reason })
    .onConflict(conflict => conflict.column('condition_id').doUpdateSet({ until, actor, reason }))
    .execute()
  await db.deleteFrom('attention_snoozes').where('until', '<=', now).execute()
  await appendAudit(db, [audit])
}

/** `select * from attention_snoozes where until > ?`. */
export async function listSnoozes(db: Kysely<Schema>, { now }: { readonly now: number }): Promise<Snooze[]> {
  return await db
    .selectFrom('attention_snoozes')
    .select(['condition_id as conditionId', 'until', 'actor', 'reason'])
    .where('until', '>', now)
    .execute()
}
