// Appends to the record of judging, without gaps and only by writers who have read all of it, and reads it on.
import type { Kysely, Selectable } from 'kysely'
import { commitRecord, identifyRecord, saltBytes, sha256 } from '../../evidence/commit-record.ts'
import type { JudgingRecordsTable } from '../schema/judging.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'

export type JudgingRow = Pick<Selectable<JudgingRecordsTable>, 'seq' | 'kind' | 'at' | 'actor' | 'body'>

export type AppendJudgingInput = {
  /** The last record that the writer has read; 0 for none. */
  readonly after: number
  /** Numbered in this order. At least one. */
  readonly records: readonly Omit<JudgingRow, 'seq'>[]
  readonly audit: readonly AuditEntry[]
}

/**
 * False if there are more records than the writer has read; nothing is written then. The first number decides: a second writer waits for it
 * and finds it taken, so the rest cannot collide.
 */
export async function appendJudging(
  db: Kysely<Schema>,
  { after, records, audit }: AppendJudgingInput,
): Promise<boolean> {
  const [first, ...others] = records.map((record, at) => seal({ seq: after + 1 + at, ...record }))
  if (first === undefined) throw new Error('There is nothing to append.')
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('judging_records')
    .values(first)
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows !== 1n) return false
  if (others.length > 0) await db.insertInto('judging_records').values(others).execute()
  if (audit.length > 0) await appendAudit(db, audit)
  return true
}

function seal(row: JudgingRow): JudgingRecordsTable {
  const salt = crypto.getRandomValues(new Uint8Array(saltBytes))
  const identity = identifyRecord('judging', String(row.seq))
  return { ...row, salt, commitment: commitRecord(salt, identity, sha256(writeSealed(row))) }
}

/** What the commitment covers: every member of the row. */
function writeSealed({ seq, kind, at, actor, body }: JudgingRow): string {
  return JSON.stringify([seq, kind, at, actor, body])
}

/** `select … from judging_records where seq > ? order by seq`. */
export async function readJudging(
  db: Kysely<Schema>,
  { after }: { readonly after: number },
): Promise<JudgingRow[]> {
  return await db
    .selectFrom('judging_records')
    .select(['seq', 'kind', 'at', 'actor', 'body'])
    .where('seq', '>', after)
    .orderBy('seq')
    .execute()
}
