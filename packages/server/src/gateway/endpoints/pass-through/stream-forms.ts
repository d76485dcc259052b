// The two forms of the vendor's streams: events with `alt=sse`, else one JSON array that grows.
import { createArraySplitter } from './split-array.ts'
import { createEventSplitter } from './split-events.ts'
import type { StreamSplitter } from './split-stream.ts'

export type StreamForm = 'events' | 'array'

type OpenForm = {
  readonly split: StreamSplitter
  /** An error after the start, and the end of the stream with it. `isFirst`: nothing was sent before. */
  readonly frameError: (body: object, isFirst: boolean) => Uint8Array
}

export const streamForms: Readonly<Record<StreamForm, () => OpenForm>> = {
  events: () => ({
    split: createEventSplitter(),
    frameError: body => Buffer.from(`data: ${JSON.stringify(body)}\r\n\r\n`),
  }),
  array: () => ({
    split: createArraySplitter(),
    frameError: (body, isFirst) => Buffer.from(`${isFirst ? '[' : ',\n'}${JSON.stringify(body)}]`),
  }),
}
