// Several upstream streams as one: events come as they arrive, each with the index of its choice.
import type { ChatEvent } from '../../../upstream/port.ts'

export type MergedEvent = { readonly index: number; readonly event: ChatEvent }

/**
 * A failure of one ends all: it is thrown at once, and the others are asked to close without waiting for them (one that
 * waits for its upstream ends only with the caller's abort). Each stream is read one event ahead, never further.
 */
export function mergeStreams(streams: readonly AsyncIterable<ChatEvent>[]): AsyncIterator<MergedEvent> {
  const [only] = streams
  return streams.length === 1 && only !== undefined ? readOne(only) : readSeveral(streams)
}

function readOne(stream: AsyncIterable<ChatEvent>): AsyncIterator<MergedEvent> {
  const iterator = stream[Symbol.asyncIterator]()
  return {
    next: async () => {
      const result = await iterator.next()
      return result.done === true ? result : { done: false, value: { index: 0, event: result.value } }
    },
  }
}

type Arrival =
  | { readonly index: number; readonly result: IteratorResult<ChatEvent> }
  | { readonly failure: unknown }

async function* readSeveral(streams: readonly AsyncIterable<ChatEvent>[]): AsyncGenerator<MergedEvent> {
  const iterators = streams.map(stream => stream[Symbol.asyncIterator]())
  const arrivals = new Queue<Arrival>()
  const ask = (iterator: AsyncIterator<ChatEvent>, index: number): void => {
    iterator.next().then(
      result => arrivals.put({ index, result }),
      failure => arrivals.put({ failure }),
    )
  }
  iterators.forEach(ask)
  try {
    for (let open = iterators.length; open > 0; ) {
      const arrival = await arrivals.take()
      if ('failure' in arrival) throw arrival.failure
      const { index, result } = arrival
      const iterator = iterators[index]
      if (result.done === true || iterator === undefined) {
        open -= 1
        continue
      }
      yield { index, event: result.value }
      ask(iterator, index)
    }
  } finally {
    for (const iterator of iterators) iterator.return?.().catch(() => undefined)
  }
}

/** One taker; a queue instead of Promise.race, which leaves a reaction on every promise that lost. */
class Queue<Item> {
  private readonly items: Item[] = []
  private wake = (): void => undefined

  put(item: Item): void {
    this.items.push(item)
    this.wake()
  }

  async take(): Promise<Item> {
    for (;;) {
      const item = this.items.shift()
      if (item !== undefined) return item
      await new Promise<void>(resolve => {
        this.wake = resolve
      })
    }
  }
}
