// Routes for admin keys: GET and POST /admin_keys, and the actions on one key.

import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  type AdminKeyList,
  type AdminKeyRecord,
  adminKeyListSchema,
  adminKeyReplySchema,
  deleteAdminKeyQuerySchema,
  newAdminKeyBodySchema,
  newAdminKeyReplySchema,
  regenerateAdminKeyBodySchema,
  updateAdminKeyBodySchema,
} from '@fairgate/contracts/management/access.ts'
import { readRole } from '../people/admin-key-service.ts'
import type { AdminKeyRow } from '../store/statements/admin-keys.ts'
import {
  type AdminRoute,
  actionRoute,
  changeRoute,
  lookupRoute,
  type Management,
} from './management-route.ts'

const facts = { tag: 'Access', openTo: 'organisers' } as const

export function adminKeyRoutes({ access: { keys: service }, moment, stamp }: Management): AdminRoute[] {
  return [
    lookupRoute({
      ...facts,
      path: '/admin_keys',
      summary: 'List the admin keys with their names and roles',
      description:
        'The key of FAIRGATE_ADMIN_KEY is not listed. It belongs to an organiser with the name "admin".',
      reply: adminKeyListSchema,
      errors: ['unavailable'],
      look: async (): Promise<AdminKeyList> => {
        const keys = await service.list()
        return { items: keys.map(describeKey), next: null, total: { count: keys.length }, ...moment() }
      },
    }),
    changeRoute({
      ...facts,
      path: '/admin_keys',
      summary: 'Create an admin key with a name and a role',
      description: 'The reply shows the key itself, only this once. Only its SHA-256 is stored.',
      body: newAdminKeyBodySchema,
      reply: newAdminKeyReplySchema,
      errors: ['conflict'],
      change: async (body, actor) => {
        const { key, secret } = await service.create(body, actor)
        return { key: secret, ...describeKey(key), ...moment() }
      },
    }),
    changeRoute({
      ...facts,
      path: '/admin_keys/:key_id',
      summary: 'Rename, block or unblock an admin key, or change its role',
      description:
        'Absent members stay unchanged. The change applies from the next request on, in every process.',
      body: updateAdminKeyBodySchema,
      reply: adminKeyReplySchema,
      errors: ['admin_key_not_found', 'conflict'],
      change: async (body, actor, { key_id: keyId = '' }) =>
        stamp(describeKey(await service.update(keyId, body, actor))),
    }),
    actionRoute(moment, {
      ...facts,
      path: '/admin_keys/:key_id/regenerate',
      summary: 'Give an admin key a new secret',
      description:
        'The reply shows the new secret, only this once. The old one stops working, and its sessions end.',
      body: regenerateAdminKeyBodySchema,
      reply: newAdminKeyReplySchema,
      errors: ['admin_key_not_found', 'conflict'],
      action: (body, actor, { key_id: keyId = '' }) => service.regenerate(keyId, body, actor),
      describe: ({ key, secret }) => ({ key: secret, ...describeKey(key), ...moment() }),
    }),
    actionRoute(moment, {
      ...facts,
      path: '/admin_keys/:key_id',
      summary: 'Delete an admin key and end its sessions',
      query: deleteAdminKeyQuerySchema,
      reply: adminKeyReplySchema,
      errors: ['admin_key_not_found'],
      action: (query, actor, { key_id: keyId = '' }) => service.delete(keyId, query, actor),
      describe: key => stamp(describeKey(key)),
    }),
  ]
}

function describeKey(row: AdminKeyRow): AdminKeyRecord {
  const { key_id, key_name, name, blocked, created_at, created_by } = row
  const role = readRole(row)
  return { key_id, key_name, name, role, blocked: blocked !== 0, created_at: isoTime(created_at), created_by }
}
