// Chooses where a request is prepared: a small one on this thread at once, a large one on a separate thread.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import { packEntries } from '../../store/statements/packed-entries.ts'
import type { Store } from '../../store/store.ts'
import type { World } from '../../world/world.ts'
import { type PreparedBatch, prepareEntries } from './prepare-entries.ts'
import type { PrepareReply, PrepareRequest, PrepareStart } from './prepare-worker.ts'

export type EntryPreparerDependencies = Pick<World, 'clock' | 'randomBytes'> & Pick<Store, 'handover'>

type Waiting = {
  readonly size: number
  readonly resolve: (batch: PreparedBatch) => void
  readonly reject: (error: Error) => void
}

/** Below this size, handing the request to the thread and back costs more than the work. */
const smallestForThread = 32 * 1024

/** Max bytes that may wait for the thread. Anything beyond is refused, so that a flood cannot fill the memory. */
const maximumWaitingBytes = 128 * 1024 * 1024

/**
 * Entries of a large request go directly from the preparing thread to the writing thread, if there is one. This thread then only learns
 * their number.
 */
export class EntryPreparer {
  readonly #dependencies: EntryPreparerDependencies
  readonly #waiting = new Map<number, Waiting>()
  #thread: Worker | null = null
  #waitingBytes = 0
  #lastId = 0
  #isClosed = false

  constructor(dependencies: EntryPreparerDependencies) {
    this.#dependencies = dependencies
  }

  /** Takes ownership of the bytes: callers must not use them afterwards. Throws what `parseBatch` throws, or `unavailable` (503). */
  async prepare(bytes: Uint8Array): Promise<PreparedBatch> {
    const now = this.#dependencies.clock()
    const size = bytes.byteLength
    if (size < smallestForThread) {
      const { prepared, ...judged } = prepareEntries(bytes, now)
      return { ...judged, entries: packEntries(prepared, this.#dependencies.randomBytes) }
    }
    if (this.#isClosed || this.#waitingBytes + size > maximumWaitingBytes) throw busy()
    this.#thread ??= this.#start()
    const thread = this.#thread
    const own = ownBuffer(bytes)
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { size, resolve, reject })
      this.#waitingBytes += size
      thread.postMessage({ id, bytes: own, now } satisfies PrepareRequest, [own.buffer])
    })
  }

  /** Ends the thread and refuses what is still waiting. */
  close(): void {
    this.#isClosed = true
    this.#abandon()
  }

  #start(): Worker {
    const thread = new Worker(new URL('./prepare-worker.ts', import.meta.url))
    thread.onmessage = ({ data: reply }: MessageEvent<PrepareReply>) => {
      const waiter = this.#take(reply.id)
      if (waiter !== undefined) settle(waiter, reply)
    }
    thread.onerror = event => this.#abandon(new Error(event.message))
    thread.unref()
    const port = this.#dependencies.handover.openPort()
    thread.postMessage({ port } satisfies PrepareStart, port === null ? [] : [port])
    return thread
  }

  #take(id: number): Waiting | undefined {
    const found = this.#waiting.get(id)
    this.#waiting.delete(id)
    this.#waitingBytes -= found?.size ?? 0
    return found
  }

  /** Drops the thread and everything that waits for it. The next request starts a new one. */
  #abandon(cause?: unknown): void {
    this.#thread?.terminate()
    this.#thread = null
    for (const id of [...this.#waiting.keys()]) {
      this.#dependencies.handover.discard(id)
      this.#take(id)?.reject(busy(cause))
    }
  }
}

/** Only a buffer that contains nothing else may be transferred. */
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

function busy(cause?: unknown): ApiError {
  return unavailable(1, cause, 'The logbook is busy; nothing was stored. Send the entries again shortly.')
}
