// Brings a live stream to whoever asked for it, and ends it when its caller is not let in any more: a session that was ended, a key that
// was blocked, a link that was removed.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import Type from 'typebox'
import type { Call } from '../http/call.ts'
import { type PieceStream, serverSentEventsResponse, streamOf } from '../http/server-sent-events.ts'

export type Every = (milliseconds: number, run: () => Promise<void>) => () => void

/** How long somebody may go on reading. */
const recheckMs = 5000

/** Of the requests for such a stream. */
export const liveHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      description: 'The `id` of the last event that was seen, as browsers send it by themselves',
    }),
  ),
})

export function readLastId({ request }: Call): string | null {
  return request.headers.get('last-event-id')
}

/**
 * `check` throws ApiError, or rejects with one, when the caller is not let in any more. Where nobody can be asked, as without a database, the
 * stream goes on until somebody can.
 */
export function serveLive(
  call: Call,
  reader: PieceStream & { readonly end: () => void },
  every: Every,
  check: () => unknown,
): Response {
  // Nobody reads the body of a reply to HEAD, nor that of one whose client has left by now.
  const { signal } = call.request
  if (call.method === 'HEAD' || signal.aborted) reader.end()
  else signal.addEventListener('abort', () => reader.end())
  const response = serverSentEventsResponse(reader, {
    headers: { 'cache-control': 'no-store' },
    onCancel: () => reader.end(),
  })
  const stop = every(recheckMs, async () => {
    try {
      await check()
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) return
      stop()
      reader.end()
    }
  })
  void streamOf(response)?.ended.then(stop)
  return response
}
