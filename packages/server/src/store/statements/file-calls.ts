// The records of charged calls: noted with their charges as one row for the whole commit, and filed behind, many at once. A row of 32 columns with
// two indexes for each call cost half of the writing thread (decision 045).
import type { Kysely } from 'kysely'
import type { CallRecord } from '../../ledger/call-record.ts'
import { dialectOf } from '../dialect.ts'
import { createHotStatement } from '../hot-statement.ts'
import type { Schema } from '../schema/schema.ts'
import { insertCalls } from './calls.ts'

/** `insert into unfiled_calls`: all of them in one row. */
export async function noteCalls(db: Kysely<Schema>, calls: readonly CallRecord[]): Promise<void> {
  if (calls.length > 0) await insertNote(db, 1, [JSON.stringify(calls)])
}

const insertNote = createHotStatement(db => db.insertInto('unfiled_calls').values({ records: '' }))

/** `select exists …`: true while calls wait to be filed. */
export async function hasUnfiledCalls(db: Kysely<Schema>, _input: null): Promise<boolean> {
  const first = await db.selectFrom('unfiled_calls').select('note_id').limit(1).executeTakeFirst()
  return first !== undefined
}

/**
 * Moves the oldest notes, so many at most, into the rows that calls are found by, in the order of their key. Answers how many notes they were. Whoever
 * files while another does waits for it, and then finds what it has left.
 */
export async function fileCalls(
  db: Kysely<Schema>,
  { notes: limit }: { readonly notes: number },
): Promise<number> {
  let oldest = db.selectFrom('unfiled_calls').selectAll().orderBy('note_id').limit(limit)
  if (dialectOf(db) === 'postgres') oldest = oldest.forUpdate()
  const notes = await oldest.execute()
  if (notes.length === 0) return 0
  const calls = notes.flatMap(({ records }) => JSON.parse(records) as CallRecord[])
  await insertCalls(db, calls.sort(byKey))
  const ids = notes.map(({ note_id }) => note_id)
  await db.deleteFrom('unfiled_calls').where('note_id', 'in', ids).execute()
  return notes.length
}

function byKey(left: CallRecord, right: CallRecord): number {
  if (left.teamId !== right.teamId) return left.teamId < right.teamId ? -1 : 1
  return left.callId < right.callId ? -1 : 1
}
