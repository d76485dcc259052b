// One connection that is kept for as long as the process lives: it tells whether the server is alive, and is made again when it is lost.
import type { Client } from 'pg'
import { ownCodes, StoreError } from '../store-error.ts'
import { cutConnection, endConnection, isSilence } from './cut-connection.ts'

const retryMs = 1000

export type KeptConnectionDependencies = {
  readonly connect: () => Promise<Client>
  /** Whether this new connection may be kept. */
  readonly accept: (client: Client) => Promise<boolean>
  /** Rejects when the server gives no sign of life, or may not be used any more: with StoreError then. */
  readonly ask: (client: Client) => Promise<unknown>
  /** Called when the connection is lost, with why. */
  readonly onLoss: (error: unknown) => void
  /** Called when a connection that was lost, or could not be made by `begin`, is there. */
  readonly onReturn: () => void
}

export class KeptConnection {
  readonly #dependencies: KeptConnectionDependencies
  #client: Client | null = null
  #isReleased = false
  #lastError: unknown = null
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(dependencies: KeptConnectionDependencies) {
    this.#dependencies = dependencies
  }

  /** Makes the connection. False when it was not accepted; it is closed then. Rejects when there is no connection. */
  async open(): Promise<boolean> {
    const next = await this.#dependencies.connect()
    next.on('error', this.#note)
    let isAccepted = false
    try {
      isAccepted = await this.#dependencies.accept(next)
    } finally {
      // Released meanwhile: nobody would end it, and it would keep its lock.
      if (!isAccepted || this.#isReleased) await endConnection(next)
    }
    if (this.#isReleased || !isAccepted) return isAccepted
    next.on('end', () => this.#lose(next))
    this.#client = next
    return true
  }

  /** As `open`, again and again until there is a connection. */
  begin(): void {
    this.open().then(
      isOpen => (isOpen ? this.#dependencies.onReturn() : this.#tryLater()),
      error => {
        this.#note(error)
        this.#dependencies.onLoss(error)
        this.#tryLater()
      },
    )
  }

  #require(): Client {
    if (this.#client !== null) return this.#client
    const reason = this.#lastError instanceof Error ? `: ${this.#lastError.message}` : '.'
    throw new StoreError(`The connection to the database is lost${reason}`, ownCodes.lockLost, {
      cause: this.#lastError,
    })
  }

  /** Asks the server for a sign of life. Rejects with StoreError, also from the moment the connection is lost until it is there again. */
  async check(): Promise<void> {
    const client = this.#require()
    try {
      await this.#dependencies.ask(client)
    } catch (cause) {
      this.#note(cause)
      // The connection would count as alive for as long as the network is silent.
      cutConnection(client)
      this.#lose(client)
      if (cause instanceof StoreError) throw cause
      const code = isSilence(cause) ? ownCodes.noAnswer : ownCodes.lockLost
      throw new StoreError('The connection to the database is lost.', code, { cause })
    }
  }

  /** Gives the connection up for a new one, as though it had been lost. */
  renew(): void {
    if (this.#client === null) return
    const client = this.#client
    cutConnection(client)
    this.#lose(client)
  }

  async release(): Promise<void> {
    this.#isReleased = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (this.#client !== null) await endConnection(this.#client)
  }

  readonly #note = (error: unknown): void => {
    this.#lastError = error
  }

  #lose(client: Client): void {
    if (this.#client !== client || this.#isReleased) return
    this.#client = null
    this.#dependencies.onLoss(this.#lastError ?? new Error('The connection has ended.'))
    this.#tryLater()
  }

  #tryLater(): void {
    if (!this.#isReleased) this.#timer = setTimeout(() => void this.#tryAgain(), retryMs)
  }

  async #tryAgain(): Promise<void> {
    try {
      if (await this.open()) this.#dependencies.onReturn()
      else this.#tryLater()
    } catch (error) {
      this.#note(error)
      this.#tryLater()
    }
  }
}
