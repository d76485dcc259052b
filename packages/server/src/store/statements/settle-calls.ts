// Ends calls: the one step that everything passes by which a call ends, whether it is charged, released, refunded or swept.
import type { Kysely } from 'kysely'
import type { CallRef, Charge } from '../../ledger/charge.ts'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'
import { settleCharges } from './charges.ts'
import type { ProcessRef } from './processes.ts'
import { removeRunningCalls } from './running-calls.ts'
import { settleShared } from './settle-shared.ts'

export type Settlement = {
  readonly charges: readonly Charge[]
  /** Calls that end without a charge in this settlement. */
  readonly ended: readonly CallRef[]
}

/**
 * Repeating a settlement, or settling a call that another process has ended, changes nothing twice. The rows of running calls come
 * first, as in a sweep: a late settlement and a sweep of the same calls then wait for each other, and neither waits in a circle.
 */
export async function settleCalls(
  db: Kysely<Schema>,
  process: ProcessRef,
  { charges, ended }: Settlement,
): Promise<void> {
  if (dialectOf(db) === 'postgres') return await settleShared(db, { slot: process.slot, charges, ended })
  await removeRunningCalls(
    db,
    charges.filter(({ kind }) => kind === 'stream'),
  )
  await removeRunningCalls(db, ended)
  if (charges.length > 0) await settleCharges(db, process.slot, charges)
}
