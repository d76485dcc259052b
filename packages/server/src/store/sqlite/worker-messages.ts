// The messages between the serving thread and a SQLite worker.
import type { StoreFailureReason } from '../classify-failure.ts'
import { writeNote } from '../statements/file-calls.ts'
import type { LedgerBatch } from '../statements/ledger-batch.ts'

export type StatementRequest = { readonly id: number; readonly name: string; readonly input: unknown }

/**
 * A ledger batch crosses as text, everything else as it is: copying the rows of one charge took this thread 15 µs and reading them 14
 * there, its text takes 2 and 1; at 30 charges it is 4.4 and 2.4 a charge against 2.1 and 2.2. The note of its calls follows on its own
 * line: the writing thread stores it as it is, without reading it.
 */
export function packRequest(request: StatementRequest): StatementRequest | string {
  if (request.name !== 'commitLedger') return request
  // `commitLedger` gets inputs of its type: both ends are ours.
  const batch = request.input as LedgerBatch
  const charges = batch.charges.map(charge => ({ ...charge, facts: null }))
  return `${JSON.stringify({ ...request, input: { ...batch, charges } })}\n${writeNote(batch.charges) ?? ''}`
}

export function unpackRequest(message: StatementRequest | string): StatementRequest {
  if (typeof message !== 'string') return message
  const end = message.indexOf('\n')
  const { input, ...request } = JSON.parse(message.slice(0, end)) as StatementRequest
  return { ...request, input: { ...(input as LedgerBatch), note: message.slice(end + 1) || null } }
}

/**
 * To the writing thread, without a reply: the port at which a preparing thread hands over entries, or the number of a batch that will not
 * be appended.
 */
export type Handover = { readonly port: MessagePort } | { readonly discard: number }

/** Names in addition to those of the statements. `check` has the failure to be disproved as its input, or null. */
export const closeName = 'close'
export const checkName = 'check'
export type CheckInput = StoreFailureReason | null

export type DescribedError = { readonly message: string; readonly code: string | null }

/** A number is the id of a statement without a result. */
export type StatementReply =
  | number
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly error: DescribedError }

/** The first message from a worker: its database is open and migrated, or the reason why not. */
export type WorkerReady = { readonly ready: true } | { readonly ready: false; readonly error: DescribedError }

export type WorkerStart = { readonly path: string; readonly mode: 'write' | 'read' }
