// Facts that the processes of one database share: about their own machines (digests of keys, folders), which process proves the totals next, how
// far the rows of a team are proven, and how much of its spend its log covers.
import type { Kysely } from 'kysely'
import type { Schema } from '../schema/schema.ts'

export type DeploymentFact = { readonly name: string; readonly value: string; readonly now: number }

/** Stores a fact unless it is already stored; resolves with the stored one: `insert … on conflict do nothing`, then `select`. */
export async function agreeOnFact(db: Kysely<Schema>, { name, value, now }: DeploymentFact): Promise<string> {
  await db
    .insertInto('deployment_facts')
    .values({ name, value, seen_at: now })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const { value: kept } = await db
    .selectFrom('deployment_facts')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return kept
}

/** Replaces stored facts. */
export async function replaceFacts(
  db: Kysely<Schema>,
  { facts }: { readonly facts: readonly DeploymentFact[] },
): Promise<void> {
  if (facts.length === 0) return
  await db
    .insertInto('deployment_facts')
    .values(facts.map(({ name, value, now }) => ({ name, value, seen_at: now })))
    .onConflict(conflict =>
      conflict.column('name').doUpdateSet(eb => ({
        value: eb.ref('excluded.value'),
        seen_at: eb.ref('excluded.seen_at'),
      })),
    )
    .execute()
}

/** The facts with names that begin like this, stored since then (Unix ms); `prefix` has letters, digits, hyphens and slashes. */
export function readFacts(
  db: Kysely<Schema>,
  { prefix, since }: { readonly prefix: string; readonly since: number },
): Promise<{ name: string; value: string }[]> {
  return db
    .selectFrom('deployment_facts')
    .select(['name', 'value'])
    .where('name', 'like', `${prefix}%`)
    .where('seen_at', '>=', since)
    .orderBy('name')
    .execute()
}

const name = 'spend-check'

/** True for one of all simultaneous callers, and only if none has begun since `before` (Unix ms). */
export async function claimSpendCheck(
  db: Kysely<Schema>,
  { now, before }: { readonly now: number; readonly before: number },
): Promise<boolean> {
  await agreeOnFact(db, { name, value: 'null', now: Number.MIN_SAFE_INTEGER })
  const { numUpdatedRows } = await db
    .updateTable('deployment_facts')
    .set({ seen_at: now })
    .where('name', '=', name)
    .where('seen_at', '<', before)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export function noteSpendCheck(db: Kysely<Schema>, reported: Omit<DeploymentFact, 'name'>): Promise<void> {
  return replaceFacts(db, { facts: [{ ...reported, name }] })
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
