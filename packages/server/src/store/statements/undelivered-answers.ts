// Lists answers that clients did not get because a charge could not be recorded in time.
import type { Kysely } from 'kysely'
import type { UndeliveredAnswer } from '../../ledger/charge.ts'
import type { Schema } from '../schema/schema.ts'

/** `insert … on conflict do nothing`: the charge of an ambiguous commit is repeated together with this row. */
export async function insertUndelivered(
  db: Kysely<Schema>,
  answers: readonly UndeliveredAnswer[],
): Promise<void> {
  if (answers.length === 0) return
  await db
    .insertInto('undelivered_answers')
    .values(answers.map(({ teamId, callId, at }) => ({ team_id: teamId, call_id: callId, at })))
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/** `select … where at >= ? and at < ? order by at, call_id limit ?`. The table has a row for each answer of an outage, and no other. */
export async function readUndelivered(
  db: Kysely<Schema>,
  { from, until, limit }: { readonly from: number; readonly until: number; readonly limit: number },
): Promise<UndeliveredAnswer[]> {
  return await db
    .selectFrom('undelivered_answers')
    .select(['team_id as teamId', 'call_id as callId', 'at'])
    .where('at', '>=', from)
    .where('at', '<', until)
    .orderBy('at')
    .orderBy('call_id')
    .limit(limit)
    .execute()
}
