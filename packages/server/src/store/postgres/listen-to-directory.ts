// Hears from PostgreSQL that another process has changed the directory, on a connection of its own, which is made again when it is lost.
import type { Client } from 'pg'
import { directoryChannels } from '../statements/directory-version.ts'
import type { ServerChoice } from './choose-server.ts'
import { cutConnection, endConnection } from './cut-connection.ts'

/**
 * `changed`: the change of this number was committed. `applied`: a process has all changes up to it in force. `connected`: notices
 * from before this one may have been missed.
 */
export type DirectoryNotice =
  | { readonly kind: 'changed' | 'applied'; readonly version: number }
  | { readonly kind: 'connected' }

export type DirectoryListenerOptions = {
  /** Of the server itself: a pooler that hands connections out by transaction lets nobody listen. */
  readonly database: ServerChoice
  readonly hear: (notice: DirectoryNotice) => void
  /** Called once for each time that notices stop coming; whoever follows the directory looks by itself meanwhile. */
  readonly reportFailure: (error: unknown) => void
}

const retryMs = 250
const connectMs = 2000
/** A connection that the network has swallowed reports no end. */
const signOfLifeMs = 5000

const kinds = new Map<string, 'changed' | 'applied'>([
  [directoryChannels.changed, 'changed'],
  [directoryChannels.applied, 'applied'],
])

export class DirectoryListener {
  readonly #options: DirectoryListenerOptions
  #client: Client | null = null
  #timer: ReturnType<typeof setTimeout> | null = null
  #isTold = false
  #isStopped = false
  #connecting: Promise<void>

  constructor(options: DirectoryListenerOptions) {
    this.#options = options
    this.#connecting = this.#connect()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#connecting
    if (this.#client !== null) await endConnection(this.#client)
  }

  async #connect(): Promise<void> {
    let failure: unknown = null
    let client: Client | null = null
    try {
      client = await this.#options.database.connect({
        application_name: 'fairgate-directory',
        connectionTimeoutMillis: connectMs,
        query_timeout: connectMs,
      })
      client.on('error', error => {
        failure ??= error
      })
      client.on('notification', ({ channel, payload }) => this.#pass(channel, payload ?? ''))
      for (const channel of kinds.keys()) await client.query(`listen ${channel}`)
    } catch (error) {
      if (client !== null) await endConnection(client)
      this.#retry(error)
      return
    }
    if (this.#isStopped) {
      await endConnection(client)
      return
    }
    this.#client = client
    client.once('end', () => {
      this.#client = null
      this.#retry(failure ?? new Error('The connection has ended.'))
    })
    this.#isTold = false
    this.#options.hear({ kind: 'connected' })
    this.#watch(client)
  }

  #pass(channel: string, payload: string): void {
    const kind = kinds.get(channel)
    const version = Number(payload)
    if (kind !== undefined && Number.isSafeInteger(version)) this.#options.hear({ kind, version })
  }

  #watch(client: Client): void {
    this.#timer = setTimeout(async () => {
      try {
        await client.query('select 1')
        if (this.#client === client && !this.#isStopped) this.#watch(client)
      } catch {
        // Its end makes a new one.
        cutConnection(client)
      }
    }, signOfLifeMs)
  }

  #retry(error: unknown): void {
    if (this.#isStopped) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (!this.#isTold) this.#options.reportFailure(error)
    this.#isTold = true
    this.#timer = setTimeout(() => {
      this.#connecting = this.#connect()
    }, retryMs)
  }
}
