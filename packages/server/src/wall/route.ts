// GET /wall/{token}/state and /wall/{token}/stream: data for the screens in the hall. The token in the path is the only credential.

import { wallStateSchema, wallStreamEventSchema } from '@fairgate/contracts/console/wall.ts'
import type { Call } from '../http/call.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { LiveFeed } from '../insight/live-feed.ts'
import { liveHeaders, readLastId, serveLive } from '../people/serve-live.ts'
import type { WallLink, WallService } from '../people/wall-service.ts'
import type { World } from '../world/world.ts'
import type { WallBoard } from './wall-board.ts'

export type WallDependencies = Pick<World, 'clock' | 'every'> & {
  readonly service: WallService
  readonly board: WallBoard
  readonly feed: LiveFeed
}

/** The link's topic in the live feed of walls. */
export function topicOf({ wall_token_id }: WallLink): string {
  return `wall:${wall_token_id}`
}

const tag = 'The wall'
const errors = ['wall_token_not_found', 'unavailable'] as const

export function wallRoutes({ service, board, feed, every, clock }: WallDependencies): Route<null>[] {
  const findLink = ({ params }: Call) => service.find(params.token ?? '')
  return [
    defineRoute<null, undefined, undefined>({
      method: 'GET',
      tag,
      path: '/wall/:token/state',
      summary: "Get the state of the event's wall",
      description:
        'Names and states of all teams in a fixed order, counters, the newest announcement, and one hash for all logs. After `freeze_at` everything ' +
        'is frozen except `now` and `clock`. All viewers get the same text, which is written once a second.',
      replies: { 200: wallStateSchema },
      replyHeaders: ['cache-control'],
      errors,
      handle: async (_caller, call: Call) => {
        const text = await board.write(await findLink(call))
        const now = JSON.stringify({ now: new Date(clock()).toISOString() })
        return new Response(`${now.slice(0, -1)},${text.slice(1)}`, {
          headers: { 'cache-control': 'no-store', 'content-type': 'application/json' },
        })
      },
    }),
    defineRoute<null, undefined, undefined>({
      method: 'GET',
      tag,
      path: '/wall/:token/stream',
      summary: 'Follow the wall live, as server-sent events',
      description:
        'The event `wall` has the same data as `state`, once at the beginning and then on changes, at most once a second. `beat` comes every 5 s with the ' +
        "server's time. With `Last-Event-ID` a reader continues at its position; otherwise `reset` comes first. The stream ends when the link is removed.",
      headers: liveHeaders,
      replies: { 200: wallStreamEventSchema },
      replyHeaders: ['cache-control', 'x-accel-buffering'],
      errors: [...errors, 'too_many_streams'],
      handle: async (_caller, call: Call) => {
        const topics = new Set([topicOf(await findLink(call))])
        call.keepOpen()
        const opener = { owner: null, address: call.remoteAddress }
        const reader = await feed.open(topics, readLastId(call), opener)
        return serveLive(call, reader, every, () => findLink(call))
      },
    }),
  ]
}
