// The two forms of the vendor's streams: events with `alt=sse`, otherwise one growing JSON array.
import {
  ArraySplitter,
  EventSplitter,
  type StreamPiece,
  type StreamSplitter,
} from '../../../upstream/split-stream.ts'

export type StreamForm = 'events' | 'array'

type OpenForm = {
  readonly split: StreamSplitter
  /** True if only the payload of the piece has content: a page in place of a stream is not a frame. */
  readonly isFramed: (piece: StreamPiece) => boolean
  /** An error after the start, and the end of the stream with it. `isFirst`: nothing was sent before. */
  readonly frameError: (body: object, isFirst: boolean) => Uint8Array
}

/** Empty lines, comments, and the fields of an event without data. */
const eventFrame = /^\ufeff?(?:[\r\n]|(?::|event:|id:|retry:)[^\r\n]*(?:[\r\n]|$))*$/
const arrayFrame = new Set(Buffer.from('[], \t\r\n'))

export const streamForms: Readonly<Record<StreamForm, () => OpenForm>> = {
  events: () => ({
    split: new EventSplitter(),
    isFramed: ({ raw, payload }) => payload !== null || eventFrame.test(Buffer.from(raw).toString()),
    frameError: body => Buffer.from(`data: ${JSON.stringify(body)}\r\n\r\n`),
  }),
  array: () => ({
    split: new ArraySplitter(),
    isFramed: ({ raw, payload }) =>
      raw.subarray(0, raw.length - (payload?.length ?? 0)).every(byte => arrayFrame.has(byte)),
    frameError: (body, isFirst) => Buffer.from(`${isFirst ? '[' : ',\n'}${JSON.stringify(body)}]`),
  }),
}

// Replaces information about the call in a piece of a stream that must not be shown; the frame around it stays.

/** Line ends and brackets between two pieces are shorter. */
const shortestSecret = 8

/** `clean` returns null for a payload that stays as it is; `cleanText` is for pieces without one, such as a proxy's page. */
export function cleanPiece(
  piece: StreamPiece,
  clean: (payload: Uint8Array) => Uint8Array | null,
  cleanText: (text: string) => string,
): StreamPiece {
  if (piece.payload === null) {
    if (piece.raw.length < shortestSecret) return piece
    const text = Buffer.from(piece.raw).toString()
    const cleaned = cleanText(text)
    return cleaned === text ? piece : { raw: Buffer.from(cleaned), payload: null }
  }
  const payload = clean(piece.payload)
  if (payload === null) return piece
  const raw = Buffer.from(piece.raw.buffer, piece.raw.byteOffset, piece.raw.byteLength)
  const at = raw.indexOf(piece.payload)
  if (at < 0) return { raw: frameAgain(payload), payload }
  const after = raw.subarray(at + piece.payload.length)
  return { raw: Buffer.concat([raw.subarray(0, at), payload, after]), payload }
}

/** An event with data in multiple lines; spaces after the colons are part of the payload. */
function frameAgain(payload: Uint8Array): Uint8Array {
  const text = Buffer.from(payload).toString().replaceAll('\n', '\ndata:')
  return Buffer.from(`data:${text}\r\n\r\n`)
}
