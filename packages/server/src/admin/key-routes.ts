// Routes for gateway keys: POST /key/generate, /key/update, /key/block, /key/unblock, /key/{key}/regenerate, /key/regenerate and /key/delete;
// GET /key/list, /key/deleted and /key/info.
import { keyInfoSchema } from '@fairgate/contracts/info/key-record.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  type DeletedKeyList,
  deletedKeyListSchema,
  deletedKeysSchema,
  deleteKeysBodySchema,
  generatedKeySchema,
  generateKeyBodySchema,
  type KeyList,
  keyBodySchema,
  keyListSchema,
  keyQuerySchema,
  keyRowSchema,
  listDeletedKeysQuerySchema,
  listKeysQuerySchema,
  regeneratedKeySchema,
  regenerateKeyBodySchema,
  regenerateNamedKeyBodySchema,
  updatedKeySchema,
  updateKeyBodySchema,
} from '@fairgate/contracts/management/key-bodies.ts'
import type { Static } from 'typebox'
import type { Directory } from '../directory/create-directory.ts'
import { requireKey } from '../directory/find-named.ts'
import { takePage } from '../directory/pages.ts'
import { requireTeam } from '../directory/refusals.ts'
import type { DeletedKey, Key } from '../directory/types.ts'
import {
  type AdminRoute,
  actionRoute,
  changeRoute,
  lookupRoute,
  type Management,
} from './management-route.ts'

const facts = { tag: 'Keys', openTo: 'organisers' } as const
const defaultSize = 10

type NewSecret = { readonly key: Key; readonly secret: string; readonly previousUntil: number | null }

const blockings = [
  { path: '/key/block', summary: 'Block a key', blocked: true },
  { path: '/key/unblock', summary: 'Unblock a key', blocked: false },
] as const

const newSecret = {
  ...facts,
  summary: 'Give a key a new secret',
  description:
    'The reply shows the new secret, only this once. The key keeps its SHA-256 as its name, its settings, its spend and what counts against its limits. The old secret works until the end of `grace`; earlier secrets no longer work.',
  reply: regeneratedKeySchema,
  errors: ['key_not_found', 'conflict'],
} as const

