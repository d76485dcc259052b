// Log tokens on disk: read at start, written with the audit row of each change. Secrets are never here.
import type { Kysely } from 'kysely'
import type { LogTokensTable } from '../schema/directory.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { holdDirectory } from './directory-lock.ts'

/** `select * from log_tokens order by created_at, token_id`. */
export async function readLogTokens(db: Kysely<Schema>): Promise<LogTokensTable[]> {
  return await db.selectFrom('log_tokens').selectAll().orderBy('created_at').orderBy('token_id').execute()
}

/** `insert into log_tokens …` with its audit row. */
export async function insertLogToken(
  db: Kysely<Schema>,
  input: { token: LogTokensTable; audit: AuditEntry },
): Promise<void> {
  await holdDirectory(db)
  await db.insertInto('log_tokens').values(input.token).execute()
  await appendAudit(db, [input.audit])
}

/** `update log_tokens set revoked_at = ? where token_hash = ?` with its audit row. A revoked token stays listed. */
export async function revokeLogToken(
  db: Kysely<Schema>,
  input: { tokenHash: string; revokedAt: number; audit: AuditEntry },
): Promise<void> {
  await holdDirectory(db)
  await db
    .updateTable('log_tokens')
    .set({ revoked_at: input.revokedAt })
    .where('token_hash', '=', input.tokenHash)
    .execute()
  await appendAudit(db, [input.audit])
}
