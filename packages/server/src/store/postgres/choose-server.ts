// Finds the server to connect to among those of DATABASE_URL: the one that accepts writes, also after a fail-over.
import { Client, type ClientConfig } from 'pg'
import { classifyFailure } from '../classify-failure.ts'
import { StoreError } from '../store-error.ts'
import { cutConnection, endConnection } from './cut-connection.ts'
import type { DatabaseAddress } from './database-address.ts'

/** A machine that is switched off answers nothing; a server's return must be noticed within a second. */
export const connectMs = 5000

/** PostgreSQL's own code for operations that a standby refuses. */
export const readOnlyCode = '25006'

export class ServerChoice {
  readonly #address: DatabaseAddress
  #current: string
  #looking: Promise<boolean> | null = null
  /** Open connections, with the server of each. */
  readonly #followed = new Map<Client, string>()

  constructor(address: DatabaseAddress) {
    this.#address = address
    this.#current = address.servers[0]
  }

  /** The address of the last server known to accept writes; at first, the one that was named first. */
  get current(): string {
    return this.#current
  }

  get needsWrites(): boolean {
    return this.#address.needsWrites
  }

  /** Checks once if there is a choice, before the first connection. */
  async settle(): Promise<void> {
    if (this.#address.servers.length > 1) await this.look()
  }

  /** A new connection to a usable server, found again if the current one is not usable. Rejects with the error of the current one. */
  async connect(options: ClientConfig): Promise<Client> {
    const server = this.#current
    try {
      return await this.#connectTo(server, options, this.needsWrites)
    } catch (error) {
      if (this.#address.servers.length === 1) throw error
      const isFollowed = this.#current !== server || (await this.look(error))
      if (!isFollowed) throw error
      return this.#connectTo(this.#current, options, true)
    }
  }

  /**
   * Cuts this connection when another server is found to be the primary. A connection that only reads would not notice: a server that was
   * made a standby, or was set to read only, keeps its connections and answers them with outdated data.
   */
  follow(client: Client, server: string): void {
    this.#followed.set(client, server)
    client.once('end', () => this.#followed.delete(client))
  }

  /**
   * Asks all servers at once, each over a new connection, because a name may point to another machine by now. False if none of them accepts
   * writes. Two that do at the same time are a mistake that no client can repair, so the first to answer is used. `cause` is the error that
   * led here: after one that says "read only", no earlier connection is trusted.
   */
  async look(cause?: unknown): Promise<boolean> {
    const before = [...this.#followed]
    this.#looking ??= this.#find().finally(() => {
      this.#looking = null
    })
    const isFound = await this.#looking
    if (!isFound) return false
    const isMoved = isReadOnly(cause)
    for (const [client, server] of before) if (isMoved || server !== this.#current) cutConnection(client)
    return true
  }

  async #connectTo(server: string, options: ClientConfig, mustWrite: boolean): Promise<Client> {
    const client = await this.#open(server, options, mustWrite)
    this.follow(client, server)
    return client
  }

  async #find(): Promise<boolean> {
    const asked = this.#address.servers.map(async server => {
      await endConnection(await this.#open(server, {}, true))
      return server
    })
    try {
      this.#current = await Promise.any(asked)
      return true
    } catch {
      return false
    }
  }

  async #open(connectionString: string, options: ClientConfig, mustWrite: boolean): Promise<Client> {
    const client = new Client({
      connectionString,
      application_name: 'fairgate-choice',
      connectionTimeoutMillis: connectMs,
      query_timeout: connectMs,
      keepAlive: true,
      ...options,
    })
    // An error of an idle connection is an event; without a listener it would end the process.
    client.on('error', () => undefined)
    try {
      await client.connect()
      if (mustWrite) await requireWrites(client)
      return client
    } catch (error) {
      await endConnection(client)
      throw error
    }
  }
}

/** A standby, or a server, a database or a role that is set to read only. */
export function isReadOnly(error: unknown): boolean {
  const found = classifyFailure(error)
  return found.scope === 'store' && found.reason === 'database_read_only'
}

/** Rejects with StoreError on a standby, or if the database or the role is set to read only. */
export async function requireWrites(client: Pick<Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ writes: boolean }>(
    "select not pg_is_in_recovery() and current_setting('default_transaction_read_only') = 'off' as writes",
  )
  if (rows[0]?.writes !== true)
    throw new StoreError(
      'The database server accepts no writes: it is a standby, or set to read only.',
      readOnlyCode,
    )
}
