// Starts one SQLite worker and turns its messages into promises.

import { ownCodes, StoreError } from '../store-error.ts'
import { isStoreFailure } from '../store-unavailable.ts'
import {
  type CheckInput,
  checkName,
  closeName,
  type Handover,
  packRequest,
  type StatementReply,
  type WorkerReady,
  type WorkerStart,
} from './worker-messages.ts'

type Waiting = { resolve: (output: unknown) => void; reject: (error: Error) => void }

export type StatementWorker = {
  readonly run: (name: string, input: unknown) => Promise<unknown>
  /** There is no reply. A port is transferred to the thread. */
  readonly report: (handover: Handover) => void
  /** Rejects if the database cannot be used, or if the worker has been silent for too long. */
  readonly check: (doubt: CheckInput) => Promise<void>
  readonly close: () => Promise<void>
}

/** A hanging disk stops the thread, which is then sent nothing more. Longer than its longest wait for a lock (10 s). */
const usualSilenceMs = 15_000

const workerFile = new URL('./store-worker.ts', import.meta.url)

/** Resolves when the worker's database is open and migrated; otherwise rejects with its reason. Tests have their own threads. */
export function startWorker(
  start: WorkerStart,
  file: URL = workerFile,
  silenceMs = usualSilenceMs,
): Promise<StatementWorker> {
  const worker = new Worker(file)
  const waiting = new Map<number, Waiting>()
  let nextId = 0
  /** The reason why the thread accepts no more statements. */
  let ended: StoreError | null = null
  let isSilent = false
  let isClosing = false
  const silence = new StoreError(
    `The database thread has not answered for ${silenceMs / 1000} s: does the disk hang?`,
    ownCodes.noAnswer,
  )

  const send = (name: string, input: unknown) =>
    new Promise<unknown>((resolve, reject) => {
      if (ended !== null) {
        reject(ended)
        return
      }
      nextId += 1
      waiting.set(nextId, { resolve, reject })
      worker.postMessage(packRequest({ id: nextId, name, input }))
    })
  const run = (name: string, input: unknown) => (isSilent ? Promise.reject(silence) : send(name, input))
  const report = (handover: Handover) => {
    if (ended === null) worker.postMessage(handover, 'port' in handover ? [handover.port] : [])
  }
  const rejectAll = (error: StoreError) => {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  const end = (message: string) => {
    ended ??= new StoreError(message, ownCodes.workerEnded)
    rejectAll(ended)
    worker.terminate()
  }
  const receive = (reply: StatementReply) => {
    isSilent = false
    const id = typeof reply === 'number' ? reply : reply.id
    const waiter = waiting.get(id)
    waiting.delete(id)
    if (typeof reply === 'number') waiter?.resolve(undefined)
    else if ('error' in reply) waiter?.reject(new StoreError(reply.error.message, reply.error.code))
    else waiter?.resolve(reply.output)
  }
  /** Statements that still wait may be carried out all the same when the thread wakes: every write can be repeated. */
  const fallSilent = () => {
    isSilent = true
    rejectAll(silence)
  }
  const check = async (doubt: CheckInput) => {
    if (isSilent) throw silence
    const timer = setTimeout(fallSilent, silenceMs)
    timer.unref()
    try {
      await send(checkName, doubt)
    } finally {
      clearTimeout(timer)
    }
  }
  const close = async () => {
    isClosing = true
    try {
      if (!isSilent) await send(closeName, null)
    } catch (error) {
      // The files or the thread are gone: nothing is left to close.
      if (!isStoreFailure(error)) throw error
    } finally {
      end('The store is closed.')
    }
  }
  return new Promise((resolve, reject) => {
    const giveUp = (message: string) => {
      end(message)
      reject(ended)
    }
    worker.onerror = event => giveUp(`The database thread ended: ${event.message}`)
    worker.addEventListener('close', () => {
      if (!isClosing) giveUp('The database thread ended.')
    })
    worker.onmessage = (first: MessageEvent<WorkerReady>) => {
      worker.onmessage = (message: MessageEvent<StatementReply>) => receive(message.data)
      if (first.data.ready) {
        resolve({ run, report, check, close })
        return
      }
      const { message, code } = first.data.error
      reject(new StoreError(message, code))
      isClosing = true
      end(message)
    }
    worker.postMessage(start)
  })
}
