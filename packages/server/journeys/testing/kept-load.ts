// Calls and streams without a pause, from clients that keep their connections: the load during replacements.
import { KeepAliveClient } from './keep-alive-client.ts'

export type KeptLoadOptions = {
  readonly gatewayUrl: string
  readonly key: string
  readonly callers: number
  /** One call in this many (a multiple of 3) of a client is a stream that lasts longer than clients get to move. */
  readonly longEvery: number
}

/** Every third call of a client is a stream. */
export class KeptLoad {
  /** Calls that have ended in any way. */
  ended = 0
  streams = 0
  readonly failures: string[] = []
  readonly #options: KeptLoadOptions
  readonly #clients: readonly KeepAliveClient[]
  readonly #callers: Promise<unknown>
  #isOver = false

  constructor(options: KeptLoadOptions) {
    this.#options = options
    this.#clients = Array.from({ length: options.callers }, () => new KeepAliveClient(options.gatewayUrl))
    this.#callers = Promise.all(this.#clients.map((client, index) => this.#callOn(client, index)))
  }

  /** Resolves when this many more calls have ended. */
  async untilMore(count: number): Promise<void> {
    const enough = this.ended + count
    while (this.ended < enough) await Bun.sleep(5)
  }

  /** Resolves with a line of figures when the last call has ended. */
  async end(): Promise<string> {
    this.#isOver = true
    await this.#callers
    const connections = this.#clients.reduce((sum, client) => sum + client.connections, 0)
    for (const client of this.#clients) client.close()
    return (
      `${this.ended} calls by ${this.#clients.length} callers, ${this.streams} of them streams, on ${connections} connections; ` +
      `${this.failures.length} failed`
    )
  }

  async #callOn(client: KeepAliveClient, index: number): Promise<void> {
    const { key, longEvery } = this.#options
    for (let sent = index; !this.#isOver; sent += 1) {
      const stream = sent % 3 === 0
      const content = sent % longEvery === 0 ? 'Hello. [[sandbox: chunkDelayMs=500; chunks=4]]' : 'Hello.'
      const body = { model: 'mm-2.5-flash', max_tokens: 16, stream, messages: [{ role: 'user', content }] }
      try {
        const answer = await client.send('/v1/chat/completions', key, body)
        if (answer.status !== 200 || (stream && !answer.body.includes('[DONE]')))
          this.failures.push(`${answer.status} ${answer.body.slice(0, 200)}`)
      } catch (error) {
        this.failures.push(String(error))
      }
      this.ended += 1
      if (stream) this.streams += 1
    }
  }
}
