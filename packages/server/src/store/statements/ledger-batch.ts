// One commit for everything the ledger has waiting: many calls share one wait for the disk.
import type { Kysely } from 'kysely'
import type { CallRef, Charge, OpenedStream, StreamProgress, UndeliveredAnswer } from '../../ledger/charge.ts'
import type { VideoTask } from '../../ledger/video-task.ts'
import type { Schema } from '../schema/schema.ts'
import type { ProcessRef } from './processes.ts'
import { openStreams, recordProgress } from './running-calls.ts'
import { settleCalls } from './settle-calls.ts'
import { settleShared, toSharedSettlement } from './settle-shared.ts'
import { insertUndelivered } from './undelivered-answers.ts'
import { insertVideoTasks } from './video-tasks.ts'
import { changeWindowRows, type WindowRowsChange } from './window-rows.ts'

/** Plain JSON: it crosses to the writing thread as text. */
export type LedgerBatch = {
  /** Who writes. */
  readonly process: ProcessRef
  readonly opened: readonly OpenedStream[]
  readonly progress: readonly StreamProgress[]
  readonly charges: readonly Charge[]
  /** Streams that have ended without a charge. */
  readonly dropped: readonly CallRef[]
  /** Each beside its charge. */
  readonly videoTasks: readonly VideoTask[]
  /** Each with its charge, or with that of an earlier batch. */
  readonly undelivered: readonly UndeliveredAnswer[]
  /** What the windows have counted by now, with the calls of this batch. */
  readonly windows: WindowRowsChange | null
}

/** Writes a batch; repeating one whose commit was ambiguous changes nothing twice. */
export async function commitLedger(db: Kysely<Schema>, batch: LedgerBatch): Promise<void> {
  const { process, opened, progress, charges, dropped, videoTasks, undelivered, windows } = batch
  await insertUndelivered(db, undelivered)
  if (process.limits === 'shared') {
    await settleShared(db, toSharedSettlement(batch))
    if (videoTasks.length > 0) await insertVideoTasks(db, process, videoTasks)
    return
  }
  if (opened.length > 0) await openStreams(db, process, opened)
  if (progress.length > 0) await recordProgress(db, progress)
  await settleCalls(db, process, { charges, ended: dropped })
  if (videoTasks.length > 0) await insertVideoTasks(db, process, videoTasks)
  if (windows !== null) await changeWindowRows(db, windows)
}
