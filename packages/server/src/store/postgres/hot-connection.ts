// A dedicated connection for a function that is called all the time: prepared, with fixed plans, and with time limits.
import type { Client, QueryArrayConfig } from 'pg'
import { ownCodes, StoreError } from '../store-error.ts'
import { readOnlyCode, type ServerChoice } from './choose-server.ts'
import { cutConnection, endConnection } from './cut-connection.ts'

export type HotConnectionOptions = {
  readonly database: ServerChoice
  readonly name: string
  /** SQL for the new connection. */
  readonly settings: readonly string[]
  /** Max time of a statement; the connection is cut if there is no answer a second later. */
  readonly statementMs: number
}

/**
 * A plan that was made while a table was empty would be kept when the table is full. Reads are always few rows by their key, so compiling
 * never pays off.
 */
const plans = [
  'set plan_cache_mode = force_generic_plan',
  'set enable_seqscan = off',
  'set enable_hashjoin = off',
  'set enable_mergejoin = off',
  'set jit = off',
]

export class HotConnection {
  readonly #options: HotConnectionOptions
  #client: Promise<Client> | null = null
  #open: Client | null = null
  #isClosed = false
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: HotConnectionOptions) {
    this.#options = options
  }

  /** The rows, once the statements before it have ended. After a failure with an unknown outcome the next one gets a new connection. */
  run(query: Omit<QueryArrayConfig, 'rowMode'>): Promise<unknown[][]> {
    const rows = this.#last.then(() => this.#run(query))
    this.#last = rows.catch(() => undefined)
    return rows
  }

  async #run(query: Omit<QueryArrayConfig, 'rowMode'>): Promise<unknown[][]> {
    if (this.#isClosed) throw new StoreError('The connection to the database is closed.', ownCodes.lockLost)
    this.#client ??= this.#connect()
    const connecting = this.#client
    try {
      const client = await connecting
      const { rows } = await client.query<unknown[]>({ ...query, rowMode: 'array' })
      return rows
    } catch (error) {
      // The server has answered: it continues with the next statement, unless it is shutting down.
      const severity = error instanceof Error && 'severity' in error ? error.severity : null
      const code = error instanceof Error && 'code' in error ? error.code : null
      // A server that was made a standby may keep its connections: the next one finds the server that accepts writes.
      if (severity !== 'ERROR' || code === readOnlyCode) this.#drop(connecting)
      throw error
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const client = await this.#client?.catch(() => null)
    this.#client = null
    if (client) await endConnection(client)
  }

  async #connect(): Promise<Client> {
    const { database, name, settings, statementMs } = this.#options
    const client = await database.connect({
      application_name: name,
      connectionTimeoutMillis: statementMs,
      query_timeout: statementMs + 1000,
    })
    const lose = () => {
      if (this.#open !== client) return
      this.#open = null
      this.#client = null
    }
    client.on('error', lose)
    client.on('end', lose)
    this.#open = client
    await client.query(
      [...plans, `set statement_timeout = ${statementMs}`, 'set lock_timeout = 1000', ...settings].join('; '),
    )
    return client
  }

  #drop(connecting: Promise<Client>): void {
    if (this.#client === connecting) this.#client = null
    connecting.then(cutConnection, () => undefined)
  }
}
