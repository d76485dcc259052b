// Appends to the record of judging, without gaps and only by writers who have read all of it, and reads it on.
import type { Kysely, Selectable } from 'kysely'
import { commitRecord, identifyRecord, saltBytes, sha256 } from '../../evidence/commit-record.ts'
import type { JudgingRecordsTable } from '../schema/judging.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { holdDraft, type SaveDraftInput, saveDraft } from './judging-drafts.ts'

export type JudgingRow = Pick<Selectable<JudgingRecordsTable>, 'seq' | 'kind' | 'at' | 'actor' | 'body'>

export type AppendJudgingInput = {
  /** The last record that the writer has read; 0 for none. */
  readonly after: number
  /** Numbered in this order. At least one. */
  readonly records: readonly Omit<JudgingRow, 'seq'>[]
  readonly audit: readonly AuditEntry[]
  /** A draft that is saved in the same commit. */
  readonly draft: SaveDraftInput | null
}

/**
 * False if there are more records than the writer has read, or another revision of the draft; nothing is written then. The first number
 * decides: a second writer waits for it and finds it taken, so the rest cannot collide. The draft is held before, so that it can no longer
 * be saved once its judgement is on record.
 */
export async function appendJudging(
  db: Kysely<Schema>,
  { after, records, audit, draft }: AppendJudgingInput,
): Promise<boolean> {
  const [first, ...others] = records.map((record, at) => seal({ seq: after + 1 + at, ...record }))
  if (first === undefined) throw new Error('There is nothing to append.')
  if (draft !== null && (await holdDraft(db, draft)) !== draft.seen) return false
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('judging_records')
    .values(first)
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows !== 1n) return false
  if (others.length > 0) await db.insertInto('judging_records').values(others).execute()
  if (draft !== null) await saveDraft(db, draft)
  if (audit.length > 0) await appendAudit(db, audit)
  return true
}

function seal(row: JudgingRow): JudgingRecordsTable {
  const salt = crypto.getRandomValues(new Uint8Array(saltBytes))
  return { ...row, salt, commitment: commit(salt, row) }
}

/** True if every member of the row is as it was written. */
export function isJudgingSealed({ salt, commitment, ...row }: JudgingRecordsTable): boolean {
  return salt.length === saltBytes && Buffer.from(commit(salt, row)).equals(commitment)
}

function commit(salt: Uint8Array, row: JudgingRow): Uint8Array {
  return commitRecord(salt, identifyRecord('judging', String(row.seq)), sha256(writeSealed(row)))
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

/** The next rows with their seals, by number. */
export async function readSealedJudging(
  db: Kysely<Schema>,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<JudgingRecordsTable[]> {
  return await db
    .selectFrom('judging_records')
    .selectAll()
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute()
}
