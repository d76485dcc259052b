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

/** An event ends with an empty line; a line with \n, \r\n or \r. Long lines are skipped at memory speed. */
function createEventScan(): Scan {
  let length = 0
  let afterReturn = false
  const endLineBefore = (at: number, cut: Cut): void => {
    if (length === 0) cut(at)
    length = 0
    afterReturn = false
  }
  return (bytes, cut) => {
    let nextFeed = indexOrEnd(bytes, lineFeed, 0)
    let nextReturn = indexOrEnd(bytes, carriageReturn, 0)
    for (let at = 0; at < bytes.length; at += 1) {
      const stop = Math.min(nextFeed, nextReturn)
      if (stop > at) {
        if (afterReturn) endLineBefore(at, cut)
        length += stop - at
        at = stop
      }
      if (at === bytes.length) return
      if (at === nextFeed) {
        endLineBefore(at + 1, cut)
        nextFeed = indexOrEnd(bytes, lineFeed, at + 1)
      } else {
        if (afterReturn) endLineBefore(at, cut)
        afterReturn = true
        nextReturn = indexOrEnd(bytes, carriageReturn, at + 1)
      }
    }
  }
}

const dataMark = Buffer.from('data:')
const lineEnds: readonly (number | undefined)[] = [lineFeed, carriageReturn]

/** The `data` of an event. Errors after the start may stand bare, with no `data:` before them. */
function readEvent(raw: Uint8Array): Uint8Array | null {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  let end = bytes.length
  while (end > 0 && lineEnds.includes(bytes[end - 1])) end -= 1
  const line = bytes.subarray(0, end)
  const isOneLine = line.indexOf(lineFeed) < 0 && line.indexOf(carriageReturn) < 0
  if (isOneLine && line.subarray(0, dataMark.length).equals(dataMark)) return line.subarray(dataMark.length)
  const text = bytes.toString()
  const lines = text.split(/\r\n|\n|\r/)
  const data = lines.filter(each => each.startsWith('data:')).map(each => each.slice(5))
  if (data.length > 0) return Buffer.from(data.join('\n'))
  return /^\s*[[{]/.test(text) ? bytes : null
}

const [quote, backslash] = [0x22, 0x5c]
const [openObject, closeObject, openArray, closeArray] = [0x7b, 0x7d, 0x5b, 0x5d]

/** An element ends where its object does; the marks between two stand before the second. */
function createArrayScan(): Scan {
  let depth = 0
  let inString = false
  let escaped = false
  return (bytes, cut) => {
    let nextEscape = -1
    for (let at = 0; at < bytes.length; at += 1) {
      if (inString && !escaped) {
        // Straight to the end of the string, or to the escape that comes before it.
        const end = bytes.indexOf(quote, at)
        if (nextEscape < at) nextEscape = indexOrEnd(bytes, backslash, at)
        at = Math.min(end < 0 ? bytes.length : end, nextEscape)
        if (at === bytes.length) return
        escaped = at === nextEscape
        inString = escaped
        continue
      }
      const byte = bytes[at]
      if (inString) escaped = false
      else if (byte === quote) inString = true
      else if (byte === openObject || byte === openArray) depth += 1
      else if (byte === closeObject || byte === closeArray) {
        depth -= 1
        if (depth === 1) cut(at + 1)
      }
    }
  }
}

function indexOrEnd(bytes: Uint8Array, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from)
  return found < 0 ? bytes.length : found
}

/** The object of an element; the end of the array holds none. */
function readElement(raw: Uint8Array): Uint8Array | null {
  const start = raw.indexOf(openObject)
  return start < 0 ? null : raw.subarray(start)
}
