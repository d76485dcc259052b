// Ends calls if processes share the limits: charges, records, totals and holds, in one statement (`settle_2`).
import { CompiledQuery, type Kysely } from 'kysely'
import type { CallRef, Charge, OpenedStream, StreamProgress } from '../../ledger/charge.ts'
import type { VideoTask } from '../../ledger/video-task.ts'
import type { CallsTable } from '../schema/calls.ts'
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

export const settleText = 'select settle_2($1, $2, $3, $4, $5, $6)'

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
    writeRows(sorted.map(toSettledRow)),
    writeRows(recordsOf(sorted).map(call => withHex(toCallRow(call)))),
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

function toSettledRow(charge: Charge) {
  return {
    ...toChargeRow(charge),
    team_period: charge.periods.team,
    key_period: charge.periods.key,
    budget_model: charge.budgetModelId ?? charge.modelId,
  }
}

/** Bytes as PostgreSQL reads them. */
function withHex(row: CallsTable) {
  const { texts_salt, texts_hash, salt, commit_hash, ...rest } = row
  return {
    ...rest,
    texts_salt: texts_salt && toHex(texts_salt),
    texts_hash: texts_hash && toHex(texts_hash),
    salt: toHex(salt),
    commit_hash: toHex(commit_hash),
  }
}

function toHex(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
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
