// Sends the pieces of a stream one by one, with the troubles that switches can add in the middle.
import type { Switches } from './switches.ts'
import type { Tools } from './tools.ts'
import { VendorError } from './vendor-error.ts'

type StreamFacts = {
  /** Framed as they go over the wire. */
  readonly pieces: readonly string[]
  readonly switches: Switches
  readonly tools: Tools
  /** The dialect's frame around an error in place of a piece. */
  readonly frameError: (error: VendorError, index: number) => string
  /** Number of pieces at the start that are never delayed. */
  readonly prompt: number
  /** Called once at the end with the number of pieces sent, to bill them. */
  readonly onEnd: (sent: number) => void
}

/** Throws to break the connection; ends early when the reader leaves. */
export async function* playStream(facts: StreamFacts): AsyncGenerator<Uint8Array> {
  const { pieces, switches, tools, frameError } = facts
  let sent = 0
  let isWhole = false
  try {
    for (const [index, piece] of pieces.entries()) {
      // Without a value, the server breaks the connection and prints nothing about it.
      if (index === switches.cutStream) throw undefined
      if (index === switches.endEarly) break
      if (index === switches.errorInStream) {
        yield* split(frameError(new VendorError(switches.error ?? 503), index), switches)
        break
      }
      if (index >= facts.prompt && switches.chunkDelayMs !== undefined)
        await tools.wait(switches.chunkDelayMs)
      sent = index + 1
      yield* split(piece, switches)
    }
    isWhole = true
  } finally {
    facts.onEnd(sent)
    if (!isWhole) tools.counters.abort()
    tools.counters.end()
  }
}

/** Seven bytes do not divide any character of two, three or four bytes evenly. */
const oddSize = 7

function* split(text: string, { splitUtf8 }: Switches): Generator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  const size = splitUtf8 === true ? oddSize : bytes.length
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

/** Cuts a text into about `count` pieces of equal length, never inside a character. */
export function cutText(text: string, count: number): string[] {
  const codePoints = Array.from(text)
  const size = Math.max(1, Math.ceil(codePoints.length / Math.max(1, count)))
  const pieces: string[] = []
  for (let start = 0; start < codePoints.length; start += size) {
    pieces.push(codePoints.slice(start, start + size).join(''))
  }
  return pieces
}
