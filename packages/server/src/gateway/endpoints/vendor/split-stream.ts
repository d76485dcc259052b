// Cuts the bytes of a stream where an event or an element of the array ends, without changing one of them.

export type StreamPiece = {
  /** As it came, separators included. */
  readonly raw: Uint8Array
  /** The JSON inside; null for what holds none. */
  readonly payload: Uint8Array | null
}

export type StreamSplitter = {
  /** The pieces that these bytes complete. Throws Error when one is too large to be held. */
  readonly push: (bytes: Uint8Array) => readonly StreamPiece[]
  /** What is left without an end of its own. */
  readonly end: () => readonly StreamPiece[]
}

const largestPiece = 64 * 1024 * 1024

type Cut = (at: number) => void
/** Reads on; calls `cut` with the index after the last byte of each piece. */
type Scan = (bytes: Uint8Array, cut: Cut) => void

export function createEventSplitter(): StreamSplitter {
  return createSplitter(createEventScan(), readEvent)
}

export function createArraySplitter(): StreamSplitter {
  return createSplitter(createArrayScan(), readElement)
}

function createSplitter(scan: Scan, read: (raw: Uint8Array) => Uint8Array | null): StreamSplitter {
  let pending: Uint8Array[] = []
  let size = 0
  const take = (last: Uint8Array): StreamPiece => {
    const raw = pending.length === 0 ? last : Buffer.concat([...pending, last])
    pending = []
    size = 0
    return { raw, payload: read(raw) }
  }
  return {
    push: bytes => {
      const pieces: StreamPiece[] = []
      let from = 0
      scan(bytes, at => {
        pieces.push(take(bytes.subarray(from, at)))
        from = at
      })
      if (from < bytes.length) {
        pending.push(bytes.subarray(from))
        size += bytes.length - from
        if (size > largestPiece) throw new Error('A piece of the stream is too large.')
      }
      return pieces
    },
    end: () => (size === 0 ? [] : [take(new Uint8Array())]),
  }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** An event ends with an empty line; a line with \n, \r\n or \r. */
function createEventScan(): Scan {
  let length = 0
  let afterReturn = false
  return (bytes, cut) => {
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at]
      if (byte === lineFeed) {
        if (length === 0) cut(at + 1)
        length = 0
        afterReturn = false
        continue
      }
      if (afterReturn) {
        if (length === 0) cut(at)
        length = 0
      }
      afterReturn = byte === carriageReturn
      if (!afterReturn) length += 1
    }
  }
}

/** The `data` of an event. Errors after the start may stand bare, with no `data:` before them. */
function readEvent(raw: Uint8Array): Uint8Array | null {
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString()
  const lines = text.split(/\r\n|\n|\r/)
  const data = lines.filter(line => line.startsWith('data:')).map(line => line.slice(5))
  if (data.length > 0) return Buffer.from(data.join('\n'))
  return /^\s*[[{]/.test(text) ? Buffer.from(text) : null
}

const [quote, backslash] = [0x22, 0x5c]
const [openObject, closeObject, openArray, closeArray] = [0x7b, 0x7d, 0x5b, 0x5d]

/** An element ends where its object does; the marks between two stand before the second. */
function createArrayScan(): Scan {
  let depth = 0
  let inString = false
  let escaped = false
  return (bytes, cut) => {
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at]
      if (inString) {
        if (escaped) escaped = false
        else if (byte === backslash) escaped = true
        else if (byte === quote) inString = false
      } else if (byte === quote) inString = true
      else if (byte === openObject || byte === openArray) depth += 1
      else if (byte === closeObject || byte === closeArray) {
        depth -= 1
        if (depth === 1) cut(at + 1)
      }
    }
  }
}

/** The object of an element; the end of the array holds none. */
function readElement(raw: Uint8Array): Uint8Array | null {
  const start = raw.indexOf(openObject)
  return start < 0 ? null : raw.subarray(start)
}
