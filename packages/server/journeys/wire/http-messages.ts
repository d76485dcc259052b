// Reads HTTP messages out of raw bytes with their headers as they were written: `fetch` would sort and rename them.

export type HttpMessage = {
  /** `POST /path HTTP/1.1` or `HTTP/1.1 200 OK`. */
  readonly start: string
  /** Names and values in the order and case of the wire. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Without the frames of a chunked body. */
  readonly body: Buffer
  /** True when the connection ended before the message did. */
  readonly isCut: boolean
  /** Bytes of the connection that the message took. */
  readonly length: number
}

export type ReadOptions = {
  /** A reply to HEAD has no body, whatever its headers say. */
  readonly hasBody?: boolean
  /** True once no further byte can come. */
  readonly isEnded?: boolean
}

/** The first message in `bytes`, or null while it is not complete. */
export function readMessage(
  bytes: Buffer,
  { hasBody = true, isEnded = false }: ReadOptions = {},
): HttpMessage | null {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const [start = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const headers = lines.map(line => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const
  })
  const headerOf = (name: string) => headers.find(([given]) => given.toLowerCase() === name)?.[1]
  const from = headEnd + 4
  const finish = (body: Buffer, length: number, isCut = false): HttpMessage => ({
    start,
    headers,
    body,
    isCut,
    length,
  })
  const isBodiless = /^HTTP\/1\.1 (1\d\d|204|304)/.test(start)
  if (!hasBody || isBodiless) return finish(Buffer.alloc(0), from)
  if (headerOf('transfer-encoding')?.toLowerCase() === 'chunked') {
    const { body, end } = readChunks(bytes, from)
    if (end !== null) return finish(body, end)
    return isEnded ? finish(body, bytes.length, true) : null
  }
  const length = Number(headerOf('content-length') ?? 0)
  if (bytes.length >= from + length) return finish(bytes.subarray(from, from + length), from + length)
  return isEnded ? finish(bytes.subarray(from), bytes.length, true) : null
}

/** `end` is null while chunks are missing. */
function readChunks(bytes: Buffer, from: number): { readonly body: Buffer; readonly end: number | null } {
  const pieces: Buffer[] = []
  let at = from
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return { body: Buffer.concat(pieces), end: null }
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const start = lineEnd + 2
    if (bytes.length < start + size + 2) {
      pieces.push(bytes.subarray(start, Math.min(bytes.length, start + size)))
      return { body: Buffer.concat(pieces), end: null }
    }
    if (size === 0) return { body: Buffer.concat(pieces), end: start + 2 }
    pieces.push(bytes.subarray(start, start + size))
    at = start + size + 2
  }
}
