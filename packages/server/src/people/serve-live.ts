// Serves a live stream, and ends it when its caller loses access: a session was ended, a key was blocked, or a link was removed.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import Type from 'typebox'
import type { Call } from '../http/call.ts'
import { type PieceStream, serverSentEventsResponse, streamOf } from '../http/server-sent-events.ts'

export type Every = (milliseconds: number, run: () => Promise<void>) => () => void

/** How long the caller may continue to read. */
const recheckMs = 5000

/** Headers of requests for such a stream. */
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
 * `check` throws ApiError, or rejects with one, if the caller has lost access. If it cannot be checked, as without a database, the stream
 * continues until it can.
 */
export function serveLive(
  call: Call,
  reader: PieceStream & { readonly end: () => void },
  every: Every,
  check: () => unknown,
): Response {
  // The body of a reply to HEAD, or to a client that has left, is never read.
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