export function keyRoutes({ directory, records, moment }: Management): AdminRoute[] {
  const describeNewSecret = async ({ key, secret, previousUntil }: NewSecret) => ({
    key: secret,
    ...(await records.keyRow(key)),
    old_key_until: isoTime(previousUntil),
  })
  return [
    changeRoute({
      ...facts,
      path: '/key/generate',
      summary: 'Create a key for a team',
      description: 'The reply shows the key itself, only this once. Only its SHA-256 is stored.',
      body: generateKeyBodySchema,
      reply: generatedKeySchema,
      errors: ['team_not_found'],
      change: async (body, actor) => {
        const { key, secret } = await directory.generateKey(body, actor)
        return { key: secret, ...(await records.keyRow(key)) }
      },
    }),
    actionRoute(moment, {
      ...facts,
      path: '/key/update',
      summary: 'Change a key',
      description: 'Absent members stay unchanged; null removes a limit. The change applies at once.',
      body: updateKeyBodySchema,
      reply: updatedKeySchema,
      errors: ['key_not_found', 'conflict'],
      action: (body, actor) => directory.updateKey(body, actor),
      describe: async key => ({ key: key.keyHash, ...(await records.keyRow(key)) }),
    }),
    ...blockings.map(({ path, summary, blocked }) =>
      actionRoute(moment, {
        ...facts,
        path,
        summary,
        body: keyBodySchema,
        reply: keyRowSchema,
        errors: ['key_not_found', 'conflict'],
        action: ({ key, ...request }, actor) => directory.setKeyBlocked(key, blocked, request, actor),
        describe: key => records.keyRow(key),
      }),
    ),
    actionRoute(moment, {
      ...newSecret,
      path: '/key/:key/regenerate',
      description: `${newSecret.description} Name the key by its SHA-256 or another of its names, because addresses end up in logs.`,
      body: regenerateKeyBodySchema,
      action: (body, actor, { key: reference = '' }) => directory.regenerateKey(reference, body, actor),
      describe: describeNewSecret,
    }),
    actionRoute(moment, {
      ...newSecret,
      path: '/key/regenerate',
      body: regenerateNamedKeyBodySchema,
      action: ({ key, ...body }, actor) => directory.regenerateKey(key, body, actor),
      describe: describeNewSecret,
    }),
    actionRoute(moment, {
      ...facts,
      path: '/key/delete',
      summary: 'Delete keys permanently',
      description:
        'Deletes all of them or none. Their spend stays charged to their team, and reports keep their names: `/key/deleted` lists them.',
      body: deleteKeysBodySchema,
      reply: deletedKeysSchema,
      errors: ['key_not_found', 'conflict'],
      action: (body, actor) => directory.deleteKeys(body, actor),
      describe: deleted_keys => ({ deleted_keys }),
    }),
    lookupRoute({
      ...facts,
      path: '/key/list',
      summary: 'List keys, page by page, in order of creation',
      query: listKeysQuerySchema,
      reply: keyListSchema,
      errors: ['invalid_request', 'team_not_found'],
      look: async ({
        page = 1,
        size = defaultSize,
        team_id,
        return_full_object = false,
        ...filter
      }): Promise<KeyList> => {
        const listed =
          team_id === undefined
            ? withoutHidden(directory)
            : directory.keysOfTeam(requireTeam(directory, team_id).teamId)
        const keys = listed.filter(key => matches(key, filter))
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
      ...facts,
      path: '/key/deleted',
      summary: 'List the names of deleted keys',
      query: listDeletedKeysQuerySchema,
      reply: deletedKeyListSchema,
      errors: ['invalid_request', 'team_not_found'],
      look: ({ team_id, ...asked }): DeletedKeyList => {
        if (team_id !== undefined) requireTeam(directory, team_id)
        const keys = directory
          .deletedKeys()
          .filter(({ teamId }) => team_id === undefined || teamId === team_id)
          .toReversed()
        const { page, next } = takePage(
          keys,
          ({ keyHash }) => keyHash,
          asked,
          'use a `next` value of this list.',
        )
        return { items: page.map(buildDeletedKey), next, ...moment() }
      },
    }),
    lookupRoute({
      ...facts,
      path: '/key/info',
      summary: 'Get one key',
      description: 'Name it by its SHA-256, because addresses end up in logs.',
      query: keyQuerySchema,
      reply: keyInfoSchema,
      errors: ['invalid_request', 'key_not_found'],
      look: ({ key }) => records.keyInfo(requireKey(directory, key)),
    }),
  ]
}

function withoutHidden({ keys, hiddenTeams }: Pick<Directory, 'keys' | 'hiddenTeams'>): readonly Key[] {
  const hidden = new Set(hiddenTeams().map(({ teamId }) => teamId))
  return hidden.size === 0 ? keys() : keys().filter(({ teamId }) => !hidden.has(teamId))
}

type KeyFilter = Pick<
  Static<typeof listKeysQuerySchema>,
  'user_id' | 'organization_id' | 'key_hash' | 'key_alias'
>

function matches(key: Key, { user_id, organization_id, key_hash, key_alias }: KeyFilter): boolean {
  return (
    (user_id === undefined || key.userId === user_id) &&
    (organization_id === undefined || key.informational?.organization_id === organization_id) &&
    (key_hash === undefined || key.keyHash === key_hash.toLowerCase()) &&
    (key_alias === undefined || key.alias === key_alias)
  )
}

function buildDeletedKey(key: DeletedKey): DeletedKeyList['items'][number] {
  return {
    key: key.keyHash,
    key_name: key.keyName,
    key_alias: key.alias,
    team_id: key.teamId,
    user_id: key.userId,
    deleted_at: isoTime(key.deletedAt),
    deleted_by: key.deletedBy,
  }
}
