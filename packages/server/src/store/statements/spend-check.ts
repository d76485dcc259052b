// Who proves the totals next, and what the last proof found: one row for all processes of the database.
import type { Kysely } from 'kysely'
import type { Schema } from '../schema/schema.ts'

const name = 'spend-check'

/** True for one of all that ask at once, and only where nobody has begun since `before` (Unix ms). */
export async function claimSpendCheck(
  db: Kysely<Schema>,
  { now, before }: { readonly now: number; readonly before: number },
): Promise<boolean> {
  await db
    .insertInto('deployment_facts')
    .values({ name, value: 'null', seen_at: Number.MIN_SAFE_INTEGER })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const { numUpdatedRows } = await db
    .updateTable('deployment_facts')
    .set({ seen_at: now })
    .where('name', '=', name)
    .where('seen_at', '<', before)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function noteSpendCheck(
  db: Kysely<Schema>,
  { value, now }: { readonly value: string; readonly now: number },
): Promise<void> {
  await db
    .insertInto('deployment_facts')
    .values({ name, value, seen_at: now })
    .onConflict(conflict => conflict.column('name').doUpdateSet({ value, seen_at: now }))
    .execute()
}

/** Null before the first. */
export async function readSpendCheck(db: Kysely<Schema>): Promise<string | null> {
  const row = await db
    .selectFrom('deployment_facts')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst()
  return row === undefined || row.value === 'null' ? null : row.value
}
