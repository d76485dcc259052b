// Ends the calls that dead processes have left running: any process may do so at any time, and doing so twice changes nothing.
import type { Kysely } from 'kysely'
import type { CallRef, Charge, ChargeFlag } from '../../ledger/charge.ts'
import { dialectOf } from '../dialect.ts'
import type { RunningCallsTable } from '../schema/ledger.ts'
import type { Schema } from '../schema/schema.ts'
import { readFacts } from './calls.ts'
import { declareDead, declaredDead, type ProcessRef, removeProcess } from './processes.ts'
import { readUnits } from './read-units.ts'
import { settleCalls } from './running-calls.ts'
import { failInterruptedOrder } from './video-tasks.ts'

export type SweepInput = {
  /** The sweeping process. */
  readonly process: ProcessRef
  readonly deadProcessId: string
  /** Unix ms of the charges. */
  readonly now: number
  /** Max calls in one transaction: other processes' charges wait for it. */
  readonly limit: number
}

export type SweepOutcome = {
  /** Streams, each charged for the part that it had delivered. */
  readonly charged: number
  /** Videos that were being ordered, each refunded. */
  readonly refunded: number
  /** Calls that had cost nothing yet. */
  readonly released: number
  /** True if nothing is left to do here: all is ended, the process lives, or another process is sweeping it. */
  readonly isOver: boolean
}

/**
 * Ends some of a dead process's calls. A stream is charged at its last progress, outcome `interrupted`; an order that the upstream may have
 * is failed and refunded; anything else is released. The process's row goes with its last call.
 */
export async function sweepCalls(db: Kysely<Schema>, input: SweepInput): Promise<SweepOutcome> {
  const { process, deadProcessId, now, limit } = input
  if (!(await declareDead(db, deadProcessId))) return { charged: 0, refunded: 0, released: 0, isOver: true }
  let query = db
    .selectFrom('running_calls')
    .selectAll()
    .where('process_id', '=', deadProcessId)
    .orderBy('team_id')
    .orderBy('call_id')
    .limit(limit)
  // If its process is ending a call after all, the call is left to it.
  if (dialectOf(db) === 'postgres') query = query.forUpdate().skipLocked()
  const rows = await query.execute()
  const charges: Charge[] = []
  const ended: CallRef[] = []
  let refunded = 0
  for (const row of rows) {
    const call = { teamId: row.team_id, callId: row.call_id }
    const charge = toInterruptedCharge(row, now)
    if (charge !== null) charges.push(charge)
    else if (row.kind === 'order' && (await failInterruptedOrder(db, { call, now, process }))) refunded += 1
    else ended.push(call)
  }
  await settleCalls(db, process, { charges, ended })
  const isOver = rows.length < limit
  if (isOver) await removeProcess(db, deadProcessId)
  return { charged: charges.length, refunded, released: ended.length, isOver }
}

/** Null if it is not a stream. */
function toInterruptedCharge(row: RunningCallsTable, now: number): Charge | null {
  const { model_id, endpoint, units, progress_at } = row
  if (row.kind !== 'stream' || model_id === null || endpoint === null || progress_at === null) return null
  return {
    callId: row.call_id,
    teamId: row.team_id,
    keyHash: row.key_hash,
    modelId: model_id,
    endpoint,
    units: readUnits(units ?? '{}'),
    cost: row.cost_nano,
    outcome: 'interrupted',
    flag: row.flag as ChargeFlag | null,
    reported: row.reported,
    admittedAt: row.admitted_at,
    settledAt: now,
    durationMs: Math.max(0, progress_at - row.admitted_at),
    periods: { team: row.team_period, key: row.key_period },
    kind: 'stream',
    facts: readFacts(row.facts),
  }
}

/** For the only process on a database: all others are dead, and their memory is lost. */
export async function replaceOthers(
  db: Kysely<Schema>,
  { processId }: Pick<ProcessRef, 'processId'>,
): Promise<void> {
  await db
    .updateTable('processes')
    .set({ lease_until: declaredDead })
    .where('process_id', '!=', processId)
    .execute()
  // No other process is working on a video.
  await db.updateTable('video_tasks').set({ leased_until: 0 }).where('leased_until', '>', 0).execute()
}
