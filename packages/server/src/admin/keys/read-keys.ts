// GET /key/list and /key/info: keys with what they have spent, never the keys themselves.
import { keyInfoSchema } from '@fairgate/contracts/info/key-record.ts'
import {
  type KeyList,
  keyListSchema,
  keyQuerySchema,
  listKeysQuerySchema,
} from '@fairgate/contracts/management/key-bodies.ts'
import type { Directory } from '../../directory/create-directory.ts'
import { requireKey, requireTeam } from '../../directory/require-entity.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { OwnerRecords } from '../../limits/owner-records.ts'
import { answer } from '../answer.ts'
import type { AdminCaller } from '../authenticate-admin.ts'

export type ReadKeysDependencies = {
  readonly directory: Pick<Directory, 'keys' | 'keysOfTeam' | 'findKey' | 'findTeam'>
  readonly rows: Pick<OwnerRecords, 'keyInfo' | 'keyRow'>
}

const tag = 'Keys'
const defaultSize = 10

export function readKeysRoutes({ directory, rows }: ReadKeysDependencies): Route<AdminCaller>[] {
  return [
    defineRoute<AdminCaller, undefined, typeof listKeysQuerySchema>({
      method: 'GET',
      path: '/key/list',
      tag,
      summary: 'Keys, page by page, in the order of their creation',
      query: listKeysQuerySchema,
      replies: { 200: keyListSchema },
      errors: ['admin_unauthorized', 'invalid_request', 'team_not_found'],
      handle: (_caller, { query }) => {
        const { page = 1, size = defaultSize, team_id, return_full_object = false } = query
        const keys =
          team_id === undefined
            ? directory.keys()
            : directory.keysOfTeam(requireTeam(directory, team_id).teamId)
        const shown = keys.slice((page - 1) * size, page * size)
        const list: KeyList = {
          keys: shown.map(key => (return_full_object ? rows.keyRow(key) : key.keyHash)),
          total_count: keys.length,
          current_page: page,
          total_pages: Math.ceil(keys.length / size),
        }
        return answer(list)
      },
    }),
    defineRoute<AdminCaller, undefined, typeof keyQuerySchema>({
      method: 'GET',
      path: '/key/info',
      tag,
      summary: 'One key',
      description: 'Name it by its SHA-256: addresses end up in logs.',
      query: keyQuerySchema,
      replies: { 200: keyInfoSchema },
      errors: ['admin_unauthorized', 'invalid_request', 'key_not_found'],
      handle: (_caller, { query }) => answer(rows.keyInfo(requireKey(directory, query.key))),
    }),
  ]
}
