// Admin keys on disk. Each change writes its audit row in the same transaction.
import type { Kysely, Selectable, Updateable } from 'kysely'
import type { AdminKeysTable } from '../schema/access.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit, deleteAudited } from './audit.ts'
import { awaitDirectoryChanges } from './directory-version.ts'

export type AdminKeyRow = Selectable<AdminKeysTable>

/** `select * from admin_keys order by created_at, key_id` */
export async function listAdminKeys(db: Kysely<Schema>, _input: null): Promise<AdminKeyRow[]> {
  return await db.selectFrom('admin_keys').selectAll().orderBy('created_at').orderBy('key_id').execute()
}

/** `select * from admin_keys where key_hash = ?` */
export async function findAdminKey(
  db: Kysely<Schema>,
  { keyHash }: { readonly keyHash: string },
): Promise<AdminKeyRow | null> {
  const row = await db.selectFrom('admin_keys').selectAll().where('key_hash', '=', keyHash).executeTakeFirst()
  return row ?? null
}

/**
 * `select key_id from admin_keys where folded_name = ? and key_id <> ?`. An update has no `on conflict`, so names are given one at a time:
 * the directory is held until the transaction ends.
 */
async function isNameTaken(db: Kysely<Schema>, name: string, ownId: string): Promise<boolean> {
  await awaitDirectoryChanges(db, null)
  const others = db.selectFrom('admin_keys').select('key_id')
  const other = others.where('folded_name', '=', name).where('key_id', '<>', ownId)
  return (await other.executeTakeFirst()) !== undefined
}

/** `insert into admin_keys … on conflict do nothing`. False if another key has the name; nothing is written then. */
export async function insertAdminKey(
  db: Kysely<Schema>,
  { key, audit }: { readonly key: AdminKeyRow; readonly audit: AuditEntry },
): Promise<boolean> {
  // A rename to the same name has already checked it and must not fail because of this row.
  await awaitDirectoryChanges(db, null)
  const inserted = await db
    .insertInto('admin_keys')
    .values(key)
    .onConflict(conflict => conflict.doNothing())
    .returning('key_id')
    .executeTakeFirst()
  if (inserted === undefined) return false
  await appendAudit(db, [audit])
  return true
}

/**
 * `update admin_keys set … where key_id = ? and key_hash = ?`. False if the key no longer exists, has another secret by now, or another key
 * has its new name; nothing is written then. `keyHash`: the digest that it had when it was read.
 */
export async function updateAdminKey(
  db: Kysely<Schema>,
  input: {
    readonly keyId: string
    readonly keyHash: string
    readonly change: Updateable<AdminKeysTable>
    readonly audit: AuditEntry
  },
): Promise<boolean> {
  const { folded_name: name } = input.change
  if (name !== undefined && (await isNameTaken(db, name, input.keyId))) return false
  const { numUpdatedRows } = await db
    .updateTable('admin_keys')
    .set(input.change)
    .where('key_id', '=', input.keyId)
    .where('key_hash', '=', input.keyHash)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return false
  await appendAudit(db, [input.audit])
  return true
}

export const deleteAdminKey = deleteAudited('admin_keys', 'key_id')
