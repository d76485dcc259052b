// Finds the server to connect to among those of DATABASE_URL: the one that takes writes, wherever a fail-over has put it.
import { Client, type ClientConfig } from 'pg'
import { StoreError } from '../store-error.ts'
import { endConnection } from './cut-connection.ts'
import type { DatabaseAddress } from './database-address.ts'

/** A machine that is switched off answers nothing; a second of the server's return must not pass unseen. */
export const connectMs = 5000

/** PostgreSQL's own code for what a standby does not do. */
export const readOnlyCode = '25006'

export class ServerChoice {
  readonly #address: DatabaseAddress
  #current: string
  #looking: Promise<boolean> | null = null

  constructor(address: DatabaseAddress) {
    this.#address = address
    this.#current = address.servers[0]
  }

  /** The address of the server that was last seen to take writes; at first the one that was named first. */
  get current(): string {
    return this.#current
  }

  get needsWrites(): boolean {
    return this.#address.needsWrites
  }

  /** Looks once where there is a choice, before the first connection. */
  async settle(): Promise<void> {
    if (this.#address.servers.length > 1) await this.look()
  }

  /** A new connection to a server that may be used, found again where the current one may not. Rejects with what the current one failed with. */
  async connect(options: ClientConfig): Promise<Client> {
    try {
      return await this.#open(this.#current, options, this.needsWrites)
    } catch (error) {
      if (this.#address.servers.length === 1 || !(await this.look())) throw error
      return this.#open(this.#current, options, true)
    }
  }

  /**
   * Asks all servers at once, each over a new connection, since a name may stand for another machine by now. False when none of them
   * takes writes. Two that do at the same time are a mistake that no client can repair: whoever answers first is taken.
   */
  look(): Promise<boolean> {
    this.#looking ??= this.#find().finally(() => {
      this.#looking = null
    })
    return this.#looking
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

/** Rejects with StoreError on a standby, or where the database or the role is set to read only. */
export async function requireWrites(client: Pick<Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ writes: boolean }>(
    "select not pg_is_in_recovery() and current_setting('default_transaction_read_only') = 'off' as writes",
  )
  if (rows[0]?.writes !== true)
    throw new StoreError(
      'The database server takes no writes: it is a standby, or set to read only.',
      readOnlyCode,
    )
}
