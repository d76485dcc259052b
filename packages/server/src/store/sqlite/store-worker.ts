// The thread that owns a SQLite connection: commits wait for the disk here, never on the thread that serves requests.
import type { AppendEntriesInput } from '../statements/append-entries.ts'
import { HandedEntries } from './handed-entries.ts'
import { type Connection, openConnection } from './open-connection.ts'
import {
  type CheckInput,
  checkName,
  closeName,
  type DescribedError,
  type Handover,
  type StatementReply,
  type StatementRequest,
  unpackRequest,
  type WorkerReady,
  type WorkerStart,
} from './worker-messages.ts'

declare const self: Worker

function describe(error: unknown): DescribedError {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
  return { message: error instanceof Error ? error.message : String(error), code }
}

/** The innermost error says what happened. */
function describeRoot(error: unknown): DescribedError {
  return error instanceof Error && error.cause !== undefined ? describeRoot(error.cause) : describe(error)
}

const handed = new HandedEntries()

async function runOn(connection: Connection, { name, input }: StatementRequest): Promise<unknown> {
  if (name === closeName) return connection.close()
  // `check` and `appendEntries` get inputs of the declared types: both ends are ours.
  if (name === checkName) return connection.check(input as CheckInput)
  if (name !== 'appendEntries') return connection.run(name, input)
  const append = input as AppendEntriesInput
  const outcomes = await connection.run(name, handed.fill(append))
  handed.settle(append)
  return outcomes
}

self.onmessage = async (first: MessageEvent<WorkerStart>) => {
  let connection: Connection
  try {
    connection = await openConnection(first.data)
    self.postMessage({ ready: true } satisfies WorkerReady)
  } catch (error) {
    self.postMessage({ ready: false, error: describeRoot(error) } satisfies WorkerReady)
    return
  }
  self.onmessage = async ({ data }: MessageEvent<StatementRequest | string | Handover>) => {
    if (typeof data === 'object' && !('id' in data)) {
      handed.receive(data)
      return
    }
    const request = unpackRequest(data)
    const { id } = request
    try {
      const output = await runOn(connection, request)
      self.postMessage((output === undefined ? id : { id, output }) satisfies StatementReply)
    } catch (error) {
      self.postMessage({ id, error: describe(error) } satisfies StatementReply)
    }
  }
}
