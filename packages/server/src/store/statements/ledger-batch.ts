// One commit for everything the ledger has waiting: many calls share one wait for the disk.
import type { Kysely } from 'kysely'
import type { Charge, OpenedStream, StreamProgress, StreamRef } from '../../ledger/charge.ts'
import type { VideoTask } from '../../ledger/video-task.ts'
import type { Schema } from '../schema/schema.ts'
import { settleCharges } from './charges.ts'
import { dropStreams, openStreams, recordProgress } from './open-streams.ts'
import { insertVideoTasks } from './video-tasks.ts'
import { changeWindowRows, type WindowRowsChange } from './window-rows.ts'

/** Plain JSON: it crosses to the writing thread as text. */
export type LedgerBatch = {
  readonly opened: readonly OpenedStream[]
  readonly progress: readonly StreamProgress[]
  readonly charges: readonly Charge[]
  readonly dropped: readonly StreamRef[]
  /** Each beside its charge. */
  readonly videoTasks: readonly VideoTask[]
  /** What the windows have counted by now, with the calls of this batch. */
  readonly windows: WindowRowsChange | null
}

/** Writes a batch; repeating one whose commit was ambiguous changes nothing twice. */
export async function commitLedger(db: Kysely<Schema>, batch: LedgerBatch): Promise<void> {
  if (batch.opened.length > 0) await openStreams(db, batch.opened)
  if (batch.progress.length > 0) await recordProgress(db, batch.progress)
  if (batch.charges.length > 0) await settleCharges(db, batch.charges)
  if (batch.videoTasks.length > 0) await insertVideoTasks(db, batch.videoTasks)
  if (batch.dropped.length > 0) await dropStreams(db, batch.dropped)
  if (batch.windows !== null) await changeWindowRows(db, batch.windows)
}
