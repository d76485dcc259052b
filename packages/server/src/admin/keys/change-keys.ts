// POST /key/generate, /key/update, /key/block, /key/unblock and /key/delete.
import {
  deletedKeysSchema,
  deleteKeysBodySchema,
  generatedKeySchema,
  generateKeyBodySchema,
  keyBodySchema,
  keyRowSchema,
  updatedKeySchema,
  updateKeyBodySchema,
} from '@fairgate/contracts/management/key-bodies.ts'
import type { Directory } from '../../directory/create-directory.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { OwnerRecords } from '../../limits/owner-records.ts'
import { answer } from '../answer.ts'
import type { AdminCaller } from '../authenticate-admin.ts'

export type ChangeKeysDependencies = {
  readonly directory: Pick<Directory, 'generateKey' | 'updateKey' | 'setKeyBlocked' | 'deleteKeys'>
  readonly rows: Pick<OwnerRecords, 'keyRow'>
}

const tag = 'Keys'

export function changeKeysRoutes(dependencies: ChangeKeysDependencies): Route<AdminCaller>[] {
  const { directory, rows } = dependencies
  return [
    defineRoute<AdminCaller, typeof generateKeyBodySchema, undefined>({
      method: 'POST',
      path: '/key/generate',
      tag,
      summary: 'Make a key for a team',
      description: 'The reply holds the key itself, once. Only its SHA-256 is kept.',
      body: generateKeyBodySchema,
      replies: { 200: generatedKeySchema },
      errors: ['admin_unauthorized', 'invalid_request', 'invalid_json', 'team_not_found', 'unavailable'],
      handle: async ({ actor }, { body }) => {
        const { key, secret } = await directory.generateKey(body, actor)
        return answer({ key: secret, ...rows.keyRow(key) })
      },
    }),
    defineRoute<AdminCaller, typeof updateKeyBodySchema, undefined>({
      method: 'POST',
      path: '/key/update',
      tag,
      summary: 'Change a key',
      description: 'Absent members stay as they are; null takes a limit away. In force at once.',
      body: updateKeyBodySchema,
      replies: { 200: updatedKeySchema },
      errors: ['admin_unauthorized', 'invalid_request', 'invalid_json', 'key_not_found', 'unavailable'],
      handle: async ({ actor }, { body }) => {
        const key = await directory.updateKey(body, actor)
        return answer({ key: key.keyHash, ...rows.keyRow(key) })
      },
    }),
    blockRoute(dependencies, true),
    blockRoute(dependencies, false),
    defineRoute<AdminCaller, typeof deleteKeysBodySchema, undefined>({
      method: 'POST',
      path: '/key/delete',
      tag,
      summary: 'Delete keys for good',
      description: 'All or none. What they spent stays charged to their team.',
      body: deleteKeysBodySchema,
      replies: { 200: deletedKeysSchema },
      errors: ['admin_unauthorized', 'invalid_request', 'invalid_json', 'key_not_found', 'unavailable'],
      handle: async ({ actor }, { body }) =>
        answer({ deleted_keys: await directory.deleteKeys(body.keys, actor) }),
    }),
  ]
}

function blockRoute({ directory, rows }: ChangeKeysDependencies, blocked: boolean): Route<AdminCaller> {
  return defineRoute<AdminCaller, typeof keyBodySchema, undefined>({
    method: 'POST',
    path: blocked ? '/key/block' : '/key/unblock',
    tag,
    summary: blocked ? 'Stop a key' : 'Let a key work again',
    body: keyBodySchema,
    replies: { 200: keyRowSchema },
    errors: ['admin_unauthorized', 'invalid_request', 'invalid_json', 'key_not_found', 'unavailable'],
    handle: async ({ actor }, { body }) =>
      answer(rows.keyRow(await directory.setKeyBlocked(body.key, blocked, actor))),
  })
}
