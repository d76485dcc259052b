// Gateway keys on disk, each change written with its number and its audit row. Secrets are never stored here.
import type { Kysely } from 'kysely'
import type { GatewayKeysTable } from '../schema/directory.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { keptVersions, tryChange } from './directory-version.ts'
import { changeAlone, haveVersions, insertAlone, insertNumbered } from './numbered-rows.ts'

/** A row as its author builds it; the statement numbers it. */
export type KeyRow = Omit<GatewayKeysTable, 'version'>

export const insertKey = insertAlone('gateway_keys')
export const updateKey = changeAlone('gateway_keys')

export type InsertOwnKeyInput = {
  readonly key: KeyRow
  /** The member with the counted keys. */
  readonly memberId: string
  /** Max number of the member's keys that may work at `now` (Unix ms), including this one. */
  readonly maxWorking: number
  readonly now: number
  readonly audit: AuditEntry
}

/**
 * Like `insertKey`, after `select count(*) from gateway_keys where member_id = ? and …` and a check of its alias. Returns the number of the
 * change, or null if the member has enough working keys, or a key has this alias; nothing is written then. The directory is held, so no other
 * process creates one in between.
 */
export async function insertOwnKey(db: Kysely<Schema>, input: InsertOwnKeyInput): Promise<number | null> {
  const { key, memberId, maxWorking, now, audit } = input
  return await tryChange(db, async version => {
    const { working } = await db
      .selectFrom('gateway_keys')
      .select(({ fn }) => fn.countAll<number>().as('working'))
      .where('member_id', '=', memberId)
      .where(eb => eb.or([eb('blocked', 'is', null), eb('blocked', '=', 0)]))
      .where(eb => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
      .executeTakeFirstOrThrow()
    if (working >= maxWorking) return false
    const namesake = await db
      .selectFrom('gateway_keys')
      .select('key_hash')
      .where('alias', '=', key.alias)
      .executeTakeFirst()
    if (namesake !== undefined) return false
    await insertNumbered(db, 'gateway_keys', key, version)
    await appendAudit(db, [audit])
    return true
  })
}

const nameColumns = ['key_hash', 'key_name', 'alias', 'team_id', 'user_id', 'member_id'] as const

export type DeleteKeysInput = {
  /** Each with the version that its author has read. */
  readonly keys: readonly { readonly keyHash: string; readonly seen: number }[]
  readonly audit: readonly AuditEntry[]
  /** Time and author of the change (Unix ms). */
  readonly deletedAt: number
  readonly deletedBy: string
}

/**
 * `delete from gateway_keys where key_hash in (…)` with an audit row and a row in `directory_deletions` for each. Charges keep the hash,
 * and `deleted_keys` the name. Returns the number of the change, or null if one of them no longer exists or has another version by now;
 * nothing is written then.
 */
export async function deleteKeys(
  db: Kysely<Schema>,
  { keys, audit, deletedAt, deletedBy }: DeleteKeysInput,
): Promise<number | null> {
  return await tryChange(db, async version => {
    const hashes = keys.map(({ keyHash }) => keyHash)
    const read = keys.map(({ keyHash, seen }) => [keyHash, seen] as const)
    if (!(await haveVersions(db, 'gateway_keys', read))) return false
    await db
      .insertInto('deleted_keys')
      .columns([...nameColumns, 'deleted_at', 'deleted_by', 'version'])
      .expression(
        db
          .selectFrom('gateway_keys')
          .select(({ val }) => [
            ...nameColumns,
            val(deletedAt).as('deleted_at'),
            val(deletedBy).as('deleted_by'),
            val(version).as('version'),
          ])
          .where('key_hash', 'in', hashes),
      )
      .execute()
    await db.deleteFrom('gateway_keys').where('key_hash', 'in', hashes).execute()
    const deletions = hashes.map(key_hash => ({ version, key_hash }))
    await db.insertInto('directory_deletions').values(deletions).execute()
    await db
      .deleteFrom('directory_deletions')
      .where('version', '<=', version - keptVersions)
      .execute()
    await appendAudit(db, audit)
    return true
  })
}
