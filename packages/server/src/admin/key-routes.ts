// POST /key/generate, /key/update, /key/block, /key/unblock and /key/delete; GET /key/list and /key/info.
import { keyInfoSchema } from '@fairgate/contracts/info/key-record.ts'
import {
  deletedKeysSchema,
  deleteKeysBodySchema,
  generatedKeySchema,
  generateKeyBodySchema,
  type KeyList,
  keyBodySchema,
  keyListSchema,
  keyQuerySchema,
  keyRowSchema,
  listKeysQuerySchema,
  updatedKeySchema,
  updateKeyBodySchema,
} from '@fairgate/contracts/management/key-bodies.ts'
import type { Directory } from '../directory/create-directory.ts'
import { requireKey, requireTeam } from '../directory/refusals.ts'
import type { Route } from '../http/route.ts'
import type { OwnerRecords } from '../limits/owner-records.ts'
import type { AdminCaller } from './authenticate-admin.ts'
import { changeRoute, lookupRoute } from './management-route.ts'

const tag = 'Keys'
const defaultSize = 10

const blockings = [
  { path: '/key/block', summary: 'Stop a key', blocked: true },
  { path: '/key/unblock', summary: 'Let a key work again', blocked: false },
] as const

export function keyRoutes(directory: Directory, records: OwnerRecords): Route<AdminCaller>[] {
  return [
    changeRoute({
      tag,
      path: '/key/generate',
      summary: 'Make a key for a team',
      description: 'The reply holds the key itself, once. Only its SHA-256 is kept.',
      body: generateKeyBodySchema,
      reply: generatedKeySchema,
      errors: ['team_not_found'],
      change: async (body, actor) => {
        const { key, secret } = await directory.generateKey(body, actor)
        return { key: secret, ...(await records.keyRow(key)) }
      },
    }),
    changeRoute({
      tag,
      path: '/key/update',
      summary: 'Change a key',
      description: 'Absent members stay as they are; null takes a limit away. In force at once.',
      body: updateKeyBodySchema,
      reply: updatedKeySchema,
      errors: ['key_not_found', 'conflict'],
      change: async (body, actor) => {
        const key = await directory.updateKey(body, actor)
        return { key: key.keyHash, ...(await records.keyRow(key)) }
      },
    }),
    ...blockings.map(({ path, summary, blocked }) =>
      changeRoute({
        tag,
        path,
        summary,
        body: keyBodySchema,
        reply: keyRowSchema,
        errors: ['key_not_found', 'conflict'],
        change: async ({ key }, actor) => records.keyRow(await directory.setKeyBlocked(key, blocked, actor)),
      }),
    ),
    changeRoute({
      tag,
      path: '/key/delete',
      summary: 'Delete keys for good',
      description: 'All or none. What they spent stays charged to their team.',
      body: deleteKeysBodySchema,
      reply: deletedKeysSchema,
      errors: ['key_not_found', 'conflict'],
      change: async ({ keys }, actor) => ({ deleted_keys: await directory.deleteKeys(keys, actor) }),
    }),
    lookupRoute({
      tag,
      path: '/key/list',
      summary: 'Keys, page by page, in the order of their creation',
      query: listKeysQuerySchema,
      reply: keyListSchema,
      errors: ['invalid_request', 'team_not_found'],
      look: async ({
        page = 1,
        size = defaultSize,
        team_id,
        return_full_object = false,
      }): Promise<KeyList> => {
        const keys =
          team_id === undefined
            ? directory.keys()
            : directory.keysOfTeam(requireTeam(directory, team_id).teamId)
        const shown = keys.slice((page - 1) * size, page * size)
        return {
          keys: return_full_object ? await records.keyRows(shown) : shown.map(({ keyHash }) => keyHash),
          total_count: keys.length,
          current_page: page,
          total_pages: Math.ceil(keys.length / size),
        }
      },
    }),
    lookupRoute({
      tag,
      path: '/key/info',
      summary: 'One key',
      description: 'Name it by its SHA-256: addresses end up in logs.',
      query: keyQuerySchema,
      reply: keyInfoSchema,
      errors: ['invalid_request', 'key_not_found'],
      look: ({ key }) => records.keyInfo(requireKey(directory, key)),
    }),
  ]
}
