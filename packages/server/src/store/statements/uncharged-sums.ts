// Sums of calls' use above their holds: added to with the charge, and cleared by an organiser.
import { type Kysely, sql } from 'kysely'
import type { Charge } from '../../ledger/charge.ts'
import { type HoldExcess, oneInMillionths } from '../../ledger/hold-ratio.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { tryChange } from './directory-version.ts'

export type ExceedingCharge = Charge & { readonly excess: HoldExcess }

export function isExceeding(charge: Charge): charge is ExceedingCharge {
  return charge.excess !== undefined
}

/** Those that are not in the ledger yet: a repeated commit counts no excess twice. */
export async function findNewCharges(
  db: Kysely<Schema>,
  charges: readonly ExceedingCharge[],
): Promise<ExceedingCharge[]> {
  const rows = await db
    .selectFrom('charges')
    .select(['team_id', 'call_id'])
    .where(
      'team_id',
      'in',
      charges.map(({ teamId }) => teamId),
    )
    .where(
      'call_id',
      'in',
      charges.map(({ callId }) => callId),
    )
    .execute()
  const known = new Set(rows.map(row => `${row.team_id} ${row.call_id}`))
  return charges.filter(({ teamId, callId }) => !known.has(`${teamId} ${callId}`))
}

/** `insert into uncharged_sums … on conflict do update …`, one excess at a time. */
export async function addUncharged(
  db: Kysely<Schema>,
  charges: readonly ExceedingCharge[],
  version: number,
): Promise<void> {
  for (const { teamId, endpoint, excess } of charges) {
    const { modelId, medium, amount, ratio } = excess
    await db
      .insertInto('uncharged_sums')
      .values({
        ...{ team_id: teamId, model_id: modelId, endpoint, medium, version },
        ...{ uncharged_nano: amount, open_nano: amount, ratio: Math.max(ratio, oneInMillionths) },
      })
      .onConflict(conflict =>
        conflict.columns(['team_id', 'model_id', 'endpoint', 'medium']).doUpdateSet({
          uncharged_nano: sql<number>`uncharged_sums.uncharged_nano + excluded.uncharged_nano`,
          open_nano: sql<number>`uncharged_sums.open_nano + excluded.open_nano`,
          ratio: sql<number>`case when excluded.ratio > uncharged_sums.ratio then excluded.ratio else uncharged_sums.ratio end`,
          version,
        }),
      )
      .execute()
  }
}

export type ClearUnchargedInput = {
  readonly teamId: string
  /** The newest version of the rows that the change was made from. */
  readonly seen: number
  readonly audit: AuditEntry
}

/** The sums stay. Null if a row of the team has changed since; nothing is written then. */
export async function clearUncharged(
  db: Kysely<Schema>,
  { teamId, seen, audit }: ClearUnchargedInput,
): Promise<number | null> {
  return await tryChange(db, async version => {
    const newer = await db
      .selectFrom('uncharged_sums')
      .select('version')
      .where('team_id', '=', teamId)
      .where('version', '>', seen)
      .executeTakeFirst()
    if (newer !== undefined) return false
    await db
      .updateTable('uncharged_sums')
      .set({ open_nano: 0, ratio: oneInMillionths, version })
      .where('team_id', '=', teamId)
      .execute()
    await appendAudit(db, [audit])
    return true
  })
}
