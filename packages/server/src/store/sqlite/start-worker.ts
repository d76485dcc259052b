// Starts one SQLite worker and turns its messages into promises.
import { StoreError } from '../store-error.ts'
import type { StatementReply, WorkerReady, WorkerStart } from './worker-messages.ts'

type Waiting = { resolve: (output: unknown) => void; reject: (error: Error) => void }

export type StatementWorker = {
  readonly run: (name: string, input: unknown) => Promise<unknown>
  readonly close: () => Promise<void>
}

/** Resolves when the worker's database is open and migrated; rejects with its reason otherwise. */
export function startWorker(start: WorkerStart): Promise<StatementWorker> {
  const worker = new Worker(new URL('./store-worker.ts', import.meta.url))
  const waiting = new Map<number, Waiting>()
  let nextId = 0
  const run = (name: string, input: unknown) =>
    new Promise<unknown>((resolve, reject) => {
      nextId += 1
      waiting.set(nextId, { resolve, reject })
      worker.postMessage({ id: nextId, name, input })
    })
  const failAll = (message: string) => {
    for (const { reject } of waiting.values()) reject(new StoreError(message, null))
    waiting.clear()
  }
  const receive = (reply: StatementReply) => {
    const waiter = waiting.get(reply.id)
    waiting.delete(reply.id)
    if ('error' in reply) waiter?.reject(new StoreError(reply.error.message, reply.error.code))
    else waiter?.resolve(reply.output)
  }
  const close = async () => {
    await run('close', null)
    worker.terminate()
    failAll('The store is closed.')
  }
  return new Promise((resolve, reject) => {
    const giveUp = (message: string) => {
      reject(new StoreError(message, null))
      failAll(message)
      worker.terminate()
    }
    worker.onerror = event => giveUp(event.message)
    worker.onmessage = (first: MessageEvent<WorkerReady>) => {
      worker.onmessage = (message: MessageEvent<StatementReply>) => receive(message.data)
      if (first.data.ready) resolve({ run, close })
      else giveUp(first.data.message)
    }
    worker.postMessage(start)
  })
}
