// The two forms of the vendor's streams: events with `alt=sse`, else one JSON array that grows.
import {
  ArraySplitter,
  EventSplitter,
  type StreamPiece,
  type StreamSplitter,
} from '../../../upstream/split-stream.ts'

export type StreamForm = 'events' | 'array'

type OpenForm = {
  readonly split: StreamSplitter
  /** True if nothing in the piece but its payload says anything: a page in the place of a stream is no frame. */
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
