// A connection that stays open as long as the process lives: it shows whether the server is alive, and is made again when it is lost.
import type { Client } from 'pg'
import { ownCodes, StoreError } from '../store-error.ts'
import { cutConnection, endConnection, isSilence } from './cut-connection.ts'

const retryMs = 1000

export type KeptConnectionDependencies = {
  readonly connect: () => Promise<Client>
  /** Decides whether this new connection may be kept. */
  readonly accept: (client: Client) => Promise<boolean>
  /** Rejects if the server does not respond, or may no longer be used, in which case with StoreError. */
  readonly ask: (client: Client) => Promise<unknown>
  /** Called with the reason when the connection is lost. */
  readonly onLoss: (error: unknown) => void
  /** Called when a connection is back that was lost or that `begin` could not make. */
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

  /** Makes the connection. False if it was not accepted; it is then closed. Rejects if there is no connection. */
  async open(): Promise<boolean> {
    const next = await this.#dependencies.connect()
    next.on('error', this.#note)
    let isAccepted = false
    try {
      isAccepted = await this.#dependencies.accept(next)
    } finally {
      // Released meanwhile: nothing would end it, and it would keep its lock.
      if (!isAccepted || this.#isReleased) await endConnection(next)
    }
    if (this.#isReleased || !isAccepted) return isAccepted
    next.on('end', () => this.#lose(next))
    this.#client = next
    return true
  }

  /** Like `open`, repeated until there is a connection. */
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

  /** Checks that the server responds. Rejects with StoreError, also from the moment the connection is lost until it is back. */
  async check(): Promise<void> {
    const client = this.#require()
    try {
      await this.#dependencies.ask(client)
    } catch (cause) {
      this.#note(cause)
      // Otherwise the connection would count as alive for as long as the network is silent.
      cutConnection(client)
      this.#lose(client)
      if (cause instanceof StoreError) throw cause
      const code = isSilence(cause) ? ownCodes.noAnswer : ownCodes.lockLost
      throw new StoreError('The connection to the database is lost.', code, { cause })
    }
  }

  /** Replaces the connection with a new one, as if it had been lost. */
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
