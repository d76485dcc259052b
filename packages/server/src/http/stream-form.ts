// Reads multipart/form-data (RFC 7578) as it arrives, for one file that is too large to be held in memory: its receiver gets it piece by
// piece, and only short texts are kept.

import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { type BodyReading, readPieces } from './read-body.ts'
import { requireForm } from './read-form.ts'

export type ArrivingFile = {
  readonly filename: string
  /** As declared by the client; '' if it declares none. */
  readonly type: string
  /** The most bytes that it can have; null if the length of the body is unknown. */
  readonly maxBytes: number | null
  /** To be read to its end. Throws ApiError `invalid_request` or `payload_too_large` if the body is not as it should be. */
  readonly content: AsyncIterable<Uint8Array>
}

/** `texts`: the text fields that came before the file. */
export type ReceiveFile = (file: ArrivingFile, texts: ReadonlyMap<string, string>) => Promise<void>

export type FormStream = {
  /**
   * Resolves with all text fields when the whole form has been read; files of other fields are skipped. Throws what `receive` throws, and
   * ApiError `unsupported_media_type`, `payload_too_large`, and `invalid_request` for a body that is not such a form or repeats a field.
   */
  readonly read: (field: string, receive: ReceiveFile) => Promise<ReadonlyMap<string, string>>
}

const maxParts = 64
const maxHeadBytes = 8 * 1024
/** For all texts together. */
const maxTextBytes = 64 * 1024
const emptyLine = Buffer.from('\r\n\r\n')

export function openFormStream(request: Request, limit: number, reading: BodyReading): FormStream {
  return {
    read: async (field, receive) => {
      requireForm(request.headers)
      const { headers } = request
      const delimiter = Buffer.from(`\r\n--${readBoundary(headers.get('content-type') ?? '')}`)
      const length = headers.get('content-length')
      const pieces = readPieces(request, limit, reading)
      const body = new Incoming(pieces)
      const end = length === null ? null : Number(length) - delimiter.byteLength - '--\r\n'.length
      try {
        return await readParts(body, delimiter, end, field, receive)
      } finally {
        await pieces.return(undefined)
      }
    },
  }
}

/** `end`: where the last part ends at the latest. */
async function readParts(
  body: Incoming,
  delimiter: Buffer,
  end: number | null,
  field: string,
  receive: ReceiveFile,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  const seen = new Set<string>()
  let textBytes = 0
  for await (const _ of body.readUntil(delimiter));
  for (let parts = 0; (await body.take(2)).toString('latin1') === '\r\n'; parts += 1) {
    if (parts === maxParts) throw refuseForm(`It has more than ${maxParts} parts.`)
    const head = readHead(await readShort(body, emptyLine, maxHeadBytes, 'The head of a part is too long.'))
    const { name, filename } = head
    if (seen.has(name)) throw invalidRequest(name, `${name} is given twice.`)
    seen.add(name)
    if (filename === null) {
      const rest = maxTextBytes - textBytes
      const text = await readShort(body, delimiter, rest, `Its texts have more than ${maxTextBytes} bytes.`)
      textBytes += text.byteLength
      texts.set(name, text.toString())
    } else {
      const content = body.readUntil(delimiter)
      const maxBytes = end === null ? null : Math.max(0, end - body.consumed)
      if (name === field) await receive({ filename, type: head.type, maxBytes, content }, texts)
      for await (const _ of content);
    }
  }
  return texts
}

async function readShort(body: Incoming, delimiter: Buffer, limit: number, problem: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of body.readUntil(delimiter)) {
    size += piece.byteLength
    if (size > limit) throw refuseForm(problem)
    // A view of memory that may be freed.
    pieces.push(Buffer.from(piece))
  }
  return Buffer.concat(pieces)
}

/** The bytes of a body, read up to delimiters. Each byte is looked at and copied once. */
class Incoming {
  readonly #pieces: AsyncGenerator<Uint8Array>
  /** The first delimiter has no line before it. */
  #pending = Buffer.from('\r\n')
  #read = -2

  constructor(pieces: AsyncGenerator<Uint8Array>) {
    this.#pieces = pieces
    this.#read += this.#pending.byteLength
  }

  /** Bytes of the body before the next one. */
  get consumed(): number {
    return this.#read - this.#pending.byteLength
  }

  /** Yields what comes before the delimiter, which is consumed too. A piece is valid until the next one is asked for. */
  async *readUntil(delimiter: Buffer): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = this.#pending.indexOf(delimiter)
      if (at >= 0) {
        const last = this.#pending.subarray(0, at)
        this.#pending = this.#pending.subarray(at + delimiter.byteLength)
        if (last.byteLength > 0) yield last
        return
      }
      // The delimiter may begin in the last bytes.
      const sure = this.#pending.byteLength - delimiter.byteLength + 1
      if (sure > 0) {
        const piece = this.#pending.subarray(0, sure)
        this.#pending = Buffer.from(this.#pending.subarray(sure))
        yield piece
      }
      await this.#fill()
    }
  }

  async take(bytes: number): Promise<Buffer> {
    while (this.#pending.byteLength < bytes) await this.#fill()
    const taken = this.#pending.subarray(0, bytes)
    this.#pending = this.#pending.subarray(bytes)
    return taken
  }

  async #fill(): Promise<void> {
    const { done, value } = await this.#pieces.next()
    if (done === true) throw refuseForm()
    this.#read += value.byteLength
    this.#pending = Buffer.concat([this.#pending, value])
  }
}

function readBoundary(type: string): string {
  const [, quoted, plain] = /\bboundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(type) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw refuseForm('Its boundary must have 1 to 70 characters.')
  return boundary
}

type Head = { readonly name: string; readonly filename: string | null; readonly type: string }

function readHead(bytes: Buffer): Head {
  const lines = bytes.toString().split('\r\n')
  const find = (header: string) =>
    lines.find(line => line.toLowerCase().startsWith(`${header}:`))?.slice(header.length + 1) ?? ''
  const disposition = find('content-disposition')
  const name = readParameter(disposition, 'name')
  if (name === null) throw refuseForm('A part has no name.')
  return { name, filename: readParameter(disposition, 'filename'), type: find('content-type').trim() }
}

/** Quoted with the escapes of browsers (`%22`) or of mail (`\"`), as a word, or in the form of RFC 8187 (`filename*`). */
function readParameter(disposition: string, name: string): string | null {
  const [, quoted, plain] =
    new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, 'i').exec(disposition) ?? []
  const [, extended] = new RegExp(`;\\s*${name}\\*=utf-8''([^\\s;]+)`, 'i').exec(disposition) ?? []
  if (extended !== undefined) return decode(extended)
  if (quoted === undefined) return plain ?? null
  return quoted
    .replaceAll(/\\(.)/g, '$1')
    .replaceAll('%22', '"')
    .replaceAll(/%0[AD]/gi, ' ')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function refuseForm(problem?: string): ApiError {
  const message = `The body is not a complete multipart form.${problem === undefined ? '' : ` ${problem}`}`
  return new ApiError('invalid_request', { message })
}
