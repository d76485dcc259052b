// GET and POST /wall_tokens, DELETE /wall_tokens/{wall_token_id}: links that show the wall of the event to everybody who has them.
import {
  newWallTokenBodySchema,
  newWallTokenReplySchema,
  removedWallTokenSchema,
  removeWallTokenQuerySchema,
  type WallTokenList,
  wallTokenListSchema,
} from '@fairgate/contracts/console/wall.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { WallLink } from '../people/wall-desk.ts'
import { type AdminRoute, actRoute, changeRoute, lookupRoute, type Management } from './management-route.ts'

const facts = { tag: 'Walls', openTo: 'organisers' } as const

export function wallTokenRoutes({ wall: { desk }, gatewayUrl, moment, stamp }: Management): AdminRoute[] {
  return [
    lookupRoute({
      ...facts,
      path: '/wall_tokens',
      summary: 'The links of walls',
      reply: wallTokenListSchema,
      errors: ['unavailable'],
      look: async (): Promise<WallTokenList> => {
        const items = (await desk.list()).map(describe)
        return { items, next: null, total: { count: items.length }, ...moment() }
      },
    }),
    changeRoute({
      ...facts,
      path: '/wall_tokens',
      summary: 'Make a link that shows the wall of the event',
      description:
        'Everybody who has it sees the names and states of all teams, and nothing that could be changed. It works until it is removed. With `freeze_at` the ' +
        'figures stand still from that moment on, for everybody who asks with this link.',
      body: newWallTokenBodySchema,
      reply: newWallTokenReplySchema,
      errors: ['conflict'],
      change: async (body, actor) => {
        const { link, token } = await desk.create(body, actor)
        return { ...describe(link), url: `${gatewayUrl()}/wall/${token}`, token, ...moment() }
      },
    }),
    actRoute(moment, {
      ...facts,
      path: '/wall_tokens/:wall_token_id',
      pathExamples: { wall_token_id: 'wt_1' },
      summary: 'Remove the link of a wall: it shows nothing any more',
      query: removeWallTokenQuerySchema,
      reply: removedWallTokenSchema,
      errors: ['wall_token_not_found'],
      act: (query, actor, { wall_token_id: id = '' }) => desk.remove(id, query, actor),
      describe: removed => stamp(describe(removed)),
    }),
  ]
}

function describe(link: WallLink) {
  return {
    wall_token_id: link.wall_token_id,
    name: link.name,
    shows_budgets: link.shows_budgets !== 0,
    freeze_at: isoTime(link.freeze_at),
    frozen_at: isoTime(link.frozen_at),
    created_at: isoTime(link.created_at),
    created_by: link.created_by,
  }
}
