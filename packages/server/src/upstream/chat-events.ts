// The events of a chat stream, whatever its upstream speaks: read once, in batches or one by one, and closed on every way out.
import type { UpstreamStream } from './exchange.ts'
import type { ChatEvent, ChatEvents } from './port.ts'
import { EventDecoder } from './split-stream.ts'

/** An upstream that does not close is no failure of an answer that is complete: with its usage told, nothing can follow that anybody needs. */
export const afterAnswerMs = 1000
/** Without usage yet: it may still come, and without it the hold is charged. */
export const afterFinishMs = 10_000

/** What one kind of upstream makes of its events. */
export type StreamedAnswer = {
  /** Adds what an event says. Throws ApiError for an error that stands in it. */
  readonly add: (payload: string, events: ChatEvent[]) => void
  /** True once an event has said that nothing follows. */
  readonly isDone: boolean
  /** Adds what is told last. Throws for an answer that is cut. */
  readonly end: (events: ChatEvent[]) => void
}

/** Reading throws ApiError when the stream carries an error, is cut, or runs past its deadline. */
export function readChatEvents(stream: UpstreamStream, answer: StreamedAnswer): ChatEvents {
  const batches = () => readBatches(stream, answer)
  return { batches, [Symbol.asyncIterator]: () => readOneByOne(batches()) }
}

async function* readBatches(
  stream: UpstreamStream,
  answer: StreamedAnswer,
): AsyncGenerator<readonly ChatEvent[]> {
  const decoder = new EventDecoder()
  let last: ChatEvent[] = []
  try {
    for (let hasEnded = false; !hasEnded && !answer.isDone; ) {
      const { value } = await stream.read()
      hasEnded = value === undefined
      const batch: ChatEvent[] = []
      const failure = addAll(answer, decoder.push(value ?? null), batch)
      if (answer.isDone) last = batch
      else if (batch.length > 0) yield batch
      // What came before the failure has been told: it is charged.
      if (failure !== null) throw failure.cause
    }
    answer.end(last)
  } catch (cause) {
    throw stream.explain(cause)
  } finally {
    if (answer.isDone) readOut(stream)
    else stream.close()
  }
  yield last
}

function addAll(
  answer: StreamedAnswer,
  payloads: readonly string[],
  batch: ChatEvent[],
): { readonly cause: unknown } | null {
  try {
    for (const payload of payloads) {
      answer.add(payload, batch)
      if (answer.isDone) break
    }
    return null
  } catch (cause) {
    return { cause }
  }
}

async function* readOneByOne(batches: AsyncIterable<readonly ChatEvent[]>): AsyncGenerator<ChatEvent> {
  for await (const batch of batches) for (const event of batch) yield event
}

/** Nothing is waited for when all is said, but a connection that is read to its end serves the next call. */
function readOut(stream: UpstreamStream): void {
  stream.endWithin(afterAnswerMs)
  const readOn = async (): Promise<void> => {
    while (!(await stream.read()).done);
  }
  readOn()
    .catch(() => undefined)
    .finally(stream.close)
}
