// Reads every page of the list of keys into one list.
import { type KeyRow, keyListSchema, keyRowSchema } from '@fairgate/contracts/management/key-bodies.ts'
import Type, { type Static } from 'typebox'
import type { CommandContext } from '../command-context.ts'

/** With whole rows, the reply holds no bare hashes. */
const keyRowsSchema = Type.Object({ ...keyListSchema.properties, keys: Type.Array(keyRowSchema) })

const pageSize = 100

/** The reply of the admin door, as if all keys stood on its first page. */
export async function listAllKeys(
  ask: CommandContext['ask'],
  team: string | undefined,
): Promise<Static<typeof keyRowsSchema>> {
  const keys: KeyRow[] = []
  for (let page = 1; ; page += 1) {
    const query = { page, size: pageSize, team_id: team, return_full_object: true }
    const reply = await ask({ get: '/key/list', query }, keyRowsSchema)
    keys.push(...reply.keys)
    if (page >= reply.total_pages || reply.keys.length === 0) {
      return { keys, total_count: keys.length, current_page: 1, total_pages: Math.min(keys.length, 1) }
    }
  }
}
