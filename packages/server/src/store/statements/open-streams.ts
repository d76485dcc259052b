// Keeps the rows of streams being served, so that a crash charges each at its last progress.
import type { Kysely } from 'kysely'
import type { Charge, ChargeFlag, OpenedStream, StreamProgress, StreamRef } from '../../ledger/charge.ts'
import { createHotInsert, createHotStatement } from '../hot-statement.ts'
import type { OpenStreamsTable } from '../schema/ledger.ts'
import type { Schema } from '../schema/schema.ts'
import { readFacts, writeFacts } from './calls.ts'
import { settleCharges } from './charges.ts'
import { readUnits } from './read-units.ts'

/** `insert into open_streams … on conflict do nothing`: repeating an ambiguous commit is harmless. */
export async function openStreams(db: Kysely<Schema>, streams: readonly OpenedStream[]): Promise<void> {
  await insertStreams(db, streams.map(toRow))
}

function toRow(stream: OpenedStream): OpenStreamsTable {
  return {
    call_id: stream.callId,
    team_id: stream.teamId,
    key_hash: stream.keyHash,
    model_id: stream.modelId,
    endpoint: stream.endpoint,
    team_period: stream.periods.team,
    key_period: stream.periods.key,
    admitted_at: stream.admittedAt,
    reserved_tokens: stream.reservedTokens,
    units: '{}',
    cost_nano: 0,
    flag: null,
    reported: null,
    progress_at: stream.admittedAt,
    facts: writeFacts(stream.facts),
  }
}

const insertStreams = createHotInsert<OpenStreamsTable>(
  {
    call_id: '',
    team_id: '',
    key_hash: '',
    model_id: '',
    endpoint: '',
    team_period: 0,
    key_period: 0,
    admitted_at: 0,
    reserved_tokens: 0,
    units: '',
    cost_nano: 0,
    flag: '',
    reported: '',
    progress_at: 0,
    facts: '',
  },
  (db, rows) =>
    db
      .insertInto('open_streams')
      .values(rows)
      .onConflict(conflict => conflict.doNothing()),
)

/** `update open_streams set units, cost_nano, flag, reported, progress_at`: one statement per stream, one commit for all. */
export async function recordProgress(db: Kysely<Schema>, streams: readonly StreamProgress[]): Promise<void> {
  for (const { units, cost, flag, reported, progressAt, teamId, callId } of streams) {
    await updateProgress(db, 1, [JSON.stringify(units), cost, flag, reported, progressAt, teamId, callId])
  }
}

const updateProgress = createHotStatement(db =>
  db
    .updateTable('open_streams')
    .set({ units: '', cost_nano: 0, flag: '', reported: '', progress_at: 0 })
    .where('team_id', '=', '')
    .where('call_id', '=', ''),
)

/** `delete from open_streams …`: the rows of streams that have ended, with their charge or without one. */
export async function dropStreams(db: Kysely<Schema>, streams: readonly StreamRef[]): Promise<void> {
  for (const { teamId, callId } of streams) await dropStream(db, 1, [teamId, callId])
}

const dropStream = createHotStatement(db =>
  db.deleteFrom('open_streams').where('team_id', '=', '').where('call_id', '=', ''),
)

export type OpenStream = Pick<OpenedStream, 'teamId' | 'keyHash' | 'modelId' | 'reservedTokens'> &
  Pick<StreamProgress, 'units'>

/** Streams that a crash left open: what they have used, before they are charged. */
export async function readOpenStreams(db: Kysely<Schema>): Promise<OpenStream[]> {
  const rows = await db
    .selectFrom('open_streams')
    .select([
      'team_id as teamId',
      'key_hash as keyHash',
      'model_id as modelId',
      'units',
      'reserved_tokens as reservedTokens',
    ])
    .execute()
  return rows.map(row => ({ ...row, units: readUnits(row.units) }))
}

/** After a crash: charges every stream left open at its last progress, outcome `interrupted`, and removes its row. */
export async function chargeInterruptedStreams(
  db: Kysely<Schema>,
  input: { now: number },
): Promise<{ charged: number }> {
  const rows = await db.selectFrom('open_streams').selectAll().execute()
  const charges = rows.map(
    (row): Charge => ({
      callId: row.call_id,
      teamId: row.team_id,
      keyHash: row.key_hash,
      modelId: row.model_id,
      endpoint: row.endpoint,
      units: readUnits(row.units),
      cost: row.cost_nano,
      outcome: 'interrupted',
      flag: row.flag as ChargeFlag | null,
      reported: row.reported,
      admittedAt: row.admitted_at,
      settledAt: input.now,
      durationMs: Math.max(0, row.progress_at - row.admitted_at),
      periods: { team: row.team_period, key: row.key_period },
      closesStream: true,
      facts: readFacts(row.facts),
    }),
  )
  if (charges.length > 0) await settleCharges(db, charges)
  return { charged: charges.length }
}
