// What organisers have put off, until when. What is over stays for a while and is then removed by the next who puts something off.
import type { Kysely } from 'kysely'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'

export type Snooze = {
  readonly conditionId: string
  /** Unix ms. */
  readonly until: number
  readonly actor: string
  readonly reason: string
}

/** `insert into attention_snoozes … on conflict do update`, and `delete … where until <= ?` of all that is over. `now`: Unix ms. */
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
