// One commit for everything the ledger has waiting: many calls share one wait for the disk.
import type { Kysely } from 'kysely'
import type { OpenStreamsTable } from '../schema/ledger.ts'
import type { Schema } from '../schema/schema.ts'
import type { VideoTasksTable } from '../schema/videos.ts'
import { type ChargeRow, settleCharges } from './charges.ts'
import { dropStreams } from './drop-streams.ts'
import { openStreams, recordProgress, type StreamProgress } from './open-streams.ts'
import { insertVideoTasks } from './video-tasks.ts'
import { changeWindowRows, type WindowRowsChange } from './window-rows.ts'

export type LedgerBatch = {
  readonly opened: readonly OpenStreamsTable[]
  readonly progress: readonly StreamProgress[]
  readonly charges: readonly ChargeRow[]
  readonly dropped: readonly { team_id: string; call_id: string }[]
  /** Each beside its charge. */
  readonly videoTasks: readonly VideoTasksTable[]
  /** What the windows have counted by now, with the calls of this batch. */
  readonly windows: WindowRowsChange | null
}

/** Writes a batch; repeating one whose commit was ambiguous changes nothing twice. */
export async function commitLedger(db: Kysely<Schema>, batch: LedgerBatch): Promise<void> {
  await openStreams(db, batch.opened)
  await recordProgress(db, batch.progress)
  if (batch.charges.length > 0) await settleCharges(db, batch.charges)
  await insertVideoTasks(db, batch.videoTasks)
  await dropStreams(db, batch.dropped)
  if (batch.windows !== null) await changeWindowRows(db, batch.windows)
}
