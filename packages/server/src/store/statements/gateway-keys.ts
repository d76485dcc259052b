// Gateway keys on disk: read at start, written with the audit row of each change. Secrets are never here.
import type { Kysely } from 'kysely'
import type { GatewayKeysTable } from '../schema/directory.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { holdDirectory } from './directory-lock.ts'

/** `select * from gateway_keys order by created_at, key_hash`. */
export async function readKeys(db: Kysely<Schema>): Promise<GatewayKeysTable[]> {
  return await db.selectFrom('gateway_keys').selectAll().orderBy('created_at').orderBy('key_hash').execute()
}

/** `insert into gateway_keys …` with its audit row. */
export async function insertKey(
  db: Kysely<Schema>,
  input: { key: GatewayKeysTable; audit: AuditEntry },
): Promise<void> {
  await holdDirectory(db)
  await db.insertInto('gateway_keys').values(input.key).execute()
  await appendAudit(db, [input.audit])
}

/** `update gateway_keys set … where key_hash = ?` with its audit row. */
export async function updateKey(
  db: Kysely<Schema>,
  input: { key: GatewayKeysTable; audit: AuditEntry },
): Promise<void> {
  await holdDirectory(db)
  const { key_hash, ...changes } = input.key
  await db.updateTable('gateway_keys').set(changes).where('key_hash', '=', key_hash).execute()
  await appendAudit(db, [input.audit])
}

/** `delete from gateway_keys where key_hash in (…)` with an audit row for each. Charges keep the hash. */
export async function deleteKeys(
  db: Kysely<Schema>,
  input: { keyHashes: readonly string[]; audit: readonly AuditEntry[] },
): Promise<void> {
  await holdDirectory(db)
  await db
    .deleteFrom('gateway_keys')
    .where('key_hash', 'in', [...input.keyHashes])
    .execute()
  await appendAudit(db, input.audit)
}
