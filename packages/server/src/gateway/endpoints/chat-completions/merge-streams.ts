// Several upstream streams as one: what one read of an upstream brings comes together, with the index of its choice.
import type { ChatEvent, ChatEvents } from '../../../upstream/port.ts'

export type MergedBatch = { readonly index: number; readonly events: readonly ChatEvent[] }

/**
 * A failure of one ends all: it is thrown at once, and the others are asked to close without waiting for them (one that
 * waits for its upstream ends only with the caller's abort). Each stream is read one batch ahead, never further.
 */
export function mergeStreams(streams: readonly ChatEvents[]): AsyncIterator<MergedBatch> {
  const [only] = streams
  return streams.length === 1 && only !== undefined ? new OnlyStream(only) : readSeveral(streams)
}

/** One by one where the upstream does not say what came together. */
function readBatches(stream: ChatEvents): AsyncIterator<readonly ChatEvent[]> {
  return (stream.batches?.() ?? readSingly(stream))[Symbol.asyncIterator]()
}

async function* readSingly(stream: ChatEvents): AsyncGenerator<readonly ChatEvent[]> {
  for await (const event of stream) yield [event]
}

class OnlyStream implements AsyncIterator<MergedBatch> {
  readonly #batches: AsyncIterator<readonly ChatEvent[]>

  constructor(stream: ChatEvents) {
    this.#batches = readBatches(stream)
  }

  next(): Promise<IteratorResult<MergedBatch>> {
    return this.#batches.next().then(addIndex)
  }
}

function addIndex(result: IteratorResult<readonly ChatEvent[]>): IteratorResult<MergedBatch> {
  return result.done === true ? result : { done: false, value: { index: 0, events: result.value } }
}

type Arrival =
  | { readonly index: number; readonly result: IteratorResult<readonly ChatEvent[]> }
  | { readonly failure: unknown }

async function* readSeveral(streams: readonly ChatEvents[]): AsyncGenerator<MergedBatch> {
  const iterators = streams.map(readBatches)
  const arrivals = new Queue<Arrival>()
  const ask = (iterator: AsyncIterator<readonly ChatEvent[]>, index: number): void => {
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
      yield { index, events: result.value }
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
