// Merges the streams of multiple choices into one: events come as they arrive.
import type { ChatEvent, ChatStream } from '../../upstream/port.ts'

type Arrival =
  | { readonly index: number; readonly events: readonly ChatEvent[] | null }
  | { readonly failure: unknown }

/** A failure of one ends all. Each stream is read one batch ahead, never further. */
export class MergedStreams {
  private readonly streams: readonly Pick<ChatStream, 'read'>[]
  /** A queue instead of Promise.race, which leaves a reaction on every promise that lost. */
  private readonly arrivals: Arrival[] = []
  private wake = (): void => undefined
  private open: number
  private current: number | null = null

  constructor(streams: readonly Pick<ChatStream, 'read'>[]) {
    this.streams = streams
    this.open = streams.length
  }

  /** The stream that the last events came from. */
  get index(): number {
    return this.current ?? 0
  }

  /** One reader; null once all streams have ended. */
  async read(): Promise<readonly ChatEvent[] | null> {
    if (this.current === null) for (let index = 0; index < this.streams.length; index += 1) this.ask(index)
    else this.ask(this.current)
    while (this.open > 0) {
      const arrival = this.arrivals.shift()
      if (arrival === undefined) await this.arrive()
      else if ('failure' in arrival) throw arrival.failure
      else if (arrival.events === null) this.open -= 1
      else {
        this.current = arrival.index
        return arrival.events
      }
    }
    return null
  }

  private ask(index: number): void {
    this.streams[index]?.read().then(
      events => this.put({ index, events }),
      failure => this.put({ failure }),
    )
  }

  private put(arrival: Arrival): void {
    this.arrivals.push(arrival)
    this.wake()
  }

  private arrive(): Promise<void> {
    return new Promise(resolve => {
      this.wake = resolve
    })
  }
}
