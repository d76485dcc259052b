// The thread that parses, checks and digests large requests, so that the thread that serves them stays free.
import { randomBytes } from 'node:crypto'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'
import type { HandedBatch } from '../../store/sqlite/handed-entries.ts'
import { packEntries } from '../../store/statements/packed-entries.ts'
import { type PreparedBatch, prepareEntries } from './prepare-entries.ts'

/** The first message: the port on which entries are handed over. Null: they go back with the reply. */
export type PrepareStart = { readonly port: MessagePort | null }

export type PrepareRequest = { readonly id: number; readonly bytes: Uint8Array; readonly now: number }

export type PrepareReply =
  | { readonly id: number; readonly kind: 'prepared'; readonly batch: PreparedBatch }
  /** The whole request is refused; an error object itself cannot cross threads. */
  | {
      readonly id: number
      readonly kind: 'refused'
      readonly code: ErrorCode
      readonly message: string
      readonly param: string | null
    }
  | { readonly id: number; readonly kind: 'failed'; readonly message: string }

declare const self: Worker

function answer({ id, bytes, now }: PrepareRequest, port: MessagePort | null): void {
  const { prepared, ...judged } = prepareEntries(bytes, now)
  const entries = packEntries(prepared, randomBytes)
  const { count, bodies, salts, commitments } = entries
  const buffers = [bodies.buffer, salts.buffer, commitments.buffer]
  if (port === null) {
    const reply: PrepareReply = { id, kind: 'prepared', batch: { ...judged, entries } }
    self.postMessage(reply, buffers)
    return
  }
  // Post before the reply, so that the thread that appends these entries finds them in the port.
  port.postMessage({ heldAs: id, entries } satisfies HandedBatch, buffers)
  const held = { heldAs: id, count, bytes: entries.bytes }
  self.postMessage({ id, kind: 'prepared', batch: { ...judged, entries: held } } satisfies PrepareReply)
}

function describeFailure(id: number, error: unknown): PrepareReply {
  if (error instanceof ApiError)
    return { id, kind: 'refused', code: error.code, message: error.message, param: error.param }
  return { id, kind: 'failed', message: error instanceof Error ? error.message : String(error) }
}

/** Text of this size leaves garbage that the runtime notices late: 66 requests of 16 MB grew the process to 599 MB. */
const largeBytes = 4 * 1024 * 1024

self.onmessage = ({ data: { port } }: MessageEvent<PrepareStart>) => {
  self.onmessage = ({ data: request }: MessageEvent<PrepareRequest>) => {
    try {
      answer(request, port)
    } catch (error) {
      self.postMessage(describeFailure(request.id, error))
    }
    if (request.bytes.byteLength >= largeBytes) Bun.gc(true)
  }
}
