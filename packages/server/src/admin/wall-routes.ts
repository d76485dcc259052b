// Routes for wall links, which show the event's wall to anyone who has them: GET and POST /wall_tokens, DELETE /wall_tokens/{wall_token_id}.
import {
  newWallTokenBodySchema,
  newWallTokenReplySchema,
  removedWallTokenSchema,
  removeWallTokenQuerySchema,
  type WallTokenList,
  wallTokenListSchema,
} from '@fairgate/contracts/console/wall.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { WallLink } from '../people/wall-service.ts'
import {
  type AdminRoute,
  actionRoute,
  changeRoute,
  lookupRoute,
  type Management,
} from './management-route.ts'

const facts = { tag: 'Walls', openTo: 'organisers' } as const

export function wallTokenRoutes({ wall: { service }, gatewayUrl, moment, stamp }: Management): AdminRoute[] {
  return [
    lookupRoute({
      ...facts,
      path: '/wall_tokens',
      summary: 'List the wall links',
      reply: wallTokenListSchema,
      errors: ['unavailable'],
      look: async (): Promise<WallTokenList> => {
        const items = (await service.list()).map(describe)
        return { items, next: null, total: { count: items.length }, ...moment() }
      },
    }),
    changeRoute({
      ...facts,
      path: '/wall_tokens',
      summary: "Create a link that shows the event's wall",
      description:
        'Anyone with this link can see the names and states of all teams, and cannot change anything. It works until it is removed. `freeze_at` freezes the ' +
        'figures from that moment on, for everyone who uses this link.',
      body: newWallTokenBodySchema,
      reply: newWallTokenReplySchema,
      errors: ['conflict'],
      change: async (body, actor) => {
        const { link, token } = await service.create(body, actor)
        return { ...describe(link), url: `${gatewayUrl()}/wall/${token}`, token, ...moment() }
      },
    }),
    actionRoute(moment, {
      ...facts,
      path: '/wall_tokens/:wall_token_id',
      summary: 'Delete a wall link: the page stops showing data',
      query: removeWallTokenQuerySchema,
      reply: removedWallTokenSchema,
      errors: ['wall_token_not_found'],
      action: (query, actor, { wall_token_id: id = '' }) => service.remove(id, query, actor),
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
