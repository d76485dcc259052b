// Cuts a JSON array that arrives piece by piece into its elements.
import { createSplitter, indexOrEnd, type Scan, type StreamSplitter } from './split-stream.ts'

export function createArraySplitter(): StreamSplitter {
  return createSplitter(createArrayScan(), readElement)
}

const [quote, backslash] = [0x22, 0x5c]
const [openObject, closeObject, openArray, closeArray] = [0x7b, 0x7d, 0x5b, 0x5d]

/** An element ends where its object does; the marks between two stand before the second. What is no array is one piece. */
function createArrayScan(): Scan {
  let isArray = false
  let depth = 0
  let inString = false
  let escaped = false
  return (bytes, cut) => {
    let nextQuote = -1
    let nextEscape = -1
    for (let at = 0; at < bytes.length; at += 1) {
      if (inString && !escaped) {
        // Straight to the end of the string, or to the escape that comes before it.
        if (nextQuote < at) nextQuote = indexOrEnd(bytes, quote, at)
        if (nextEscape < at) nextEscape = indexOrEnd(bytes, backslash, at)
        at = Math.min(nextQuote, nextEscape)
        if (at === bytes.length) return
        escaped = at === nextEscape
        inString = escaped
        continue
      }
      const byte = bytes[at]
      if (inString) escaped = false
      else if (byte === quote) inString = true
      else if (byte === openObject || byte === openArray) {
        if (depth === 0) isArray = byte === openArray
        depth += 1
      } else if (byte === closeObject || byte === closeArray) {
        depth -= 1
        if (depth === 1 && isArray) cut(at + 1)
      }
    }
  }
}

/** The object of an element; the end of the array holds none. */
function readElement(raw: Uint8Array): Uint8Array | null {
  const start = raw.indexOf(openObject)
  return start < 0 ? null : raw.subarray(start)
}
