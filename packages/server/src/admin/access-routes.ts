// Who may manage: GET and POST /admin_keys with what is done to one of them, and POST /session/link.

import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  type AdminKeyList,
  type AdminKeyRecord,
  adminKeyListSchema,
  adminKeyReplySchema,
  deleteAdminKeyQuerySchema,
  type NewAdminKeyReply,
  newAdminKeyBodySchema,
  newAdminKeyReplySchema,
  regenerateAdminKeyBodySchema,
  updateAdminKeyBodySchema,
} from '@fairgate/contracts/management/access.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { AdminKey, AdminKeyDesk } from '../people/admin-key-desk.ts'
import { type AdminRoute, defineAdminRoute } from './admin-route.ts'
import { answerAct, orPreview, previewText } from './describe-preview.ts'
import { answer, changeRoute, lookupRoute } from './management-route.ts'

export type AdminKeysDependencies = {
  readonly desk: Pick<AdminKeyDesk, 'list' | 'create' | 'update' | 'regenerate' | 'delete'>
  readonly directory: Pick<Directory, 'version'>
  /** Unix ms. */
  readonly clock: () => number
}

const tag = 'Access'
const openTo = 'organisers'
const pathExamples = { key_id: 'ak_1' }

export function adminKeyRoutes({ desk, directory, clock }: AdminKeysDependencies): AdminRoute[] {
  const moment = () => ({ as_of: isoTime(clock()), version: directory.version() })
  return [
    lookupRoute({
      tag,
      openTo,
      path: '/admin_keys',
      summary: 'The admin keys with their names and roles',
      description:
        'The key of FAIRGATE_ADMIN_KEY is not among them: it is that of an organiser with the name "admin".',
      reply: adminKeyListSchema,
      errors: ['unavailable'],
      look: async (): Promise<AdminKeyList> => {
        const keys = await desk.list()
        return { items: keys.map(describeKey), next: null, total: { count: keys.length }, ...moment() }
      },
    }),
    changeRoute({
      tag,
      openTo,
      path: '/admin_keys',
      summary: 'Make an admin key with a name and a role',
      description: 'The reply holds the key itself, once. Only its SHA-256 is kept.',
      body: newAdminKeyBodySchema,
      reply: newAdminKeyReplySchema,
      errors: ['conflict'],
      change: async (body, actor): Promise<NewAdminKeyReply> => {
        const { key, secret } = await desk.create(body, actor)
        return { key: secret, ...describeKey(key), ...moment() }
      },
    }),
    changeRoute({
      tag,
      openTo,
      path: '/admin_keys/:key_id',
      pathExamples,
      summary: 'Rename, block or unblock an admin key, or give it another role',
      description: 'Absent members stay as they are. In force from the next request on, on every process.',
      body: updateAdminKeyBodySchema,
      reply: adminKeyReplySchema,
      errors: ['admin_key_not_found', 'conflict'],
      change: async (body, actor, { key_id: keyId = '' }) => ({
        ...describeKey(await desk.update(keyId, body, actor)),
        ...moment(),
      }),
    }),
    changeRoute({
      tag,
      openTo,
      path: '/admin_keys/:key_id/regenerate',
      pathExamples,
      summary: 'Give an admin key a new secret',
      description: `The reply holds the new secret, once. The old one stops working, and its sessions end. ${previewText}`,
      body: regenerateAdminKeyBodySchema,
      reply: orPreview(newAdminKeyReplySchema),
      errors: ['admin_key_not_found', 'conflict', 'preview_outdated'],
      change: (body, actor, { key_id: keyId = '' }) =>
        answerAct(
          desk.regenerate(keyId, body, actor),
          moment,
          ({ key, secret }): NewAdminKeyReply => ({ key: secret, ...describeKey(key), ...moment() }),
        ),
    }),
    defineAdminRoute({
      method: 'DELETE',
      tag,
      openTo,
      path: '/admin_keys/:key_id',
      pathExamples,
      summary: 'Delete an admin key; its sessions end',
      description: previewText,
      query: deleteAdminKeyQuerySchema,
      replies: { 200: orPreview(adminKeyReplySchema) },
      errors: [
        'admin_unauthorized',
        'invalid_request',
        'admin_key_not_found',
        'preview_outdated',
        'unavailable',
      ],
      handle: async ({ actor }, { params: { key_id: keyId = '' }, query }) =>
        answer(
          await answerAct(desk.delete(keyId, query, actor), moment, key => ({
            ...describeKey(key),
            ...moment(),
          })),
        ),
    }),
  ]
}

function describeKey({
  keyId,
  keyName,
  name,
  role,
  isBlocked,
  createdAt,
  createdBy,
}: AdminKey): AdminKeyRecord {
  return {
    key_id: keyId,
    key_name: keyName,
    name,
    role,
    blocked: isBlocked,
    created_at: isoTime(createdAt),
    created_by: createdBy,
  }
}
