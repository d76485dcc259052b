// One commit for everything the ledger has waiting: many calls share one wait for the disk.
import type { Kysely } from 'kysely'
import type { CallRef, Charge, OpenedStream, StreamProgress, UndeliveredAnswer } from '../../ledger/charge.ts'
import type { VideoTask } from '../../ledger/video-task.ts'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'
import { sortDistinct } from './charges.ts'
import { writeChange } from './directory-version.ts'
import type { ProcessRef } from './processes.ts'
import { openStreams, recordProgress, settleCalls } from './running-calls.ts'
import { settleShared, toSharedSettlement } from './settle-shared.ts'
import { addUncharged, findNewCharges, isExceeding } from './uncharged-sums.ts'
import { insertVideoTasks } from './video-tasks.ts'
import { changeWindowRows, type WindowRowsChange } from './window-rows.ts'

/** Plain JSON: it crosses to the writing thread as text. */
export type LedgerBatch = {
  /** The process that writes. */
  readonly process: ProcessRef
  readonly opened: readonly OpenedStream[]
  readonly progress: readonly StreamProgress[]
  readonly charges: readonly Charge[]
  /** Records of the charges' calls, if these come without their facts: see `writeNote`. */
  readonly note?: string | null
  /** Streams that have ended without a charge. */
  readonly dropped: readonly CallRef[]
  /** Each goes with its charge. */
  readonly videoTasks: readonly VideoTask[]
  /** Each with its charge, or with that of an earlier batch. */
  readonly undelivered: readonly UndeliveredAnswer[]
  /** The windows' current counts, including the calls of this batch. */
  readonly windows: WindowRowsChange | null
}

/** Writes a batch; repeating one after an ambiguous commit changes nothing twice. */
export async function commitLedger(db: Kysely<Schema>, batch: LedgerBatch): Promise<void> {
  if (!batch.charges.some(isExceeding)) return await writeBatch(db, batch)
  const exceeding = sortDistinct(batch.charges).filter(isExceeding)
  // The number of the change is taken first, as by every change of the directory, so that none waits for the other in a circle.
  await writeChange(db, async version => {
    const fresh = await findNewCharges(db, exceeding)
    await writeBatch(db, batch)
    await addUncharged(db, fresh, version)
  })
}

async function writeBatch(db: Kysely<Schema>, batch: LedgerBatch): Promise<void> {
  const { process, opened, progress, charges, note, dropped, videoTasks, undelivered, windows } = batch
  await insertUndelivered(db, undelivered)
  if (dialectOf(db) === 'postgres') await settleShared(db, toSharedSettlement(batch))
  else {
    if (opened.length > 0) await openStreams(db, process, opened)
    if (progress.length > 0) await recordProgress(db, progress)
    await settleCalls(db, process, { charges, ended: dropped }, note)
    if (windows !== null) await changeWindowRows(db, windows)
  }
  if (videoTasks.length > 0) await insertVideoTasks(db, process, videoTasks)
}

/** `insert … on conflict do nothing`: the charge of an ambiguous commit is repeated together with this row. */
async function insertUndelivered(db: Kysely<Schema>, answers: readonly UndeliveredAnswer[]): Promise<void> {
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
