// The records of charged calls. On SQLite they are noted with their charges as one row for the whole commit, and filed behind, many at once: a row of
// 32 columns with two indexes for each call took half of the time of the writing thread. PostgreSQL is faster without (decision 045).
import type { Kysely } from 'kysely'
import type { CallOutcome, CallRecord } from '../../ledger/call-record.ts'
import type { CallRef, Charge } from '../../ledger/charge.ts'
import { dialectOf } from '../dialect.ts'
import { createHotStatement } from '../hot-statement.ts'
import type { Schema } from '../schema/schema.ts'
import { insertCalls } from './calls.ts'

/** Team and id of the call, then the rest: without the names of its members, which would double the size of each commit. */
type NotedCall = ReturnType<typeof toNotedCall>[number]

/** Empty if it is not a call: a refund takes back the charge of one. */
function toNotedCall(charge: Charge) {
  const { facts, outcome } = charge
  if (facts === null || outcome === 'refunded') return []
  const { client, texts } = facts
  return [
    [
      charge.teamId,
      charge.callId,
      charge.keyHash,
      charge.endpoint,
      charge.modelId,
      outcome satisfies CallOutcome,
      charge.units,
      charge.cost,
      charge.flag,
      charge.admittedAt,
      charge.settledAt,
      charge.durationMs,
      facts.code,
      facts.modelAsked,
      facts.firstByteMs,
      facts.upstream,
      facts.upstreamKey,
      client.sessionId,
      client.sessionSource,
      client.parentSession,
      client.tool,
      client.userAgent,
      client.address,
      texts === null ? null : ([texts.prompts, texts.results, texts.answer] as const),
    ] as const,
  ]
}

function toCallRecord([
  teamId,
  callId,
  keyHash,
  endpoint,
  modelServed,
  outcome,
  units,
  cost,
  flag,
  receivedAt,
  endedAt,
  durationMs,
  code,
  modelAsked,
  firstByteMs,
  upstream,
  upstreamKey,
  sessionId,
  sessionSource,
  parentSession,
  tool,
  userAgent,
  address,
  texts,
]: NotedCall): CallRecord {
  return {
    ...{ teamId, callId, keyHash, endpoint, modelAsked, modelServed, outcome, code },
    ...{ status: null, refusal: null, units, cost, flag, receivedAt, endedAt, durationMs, firstByteMs },
    ...{ upstream, upstreamKey, count: 1, lastAt: receivedAt },
    client: { sessionId, sessionSource, parentSession, tool, userAgent, address },
    texts: texts === null ? null : { prompts: texts[0], results: texts[1], answer: texts[2] },
  }
}

/** Records of the charges' calls. */
export function recordsOf(charges: readonly Charge[]): CallRecord[] {
  return charges.flatMap(toNotedCall).map(toCallRecord)
}

/** JSON of the records of the charges' calls, for one commit; null if there are none. */
export function writeNote(charges: readonly Charge[]): string | null {
  const calls = charges.flatMap(toNotedCall)
  return calls.length === 0 ? null : JSON.stringify(calls)
}

/** `insert into unfiled_calls`. `note`: the text of `writeNote`. */
export async function insertNote(db: Kysely<Schema>, note: string): Promise<void> {
  await insertNoteRow(db, 1, [note])
}

const insertNoteRow = createHotStatement(db => db.insertInto('unfiled_calls').values({ records: '' }))

/** The part of a note that belongs to new charges. */
export function cutNote(note: string, charges: readonly CallRef[]): string | null {
  const ids = new Set(charges.map(({ callId }) => callId))
  const calls = (JSON.parse(note) as NotedCall[]).filter(([, callId]) => ids.has(callId))
  return calls.length === 0 ? null : JSON.stringify(calls)
}

/** `select … limit 1`: true while calls wait to be filed. */
export async function hasUnfiledCalls(db: Kysely<Schema>, _input: null): Promise<boolean> {
  const first = await db.selectFrom('unfiled_calls').select('note_id').limit(1).executeTakeFirst()
  return first !== undefined
}

/**
 * Moves the oldest notes, at most the given number, into the rows that calls are found by, in key order. Returns how many notes they were.
 * If another process is filing, this waits for it and then finds the rest.
 */
export async function fileCalls(
  db: Kysely<Schema>,
  { notes: limit }: { readonly notes: number },
): Promise<number> {
  let oldest = db.selectFrom('unfiled_calls').selectAll().orderBy('note_id').limit(limit)
  if (dialectOf(db) === 'postgres') oldest = oldest.forUpdate()
  const notes = await oldest.execute()
  if (notes.length === 0) return 0
  const calls = notes.flatMap(({ records }) => JSON.parse(records) as NotedCall[])
  await insertCalls(db, calls.sort(byKey).map(toCallRecord))
  const ids = notes.map(({ note_id }) => note_id)
  await db.deleteFrom('unfiled_calls').where('note_id', 'in', ids).execute()
  return notes.length
}

function byKey([team, call]: NotedCall, [otherTeam, otherCall]: NotedCall): number {
  if (team !== otherTeam) return team < otherTeam ? -1 : 1
  return call < otherCall ? -1 : 1
}
