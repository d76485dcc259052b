// The thread that owns a SQLite connection: commits wait for the disk here, never on the thread that serves requests.
import { type Connection, openConnection } from './open-connection.ts'
import {
  type CheckInput,
  checkName,
  closeName,
  type DescribedError,
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

function runOn(connection: Connection, { name, input }: StatementRequest): Promise<unknown> {
  if (name === closeName) return connection.close()
  // What `check` is sent with is its type: both ends are ours.
  if (name === checkName) return connection.check(input as CheckInput)
  return connection.run(name, input)
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
  self.onmessage = async (message: MessageEvent<StatementRequest | string>) => {
    const request = unpackRequest(message.data)
    const { id } = request
    try {
      const output = await runOn(connection, request)
      self.postMessage((output === undefined ? id : { id, output }) satisfies StatementReply)
    } catch (error) {
      self.postMessage({ id, error: describe(error) } satisfies StatementReply)
    }
  }
}
