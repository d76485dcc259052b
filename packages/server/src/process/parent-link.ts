// The process's side of the channel to its parent: waits for the message to begin, answers requests, and asks for the figures of all
// processes.
import type { MetricFamily } from '../http/metric-series.ts'
import { type Begin, type FromProcess, protocolVersion, readFromParent } from './protocol.ts'

export type ParentChannel = {
  /** May throw if the parent is gone. */
  readonly send: (message: FromProcess) => void
  readonly onMessage: (listen: (message: unknown) => void) => void
}

/** Requests of the parent to a serving process. */
export type ParentWishes = {
  readonly leave: () => void
  readonly readFigures: () => readonly MetricFamily[]
}

/** The parent waits one second for each process. */
const scrapeMs = 3000

export class ParentLink {
  /** Resolves when the parent sends the message to begin. */
  readonly begin: Promise<Begin>
  readonly #channel: ParentChannel
  readonly #whenBegin = Promise.withResolvers<Begin>()
  readonly #scrapes = new Map<number, (text: string | null) => void>()
  #questions = 0
  #wishes: ParentWishes | null = null

  constructor(channel: ParentChannel) {
    this.#channel = channel
    this.begin = this.#whenBegin.promise
    channel.onMessage(message => this.#receive(message))
    this.#send({ type: 'hello', protocol: protocolVersion })
  }

  /** From now on the parent's requests are handled. */
  reportReady(ready: Omit<Extract<FromProcess, { type: 'ready' }>, 'type'>, wishes: ParentWishes): void {
    this.#wishes = wishes
    this.#send({ type: 'ready', ...ready })
  }

  /** Sent before the end, so that what this process has counted stays in the sums. */
  sendLastFigures(families: readonly MetricFamily[]): void {
    this.#send({ type: 'figures', question: null, families: [...families] })
  }

  /** The figures of all processes; null if the parent does not answer. */
  async scrape(): Promise<string | null> {
    this.#questions += 1
    const question = this.#questions
    const reported = Promise.withResolvers<string | null>()
    this.#scrapes.set(question, reported.resolve)
    const timer = setTimeout(() => reported.resolve(null), scrapeMs)
    this.#send({ type: 'scrape', question })
    const text = await reported.promise
    clearTimeout(timer)
    this.#scrapes.delete(question)
    return text
  }

  #receive(given: unknown): void {
    const message = readFromParent(given)
    if (message?.type === 'begin') this.#whenBegin.resolve(message)
    else if (message?.type === 'leave') this.#wishes?.leave()
    else if (message?.type === 'read-figures') {
      const families = [...(this.#wishes?.readFigures() ?? [])]
      this.#send({ type: 'figures', question: message.question, families })
    } else if (message?.type === 'scraped') this.#scrapes.get(message.question)?.(message.text)
  }

  #send(message: FromProcess): void {
    try {
      this.#channel.send(message)
    } catch {
      // The parent is gone; the channel's owner gets that event.
    }
  }
}
