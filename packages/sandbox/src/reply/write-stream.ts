// Sends the chunks of a stream as events or as one growing array, with every trouble that was asked for.
import type { Usage } from '../counters.ts'
import type { Switches } from '../switches.ts'
import { buildErrorBody, VendorError } from '../vendor-error.ts'
import type { ReplyChunk } from './build-reply.ts'

export type StreamFacts = {
  readonly chunks: readonly ReplyChunk[]
  readonly switches: Switches
  /** `sse` with `alt=sse`, else one JSON array. */
  readonly form: 'sse' | 'array'
  readonly wait: (milliseconds: number) => Promise<void>
  /** Called once, when the stream is over, with how far it got. */
  readonly onEnd: (usage: Usage | null, isWhole: boolean) => void
}

/** Throws to break the connection off; ends early when the reader leaves. */
export async function* writeStream(facts: StreamFacts): AsyncGenerator<Uint8Array> {
  const { chunks, switches, wait } = facts
  const frame = facts.form === 'sse' ? frameEvent(switches) : frameElement
  let sent: Usage | null = null
  let isWhole = false
  try {
    for (const [index, chunk] of chunks.entries()) {
      // Without a value, the server breaks the connection off and prints nothing about it.
      if (index === switches.cutStream) throw undefined
      if (index === switches.endEarly) {
        isWhole = true
        return
      }
      if (index === switches.errorInStream) {
        yield* split(frame(buildErrorBody(new VendorError(switches.error ?? 503)), index), switches)
        isWhole = true
        return
      }
      if (index > 0 && switches.chunkDelayMs !== undefined) await wait(switches.chunkDelayMs)
      sent = chunk.usage
      yield* split(frame(chunk.body, index), switches)
    }
    if (facts.form === 'array') yield encode(']')
    isWhole = true
  } finally {
    facts.onEnd(sent, isWhole)
  }
}

function frameEvent({ separator }: Switches) {
  const end = separator === 'lf' ? '\n\n' : '\r\n\r\n'
  return (body: object) => `data: ${JSON.stringify(body)}${end}`
}

function frameElement(body: object, index: number): string {
  return `${index === 0 ? '[' : ',\n'}${JSON.stringify(body)}`
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** Seven bytes do not divide any character of two, three or four bytes evenly. */
const oddSize = 7

function* split(text: string, { splitUtf8 }: Switches): Generator<Uint8Array> {
  const bytes = encode(text)
  if (splitUtf8 !== true) {
    yield bytes
    return
  }
  for (let start = 0; start < bytes.length; start += oddSize) yield bytes.subarray(start, start + oddSize)
}
