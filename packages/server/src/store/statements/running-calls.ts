// Stores the rows of running calls, so that another process can end them if theirs has died, and ends calls: streams, and videos being ordered.
import type { Kysely } from 'kysely'
import type { CallRef, Charge, OpenedStream, StreamProgress } from '../../ledger/charge.ts'
import type { VideoTask } from '../../ledger/video-task.ts'
import { dialectOf } from '../dialect.ts'
import { createHotInsert, createHotStatement } from '../hot-statement.ts'
import type { RunningCallsTable } from '../schema/ledger.ts'
import type { Schema } from '../schema/schema.ts'
import { writeFacts } from './calls.ts'
import { settleCharges } from './charges.ts'
import type { ProcessRef } from './processes.ts'
import { readUnits } from './read-units.ts'
import { settleShared } from './settle-shared.ts'

/** On SQLite: `insert into running_calls … on conflict do update`: repeating an ambiguous commit keeps the progress that came after it. */
export async function openStreams(
  db: Kysely<Schema>,
  process: ProcessRef,
  streams: readonly OpenedStream[],
): Promise<void> {
  await insertRunningCalls(
    db,
    streams.map(stream => ({
      ...toRow(process, stream),
      kind: 'stream',
      reserved_tokens: stream.reservedTokens,
      units: '{}',
      progress_at: stream.admittedAt,
      facts: writeFacts(stream.facts),
    })),
  )
}

/** The rows of videos that are being ordered: each stays until the upstream's answer is on record, or the order is taken back. */
export async function openOrders(
  db: Kysely<Schema>,
  process: ProcessRef,
  tasks: readonly VideoTask[],
): Promise<void> {
  if (dialectOf(db) === 'postgres') return await settleShared(db, { slot: process.slot, orders: tasks })
  await insertRunningCalls(
    db,
    tasks.map(task => ({
      ...toRow(process, { ...task, admittedAt: task.createdAt }),
      kind: 'order',
    })),
  )
}

function toRow(
  { processId }: ProcessRef,
  call: Pick<
    OpenedStream,
    'teamId' | 'callId' | 'keyHash' | 'modelId' | 'endpoint' | 'admittedAt' | 'periods'
  >,
): RunningCallsTable {
  return {
    team_id: call.teamId,
    call_id: call.callId,
    process_id: processId,
    kind: 'call',
    key_hash: call.keyHash,
    model_id: call.modelId,
    endpoint: call.endpoint,
    admitted_at: call.admittedAt,
    team_period: call.periods.team,
    key_period: call.periods.key,
    amount_nano: 0,
    event_nano: 0,
    reserved_tokens: 0,
    units: null,
    cost_nano: 0,
    flag: null,
    reported: null,
    progress_at: null,
    facts: null,
  }
}

const insertRunningCalls = createHotInsert<RunningCallsTable>((db, rows) =>
  db
    .insertInto('running_calls')
    .values(rows)
    .onConflict(conflict =>
      conflict.columns(['team_id', 'call_id']).doUpdateSet(row => ({
        kind: row.ref('excluded.kind'),
        endpoint: row.ref('excluded.endpoint'),
        units: row.fn.coalesce('running_calls.units', 'excluded.units'),
        progress_at: row.fn.coalesce('running_calls.progress_at', 'excluded.progress_at'),
        facts: row.ref('excluded.facts'),
      })),
    ),
)

/** `update running_calls set units, cost_nano, flag, reported, progress_at`: one statement per stream, one commit for all. */
export async function recordProgress(db: Kysely<Schema>, streams: readonly StreamProgress[]): Promise<void> {
  for (const { units, cost, flag, reported, progressAt, teamId, callId } of streams) {
    await updateProgress(db, 1, [JSON.stringify(units), cost, flag, reported, progressAt, teamId, callId])
  }
}

const updateProgress = createHotStatement(db =>
  db
    .updateTable('running_calls')
    .set({ units: '', cost_nano: 0, flag: '', reported: '', progress_at: 0 })
    .where('team_id', '=', '')
    .where('call_id', '=', ''),
)

/** `delete from running_calls …`: the rows of calls that have ended, with or without a charge. */
async function removeRunningCalls(db: Kysely<Schema>, calls: readonly CallRef[]): Promise<void> {
  for (const { teamId, callId } of calls) await removeRunningCall(db, 1, [teamId, callId])
}

const removeRunningCall = createHotStatement(db =>
  db.deleteFrom('running_calls').where('team_id', '=', '').where('call_id', '=', ''),
)

export type LeftStream = Pick<OpenedStream, 'teamId' | 'keyHash' | 'modelId' | 'reservedTokens'> &
  Pick<StreamProgress, 'units'>

/** Streams of all other processes, before they are charged: their use so far. */
export async function readLeftStreams(
  db: Kysely<Schema>,
  { processId }: Pick<ProcessRef, 'processId'>,
): Promise<LeftStream[]> {
  const rows = await db
    .selectFrom('running_calls')
    .select(['team_id as teamId', 'key_hash as keyHash', 'model_id', 'units'])
    .select('reserved_tokens as reservedTokens')
    .where('kind', '=', 'stream')
    .where('process_id', '!=', processId)
    .execute()
  return rows.map(({ model_id, units, ...row }) => ({
    ...row,
    modelId: model_id ?? '',
    units: readUnits(units ?? '{}'),
  }))
}

export type RunningCalls = { readonly calls: number; readonly streams: number }

/** `select kind, count(*) from running_calls where kind <> 'info' group by kind`: for all processes. */
export async function countRunningCalls(db: Kysely<Schema>, _input: null): Promise<RunningCalls> {
  const rows = await db
    .selectFrom('running_calls')
    .select(['kind', ({ fn }) => fn.countAll<number>().as('calls')])
    .where('kind', '<>', 'info')
    .groupBy('kind')
    .execute()
  const calls = rows.reduce((sum, row) => sum + row.calls, 0)
  return { calls, streams: rows.find(({ kind }) => kind === 'stream')?.calls ?? 0 }
}

export type Settlement = {
  readonly charges: readonly Charge[]
  /** Calls that end without a charge in this settlement. */
  readonly ended: readonly CallRef[]
}

/**
 * `note`: as in a `LedgerBatch`. Repeating a settlement, or settling a call that another process has ended, changes nothing twice. The rows
 * of running calls come first, as in a sweep: a late settlement and a sweep of the same calls then wait for each other, and neither waits
 * in a circle.
 */
export async function settleCalls(
  db: Kysely<Schema>,
  process: ProcessRef,
  { charges, ended }: Settlement,
  note?: string | null,
): Promise<void> {
  if (dialectOf(db) === 'postgres') return await settleShared(db, { slot: process.slot, charges, ended })
  await removeRunningCalls(
    db,
    charges.filter(({ kind }) => kind === 'stream'),
  )
  await removeRunningCalls(db, ended)
  if (charges.length > 0) await settleCharges(db, process.slot, charges, note)
}
