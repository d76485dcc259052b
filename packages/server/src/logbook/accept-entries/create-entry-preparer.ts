// Chooses where a request is prepared: a small one here at once, a large one on a thread of its own.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { type PreparedBatch, prepareEntries } from './prepare-entries.ts'
import type { PrepareReply, PrepareRequest } from './prepare-messages.ts'

export type EntryPreparer = {
  /** Takes the bytes over: they may not be used afterwards. Throws what `parseBatch` throws, or `unavailable` (503). */
  readonly prepare: (bytes: Uint8Array) => Promise<PreparedBatch>
  /** Ends the thread; what still waits is refused. */
  readonly close: () => void
}

type Waiting = {
  readonly size: number
  readonly resolve: (batch: PreparedBatch) => void
  readonly reject: (error: Error) => void
}

/** Below this size the way to the thread and back costs more than the work. */
const smallestForThread = 32 * 1024

/** So many bytes may wait for the thread; more is refused, so that a flood cannot fill the memory. */
const maximumWaitingBytes = 128 * 1024 * 1024

export function createEntryPreparer(dependencies: { readonly clock: () => number }): EntryPreparer {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | null = null
  let waitingBytes = 0
  let nextId = 0
  let isClosed = false

  const take = (id: number) => {
    const found = waiting.get(id)
    waiting.delete(id)
    waitingBytes -= found?.size ?? 0
    return found
  }
  /** The thread is given up with everything that waits for it; the next request starts a new one. */
  const abandon = (cause?: unknown) => {
    worker?.terminate()
    worker = null
    for (const id of [...waiting.keys()]) take(id)?.reject(unavailable(cause))
  }
  const start = (): Worker => {
    const started = new Worker(new URL('./prepare-worker.ts', import.meta.url))
    started.onmessage = (message: MessageEvent<PrepareReply>) => {
      const waiter = take(message.data.id)
      if (waiter !== undefined) settle(waiter, message.data)
    }
    started.onerror = event => abandon(new Error(event.message))
    started.unref()
    return started
  }

  return Object.freeze({
    prepare: async (bytes: Uint8Array) => {
      if (bytes.byteLength < smallestForThread) return prepareEntries(bytes, dependencies.clock())
      if (isClosed || waitingBytes + bytes.byteLength > maximumWaitingBytes) throw unavailable()
      worker ??= start()
      const thread = worker
      const size = bytes.byteLength
      const own = ownBuffer(bytes)
      return new Promise<PreparedBatch>((resolve, reject) => {
        nextId += 1
        waiting.set(nextId, { size, resolve, reject })
        waitingBytes += size
        const request: PrepareRequest = { id: nextId, bytes: own, now: dependencies.clock() }
        thread.postMessage(request, [own.buffer])
      })
    },
    close: () => {
      isClosed = true
      abandon()
    },
  })
}

/** Only a buffer that holds nothing else may be given away. */
function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(bytes)
}

function settle(waiter: Waiting, reply: PrepareReply): void {
  if (reply.kind === 'prepared') waiter.resolve(reply.batch)
  else if (reply.kind === 'failed') waiter.reject(new Error(reply.message))
  else {
    const param = reply.param === null ? {} : { param: reply.param }
    waiter.reject(new ApiError(reply.code, { message: reply.message, ...param }))
  }
}

function unavailable(cause?: unknown): ApiError {
  return new ApiError('unavailable', {
    message: 'The logbook is busy; nothing was stored. Send the entries again shortly.',
    headers: { 'retry-after': '1' },
    cause,
  })
}
