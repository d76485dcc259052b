// Log tokens on disk, each change written with its number and its audit row. Secrets are never here.
import type { Kysely } from 'kysely'
import type { LogTokensTable } from '../schema/directory.ts'
import type { Schema } from '../schema/schema.ts'
import type { AuditEntry } from './audit.ts'
import { changeAlone, insertAlone } from './numbered-rows.ts'

/** A row as its author knows it; the statement numbers it. */
export type LogTokenRow = Omit<LogTokensTable, 'version'>

/** `insert into log_tokens …` with its audit row. Answers the number of the change. */
export async function insertLogToken(
  db: Kysely<Schema>,
  { token, audit }: { readonly token: LogTokenRow; readonly audit: AuditEntry },
): Promise<number> {
  return await insertAlone(db, 'log_tokens', token, audit)
}

export type RevokeLogTokenInput = {
  readonly tokenHash: string
  /** Unix ms. */
  readonly revokedAt: number
  /** The version that the change was made from. */
  readonly seen: number
  readonly audit: AuditEntry
}

/**
 * `update log_tokens set revoked_at = ? where token_hash = ? and version = ?` with its audit row. A revoked token stays listed. Answers
 * the number of the change, or null when the row has another version by now; nothing is written then.
 */
export async function revokeLogToken(
  db: Kysely<Schema>,
  { tokenHash, revokedAt, seen, audit }: RevokeLogTokenInput,
): Promise<number | null> {
  return await changeAlone(db, 'log_tokens', { token_hash: tokenHash, revoked_at: revokedAt }, seen, audit)
}
