// The groups in running order: those that list existing objects first, and the videos, which let time pass, last.
import type { Wire } from '../start-wire.ts'
import { recordAdmin } from './admin.ts'
import { recordCalls } from './calls.ts'
import { recordChat } from './chat.ts'
import { recordFiles } from './files.ts'
import { recordIdempotency } from './idempotency.ts'
import { recordLogbook } from './logbook.ts'
import { recordMedia } from './media.ts'
import { recordMessages } from './messages.ts'
import { recordPages } from './pages.ts'
import { recordBarePaths, recordPassThrough } from './pass-through.ts'
import { recordRefusals } from './refusals.ts'
import { recordResponses } from './responses.ts'
import { recordSubmissions } from './submissions.ts'
import { recordVideos } from './videos.ts'

/** Name of the golden file → what it records, and how many milliseconds after the start of the clock it begins. */
export const groups: Readonly<
  Record<string, { readonly record: (wire: Wire) => Promise<void>; readonly start: number }>
> = {
  admin: { record: recordAdmin, start: 0 },
  logbook: { record: recordLogbook, start: 1000 },
  pages: { record: recordPages, start: 2000 },
  chat: { record: recordChat, start: 3000 },
  messages: { record: recordMessages, start: 3000 },
  calls: { record: recordCalls, start: 3000 },
  media: { record: recordMedia, start: 3000 },
  'pass-through': { record: recordPassThrough, start: 3000 },
  responses: { record: recordResponses, start: 3000 },
  'pass-through-bare': { record: recordBarePaths, start: 3500 },
  refusals: { record: recordRefusals, start: 4000 },
  idempotency: { record: recordIdempotency, start: 6000 },
  files: { record: recordFiles, start: 6500 },
  submissions: { record: recordSubmissions, start: 6600 },
  // The server checks videos at times set by the clock, at most ten seconds ahead: a clock that had already run
  // further would leave it waiting in real time.
  videos: { record: recordVideos, start: 7000 },
}
