// Reads the changes of the directory, or all of it, as of one moment of the database.
import type { Kysely } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type {
  DeletedKeysTable,
  EventSettingsTable,
  GatewayKeysTable,
  LogTokensTable,
  MembersTable,
  TeamsTable,
} from '../schema/directory.ts'
import type { UnchargedSumsTable } from '../schema/ledger.ts'
import type { AnnouncementsTable } from '../schema/notices.ts'
import type { Schema } from '../schema/schema.ts'
import { keptVersions } from './directory-version.ts'

export type DirectoryNumbers = {
  /** Number of the last change; 0 before the first. */
  readonly version: number
  /** Number of the last change that makes processes reload their catalog files. */
  readonly catalogVersion: number
}

export type DirectoryChanges = DirectoryNumbers & {
  /** The rows are complete: anything that is not among them no longer exists. */
  readonly isWhole: boolean
  readonly teams: readonly TeamsTable[]
  readonly keys: readonly GatewayKeysTable[]
  readonly logTokens: readonly LogTokensTable[]
  /** Names of deleted keys. */
  readonly deletedNames: readonly DeletedKeysTable[]
  readonly members: readonly MembersTable[]
  readonly announcements: readonly AnnouncementsTable[]
  readonly uncharged: readonly UnchargedSumsTable[]
  /** Null if it has not changed, or if nothing was ever set. */
  readonly event: EventSettingsTable | null
  /** Deleted keys, each with the change that deleted it. */
  readonly deletedKeys: readonly { readonly keyHash: string; readonly version: number }[]
}

/**
 * Everything that was changed after `after`, in the order of creation; everything if `after` is null or lies too far back. Cheap if nothing
 * was changed: `select version, catalog_version from directory_version`.
 */
export async function readDirectory(
  db: Kysely<Schema>,
  { after }: { readonly after: number | null },
): Promise<DirectoryChanges> {
  if (after !== null) {
    const numbers = await readNumbers(db)
    if (numbers.version === after) return { ...numbers, ...noChange }
  }
  // One moment for all tables: a key without its team would be half a change.
  const transaction = db.transaction()
  const snapshot =
    dialectOf(db) === 'postgres'
      ? transaction.setIsolationLevel('repeatable read').setAccessMode('read only')
      : transaction
  return await snapshot.execute(async moment => {
    const numbers = await readNumbers(moment)
    // A number below `after` belongs to another database, such as a restored one.
    const isWhole = after === null || numbers.version - after > keptVersions || numbers.version < after
    return { ...numbers, isWhole, ...(await readRows(moment, isWhole ? -1 : after)) }
  })
}

const noChange = {
  isWhole: false,
  teams: [],
  keys: [],
  logTokens: [],
  members: [],
  announcements: [],
  uncharged: [],
  event: null,
  deletedNames: [],
  deletedKeys: [],
} as const

async function readNumbers(db: Kysely<Schema>): Promise<DirectoryNumbers> {
  const row = await db
    .selectFrom('directory_version')
    .select(['version', 'catalog_version as catalogVersion'])
    .executeTakeFirst()
  return row ?? { version: 0, catalogVersion: 0 }
}

/** `select * from teams where version > ? order by created_at, team_id`, and so on for the other tables. */
async function readRows(db: Kysely<Schema>, after: number) {
  const teams = db.selectFrom('teams').selectAll().orderBy('created_at').orderBy('team_id')
  const keys = db.selectFrom('gateway_keys').selectAll().orderBy('created_at').orderBy('key_hash')
  const logTokens = db.selectFrom('log_tokens').selectAll().orderBy('created_at').orderBy('token_id')
  const names = db.selectFrom('deleted_keys').selectAll().orderBy('deleted_at').orderBy('key_hash')
  const members = db.selectFrom('members').selectAll().orderBy('created_at').orderBy('member_id')
  const announcements = db
    .selectFrom('announcements')
    .selectAll()
    .orderBy('created_at')
    .orderBy('announcement_id')
  const uncharged = db.selectFrom('uncharged_sums').selectAll().orderBy('team_id').orderBy('model_id')
  const event = db.selectFrom('event_settings').selectAll()
  const deleted = db.selectFrom('directory_deletions').select(['key_hash as keyHash', 'version'])
  return {
    teams: await teams.where('version', '>', after).execute(),
    keys: await keys.where('version', '>', after).execute(),
    logTokens: await logTokens.where('version', '>', after).execute(),
    deletedNames: await names.where('version', '>', after).execute(),
    members: await members.where('version', '>', after).execute(),
    announcements: await announcements.where('version', '>', after).execute(),
    uncharged: await uncharged.where('version', '>', after).execute(),
    event: (await event.where('version', '>', after).executeTakeFirst()) ?? null,
    deletedKeys: await deleted.where('version', '>', after).execute(),
  }
}
