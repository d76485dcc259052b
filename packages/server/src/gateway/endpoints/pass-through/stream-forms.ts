// The two forms of the vendor's streams: events with `alt=sse`, else one JSON array that grows.
import { ArraySplitter, EventSplitter, type StreamSplitter } from '../../../upstream/split-stream.ts'

export type StreamForm = 'events' | 'array'

type OpenForm = {
  readonly split: StreamSplitter
  /** An error after the start, and the end of the stream with it. `isFirst`: nothing was sent before. */
  readonly frameError: (body: object, isFirst: boolean) => Uint8Array
}

export const streamForms: Readonly<Record<StreamForm, () => OpenForm>> = {
  events: () => ({
    split: new EventSplitter(),
    frameError: body => Buffer.from(`data: ${JSON.stringify(body)}\r\n\r\n`),
  }),
  array: () => ({
    split: new ArraySplitter(),
    frameError: (body, isFirst) => Buffer.from(`${isFirst ? '[' : ',\n'}${JSON.stringify(body)}]`),
  }),
}
