// GET /wall/{token}/state and /wall/{token}/stream: what the screens in the hall show. The token in the path is all that it takes.

import { wallStateSchema, wallStreamEventSchema } from '@fairgate/contracts/console/wall.ts'
import Type from 'typebox'
import type { Call } from '../http/call.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { type PieceStream, serverSentEventsResponse, streamOf } from '../http/server-sent-events.ts'
import type { WallLink } from '../people/wall-desk.ts'
import { type Every, watchAccess } from '../people/watch-access.ts'

export type WallDependencies = {
  /** Throws ApiError `wall_token_not_found`. */
  readonly findLink: (token: string) => Promise<WallLink>
  /** JSON of all but `now`. Rejects with StoreUnavailable. */
  readonly write: (link: WallLink) => Promise<string>
  /** What changes. Rejects with ApiError `unavailable`, `too_many_streams`. */
  readonly openStream: (
    link: WallLink,
    lastId: string | null,
    address: string | null,
  ) => Promise<PieceStream & { readonly end: () => void }>
  readonly every: Every
  /** Unix ms. */
  readonly clock: () => number
}

const tag = 'The wall'
const pathExamples = { token: 'wall_token' }
const errors = ['wall_token_not_found', 'unavailable'] as const
const headers = { 'cache-control': 'no-store' }

export function wallRoutes(dependencies: WallDependencies): Route<null>[] {
  const { findLink, write, openStream, every, clock } = dependencies
  return [
    defineRoute<null, undefined, undefined>({
      method: 'GET',
      tag,
      path: '/wall/:token/state',
      pathExamples,
      summary: 'What the wall of the event shows',
      description:
        'Names and states of all teams in an order that never changes, counters, the newest announcement, and one figure for all logs. After `freeze_at` all of it ' +
        'stands still but `now` and `clock`. Everybody gets the same text, which is written once a second.',
      replies: { 200: wallStateSchema },
      replyHeaders: ['cache-control'],
      errors,
      handle: async (_caller, call: Call) => {
        const link = await findLink(call.params.token ?? '')
        const text = await write(link)
        const now = JSON.stringify({ now: new Date(clock()).toISOString() })
        return new Response(`${now.slice(0, -1)},${text.slice(1)}`, {
          headers: { ...headers, 'content-type': 'application/json' },
        })
      },
    }),
    defineRoute<null, undefined, undefined>({
      method: 'GET',
      tag,
      path: '/wall/:token/stream',
      pathExamples,
      summary: 'Follow the wall live, as server-sent events',
      description:
        'The event `wall` has what `state` answers, once at the beginning and then when it changes, at most once a second. `beat` comes every 5 s with the time of ' +
        'the server. With `Last-Event-ID` a reader goes on at its place; else `reset` comes first. The stream ends when the link is removed.',
      headers: Type.Object({
        'last-event-id': Type.Optional(
          Type.String({
            description: 'The `id` of the last event that was seen, as browsers send it by themselves',
          }),
        ),
      }),
      replies: { 200: wallStreamEventSchema },
      replyHeaders: ['cache-control', 'x-accel-buffering'],
      errors: [...errors, 'too_many_streams'],
      handle: async (_caller, call: Call) => {
        const link = await findLink(call.params.token ?? '')
        call.keepOpen()
        const reader = await openStream(link, call.request.headers.get('last-event-id'), call.remoteAddress)
        // Nobody reads the body of a reply to HEAD, nor that of one whose client has left by now.
        const { signal } = call.request
        if (call.method === 'HEAD' || signal.aborted) reader.end()
        else signal.addEventListener('abort', () => reader.end())
        const response = serverSentEventsResponse(reader, { headers, onCancel: () => reader.end() })
        const stop = watchAccess(every, {
          check: () => findLink(call.params.token ?? ''),
          end: () => reader.end(),
        })
        void streamOf(response)?.ended.then(stop)
        return response
      },
    }),
  ]
}
