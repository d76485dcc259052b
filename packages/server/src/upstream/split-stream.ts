// Cuts the bytes of a stream at the end of an event or of an array element, without changing any of them, and finds the JSON in each.

export type StreamPiece = {
  /** As received, separators included. */
  readonly raw: Uint8Array
  /** The JSON inside; null if there is none. */
  readonly payload: Uint8Array | null
}

const largestPiece = 64 * 1024 * 1024

export abstract class StreamSplitter {
  readonly #largest: number
  /** Parts of the unfinished piece: joined once, so that a large piece costs no repeated copying. */
  #pending: Uint8Array[] = []
  #size = 0

  /** `largest`: max bytes of an unfinished piece. */
  constructor(largest = largestPiece) {
    this.#largest = largest
  }

  /** Reads on and returns the index after the last byte of the piece, or -1 if it does not end in these bytes. */
  protected abstract findEnd(bytes: Uint8Array, from: number): number
  /** The JSON inside a whole piece. */
  protected abstract readPayload(raw: Uint8Array): Uint8Array | null

  /** The pieces that these bytes complete. Throws Error if one is too large to be held. */
  push(bytes: Uint8Array): readonly StreamPiece[] {
    const pieces: StreamPiece[] = []
    let from = 0
    for (let end = this.findEnd(bytes, 0); end >= 0; end = this.findEnd(bytes, end)) {
      pieces.push(this.#take(bytes.subarray(from, end)))
      from = end
    }
    if (from < bytes.length) {
      this.#pending.push(from === 0 ? bytes : bytes.subarray(from))
      this.#size += bytes.length - from
      if (this.#size > this.#largest) throw new Error('An event of the stream is too large.')
    }
    return pieces
  }

  /** The rest, which has no end of its own. */
  end(): readonly StreamPiece[] {
    return this.#size === 0 ? [] : [this.#take(new Uint8Array())]
  }

  #take(last: Uint8Array): StreamPiece {
    if (this.#size === 0) return { raw: last, payload: this.readPayload(last) }
    const raw = Buffer.concat([...this.#pending, last])
    this.#pending = []
    this.#size = 0
    return { raw, payload: this.readPayload(raw) }
  }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const dataMark = Buffer.from('data:')
const byteOrderMark = Buffer.from('\ufeff')

/** Server-sent events: an event ends with an empty line, a line with \n, \r\n or \r. Long lines are skipped at memory speed. */
export class EventSplitter extends StreamSplitter {
  /** Bytes of the unfinished line. */
  #lineLength = 0
  /** The last byte was a \r: a \n that follows belongs to it. */
  #isAfterReturn = false
  #isFirst = true
  /** The next position of each in the current bytes: searched once, however many events they contain. */
  #nextFeed = 0
  #nextReturn = 0

  protected override findEnd(bytes: Uint8Array, from: number): number {
    if (from === 0) {
      this.#nextFeed = indexOrEnd(bytes, lineFeed, 0)
      this.#nextReturn = indexOrEnd(bytes, carriageReturn, 0)
    }
    for (let at = from; at < bytes.length; ) {
      const lineEnd = Math.min(this.#nextFeed, this.#nextReturn)
      if (lineEnd > at) {
        if (this.#isAfterReturn && this.#endLine()) return at
        this.#lineLength += lineEnd - at
        at = lineEnd
      } else if (at === this.#nextFeed) {
        at += 1
        this.#nextFeed = indexOrEnd(bytes, lineFeed, at)
        if (this.#endLine()) return at
      } else {
        const isSecond = this.#isAfterReturn
        if (isSecond && this.#endLine()) return at
        at += 1
        this.#nextReturn = indexOrEnd(bytes, carriageReturn, at)
        // A line that ended with \r alone is followed by an empty one: there is nothing to wait for.
        if (isSecond && this.#endLine()) return at
        this.#isAfterReturn = true
      }
    }
    return -1
  }

  /** The `data` of an event. Errors after the start may be bare, with no `data:` before them. */
  protected override readPayload(raw: Uint8Array): Uint8Array | null {
    // A stream may start with a byte order mark, which belongs to none of its events.
    const start = this.#isFirst && startsWith(raw, 0, byteOrderMark) ? byteOrderMark.length : 0
    this.#isFirst = false
    let end = raw.length
    while (end > start && (raw[end - 1] === lineFeed || raw[end - 1] === carriageReturn)) end -= 1
    if (startsWith(raw, start, dataMark)) {
      const line = raw.subarray(start + dataMark.length, end)
      if (!line.includes(lineFeed) && !line.includes(carriageReturn)) return line
    }
    const text = Buffer.from(raw.subarray(start)).toString()
    const lines = text.split(/\r\n|\n|\r/)
    const data = lines.filter(each => each.startsWith('data:')).map(each => each.slice(5))
    if (data.length > 0) return Buffer.from(data.join('\n'))
    return /^\s*[[{]/.test(text) ? raw.subarray(start, end) : null
  }

  /** True when the line was empty. */
  #endLine(): boolean {
    const isEmpty = this.#lineLength === 0
    this.#lineLength = 0
    this.#isAfterReturn = false
    return isEmpty
  }
}

const [quote, backslash] = [0x22, 0x5c]
const [openObject, closeObject, openArray, closeArray] = [0x7b, 0x7d, 0x5b, 0x5d]

/**
 * A JSON array that arrives piece by piece: an element ends with its object, and the marks between two belong to the second. A stream that
 * is not an array is one piece.
 */
export class ArraySplitter extends StreamSplitter {
  #isArray = false
  #depth = 0
  #inString = false
  #isEscaped = false

  #nextQuote = -1
  #nextEscape = -1

  protected override findEnd(bytes: Uint8Array, from: number): number {
    if (from === 0) {
      this.#nextQuote = -1
      this.#nextEscape = -1
    }
    for (let at = from; at < bytes.length; at += 1) {
      if (this.#inString && !this.#isEscaped) {
        // Straight to the end of the string, or to the escape that comes before it.
        if (this.#nextQuote < at) this.#nextQuote = indexOrEnd(bytes, quote, at)
        if (this.#nextEscape < at) this.#nextEscape = indexOrEnd(bytes, backslash, at)
        at = Math.min(this.#nextQuote, this.#nextEscape)
        if (at === bytes.length) return -1
        this.#isEscaped = at === this.#nextEscape
        this.#inString = this.#isEscaped
      } else if (this.#readByte(bytes[at])) return at + 1
    }
    return -1
  }

  /** True when an element ends with it. */
  #readByte(byte: number | undefined): boolean {
    if (this.#inString) this.#isEscaped = false
    else if (byte === quote) this.#inString = true
    else if (byte === openObject || byte === openArray) {
      if (this.#depth === 0) this.#isArray = byte === openArray
      this.#depth += 1
    } else if (byte === closeObject || byte === closeArray) {
      this.#depth -= 1
      return this.#depth === 1 && this.#isArray
    }
    return false
  }

  /** The object of an element; the end of the array has none. */
  protected override readPayload(raw: Uint8Array): Uint8Array | null {
    const start = raw.indexOf(openObject)
    return start < 0 ? null : raw.subarray(start)
  }
}

/** The payloads of server-sent events as text, for readers that decode an event at once. */
export class EventDecoder {
  readonly #splitter = new EventSplitter(largestEvent)

  /** The payloads that these bytes complete; null for the end of the stream. Throws Error for an event that is too large. */
  push(bytes: Uint8Array | null): readonly string[] {
    const payloads: string[] = []
    for (const { payload } of bytes === null ? this.#splitter.end() : this.#splitter.push(bytes)) {
      const text = payload === null ? '' : decodePayload(payload)
      if (text !== '') payloads.push(text)
    }
    return payloads
  }
}

/** An adapter turns an event into JSON values, which take several times its bytes. */
const largestEvent = 32 * 1024 * 1024

const space = 0x20

/** The space after `data:` is part of the mark. */
function decodePayload({ buffer, byteOffset, byteLength, 0: first }: Uint8Array): string {
  const skipped = first === space ? 1 : 0
  return Buffer.from(buffer, byteOffset + skipped, byteLength - skipped).toString()
}

/** The next position of the byte; the length if there is none. */
function indexOrEnd(bytes: Uint8Array, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from)
  return found < 0 ? bytes.length : found
}

function startsWith(bytes: Uint8Array, from: number, mark: Uint8Array): boolean {
  for (let at = 0; at < mark.length; at += 1) if (bytes[from + at] !== mark[at]) return false
  return true
}
