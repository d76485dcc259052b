// Ends calls if processes share the limits: charges, records, totals and holds, in one statement (`settle_2`).
import { CompiledQuery, type Kysely } from 'kysely'
import type { CallRef, Charge, OpenedStream, StreamProgress } from '../../ledger/charge.ts'
import type { VideoTask } from '../../ledger/video-task.ts'
import { settledCallColumns } from '../postgres/functions/settle-2.ts'
import type { CallsTable } from '../schema/calls.ts'
import type { ChargesTable } from '../schema/ledger.ts'
import type { Schema } from '../schema/schema.ts'
import { toCallRow, writeFacts } from './calls.ts'
import { sortDistinct, toChargeRow } from './charges.ts'
import { recordsOf } from './file-calls.ts'
import type { LedgerBatch } from './ledger-batch.ts'

export type SharedSettlement = {
  /** The slot of the process that writes. */
  readonly slot: number
  readonly charges?: readonly Charge[]
  /** Calls that end without a charge in this settlement. */
  readonly ended?: readonly CallRef[]
  readonly opened?: readonly OpenedStream[]
  readonly progress?: readonly StreamProgress[]
  /** Videos that are being ordered: their charges are among `charges`, and their calls continue. */
  readonly orders?: readonly VideoTask[]
}

/** The part of a ledger batch without its new videos and withheld answers, which need a transaction. */
export function toSharedSettlement(batch: LedgerBatch): SharedSettlement {
  const { process, charges, dropped, opened, progress } = batch
  return { slot: process.slot, charges, ended: dropped, opened, progress }
}

export const settleText = 'select settle_2($1, $2, $3, $4, $5)'

/** For use among other statements in a transaction, such as a refund or a sweep. */
export async function settleShared(db: Kysely<Schema>, settlement: SharedSettlement): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(settleText, [...buildSettlement(settlement)]))
}

/** The parameters of `settle_2`: null for empty parts. */
export function buildSettlement(settlement: SharedSettlement): readonly unknown[] {
  const { slot, charges = [], ended = [], opened = [], progress = [], orders = [] } = settlement
  const sorted = sortDistinct(charges)
  return [
    slot,
    nameEnded(sorted, ended),
    writeSettled(sorted),
    writeRows([...opened.map(toOpenedStream), ...orders.map(toOpenedOrder)]),
    writeRows(progress.map(toProgressRow)),
  ]
}

/** The same order everywhere: two that end the same calls at once then wait for each other, and neither waits in a circle. */
function nameEnded(charges: readonly Charge[], ended: readonly CallRef[]): string[] | null {
  const fates = new Map<string, readonly [teamId: string, callId: string, fate: 'ends' | 'keeps']>()
  for (const charge of charges) {
    if (charge.outcome === 'refunded') continue
    const { teamId, callId } = charge
    fates.set(`${teamId} ${callId}`, [teamId, callId, charge.kind === 'order' ? 'keeps' : 'ends'])
  }
  for (const { teamId, callId } of ended) fates.set(`${teamId} ${callId}`, [teamId, callId, 'ends'])
  if (fates.size === 0) return null
  return [...fates.entries()].sort(([left], [right]) => (left < right ? -1 : 1)).flatMap(([, fate]) => fate)
}

/** An array of `settled_call_1`; null if there are none. */
function writeSettled(charges: readonly Charge[]): string | null {
  if (charges.length === 0) return null
  const records = new Map(recordsOf(charges).map(record => [record.callId, toCallRow(record)]))
  const values = charges.map(charge => {
    const row: SettledRow = {
      ...records.get(charge.callId),
      ...toChargeRow(charge),
      team_period: charge.periods.team,
      key_period: charge.periods.key,
      budget_model: charge.budgetModelId ?? charge.modelId,
    }
    return `"(${settledColumns.map(column => writeField(row[column])).join(',')})"`
  })
  return `{${values.join(',')}}`
}

/** The record of the call is missing for a refund. */
type SettledRow = Partial<CallsTable> &
  ChargesTable & { readonly team_period: number; readonly key_period: number; readonly budget_model: string }

const settledColumns = Object.keys(settledCallColumns) as (keyof typeof settledCallColumns)[]

/** A field of a composite value within an array, both as PostgreSQL reads them: each level has its own quotes and escapes. */
function writeField(value: string | number | Uint8Array | null | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return `\\\\\\\\x${toHex(value)}`
  const escaped = /[\\"]/.test(value) ? value.replaceAll(/[\\"]/g, '\\\\\\$&') : value
  return `\\"${escaped}\\"`
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

function toOpenedStream({ teamId, callId, endpoint, admittedAt, facts }: OpenedStream) {
  return {
    team_id: teamId,
    call_id: callId,
    kind: 'stream',
    endpoint,
    units: '{}',
    progress_at: admittedAt,
    facts: writeFacts(facts),
  }
}

function toOpenedOrder({ teamId, callId, endpoint }: VideoTask) {
  return { team_id: teamId, call_id: callId, kind: 'order', endpoint }
}

function toProgressRow({ teamId, callId, units, cost, flag, reported, progressAt }: StreamProgress) {
  return {
    team_id: teamId,
    call_id: callId,
    units: JSON.stringify(units),
    cost_nano: cost,
    flag,
    reported,
    progress_at: progressAt,
  }
}

function writeRows(rows: readonly object[]): string | null {
  return rows.length === 0 ? null : JSON.stringify(rows)
}
