// Writes and reads the record of calls: a paid call's row goes with its charge, those of refused calls in separate batches.
import type { RefusalFigures } from '@fairgate/contracts/errors/api-error.ts'
import { type Kysely, sql } from 'kysely'
import { type CallSeal, sealCall } from '../../evidence/seal-call.ts'
import type { CallFacts, CallOutcome, CallRecord, CallTexts } from '../../ledger/call-record.ts'
import type { ChargeFlag } from '../../ledger/charge.ts'
import { createHotInsert } from '../hot-statement.ts'
import type { CallsTable } from '../schema/calls.ts'
import type { Schema } from '../schema/schema.ts'
import { readUnits } from './read-units.ts'
import { deleteResponse } from './stored-responses.ts'

/** `insert into calls … on conflict do nothing`: repeating an ambiguous commit is harmless. */
export async function insertCalls(db: Kysely<Schema>, calls: readonly CallRecord[]): Promise<void> {
  await insertRows(db, calls.map(toCallRow))
}

/** Calls that cost nothing, in a separate transaction. */
export async function recordCalls(
  db: Kysely<Schema>,
  input: { readonly calls: readonly CallRecord[] },
): Promise<void> {
  await insertCalls(db, input.calls)
}

export function toCallRow(call: CallRecord): CallsTable {
  const { client, texts } = call
  const seal = sealCall(call)
  return {
    team_id: call.teamId,
    call_id: call.callId,
    key_hash: call.keyHash,
    endpoint: call.endpoint,
    model_asked: call.modelAsked,
    model_served: call.modelServed,
    outcome: call.outcome,
    code: call.code,
    status: call.status,
    refusal: call.refusal === null ? null : JSON.stringify(call.refusal),
    units: JSON.stringify(call.units),
    cost_nano: call.cost,
    flag: call.flag,
    received_at: call.receivedAt,
    ended_at: call.endedAt,
    duration_ms: call.durationMs,
    first_byte_ms: call.firstByteMs,
    upstream: call.upstream,
    upstream_key: call.upstreamKey,
    session_id: client.sessionId,
    session_source: client.sessionSource,
    parent_session: client.parentSession,
    tool: client.tool,
    user_agent: client.userAgent,
    client_address: client.address,
    calls: call.count,
    last_at: call.lastAt,
    texts: texts === null ? null : JSON.stringify(texts),
    texts_salt: seal.textsSalt,
    texts_hash: seal.textsHash,
    salt: seal.salt,
    commit_hash: seal.commit,
  }
}

const insertRows = createHotInsert<CallsTable>((db, rows) =>
  db
    .insertInto('calls')
    .values(rows)
    .onConflict(conflict => conflict.doNothing()),
)

/** A call as it is read: its record, with its proof. */
export type StoredCall = CallRecord & CallSeal

/** Filter for calls: null means no limit. */
export type CallsFilter = {
  readonly keyHash: string | null
  readonly outcome: CallOutcome | null
  readonly code: string | null
  readonly endpoint: string | null
  /** The model that was requested or that served. */
  readonly model: string | null
  readonly tool: string | null
  readonly sessionId: string | null
  /** True for calls with undelivered answers. */
  readonly undelivered: boolean | null
}

type CallsRange = {
  /** Null for all teams. */
  readonly teamId: string | null
  /** Unix ms: received at or after, and before. */
  readonly from: number | null
  readonly until: number | null
  /** Only calls with a smaller id: the end of the previous page. */
  readonly beforeId: string | null
}

export type ReadCallsPageInput = CallsRange & CallsFilter & { readonly limit: number }

export type StoredCallsPage = {
  readonly calls: readonly StoredCall[]
  /** The start of the next page; null if nothing is left. */
  readonly nextBefore: string | null
}

/**
 * Max rows read for a page, so that a filter that few calls pass costs no more than any other page: such a page may be short, or empty, and the
 * next one continues.
 */
export const rowsPerPage = 2000

/**
 * Newest first: `select … from calls where [(team_id, call_id) < (?, ?)] [and …] order by [team_id desc,] call_id desc limit ?`. Ids begin
 * with their time (UUID version 7), so a range of time is a range of ids, and both indexes of the table are in their order.
 */
export async function readCallsPage(db: Kysely<Schema>, input: ReadCallsPageInput): Promise<StoredCallsPage> {
  const { keyHash, outcome, code, endpoint, model, tool, sessionId, undelivered, limit } = input
  const equals = { key_hash: keyHash, outcome, code, endpoint, tool, session_id: sessionId } as const
  const isFiltered =
    model !== null || undelivered !== null || Object.values(equals).some(value => value !== null)
  const range = boundIds(input)
  const floor = isFiltered ? await findFloor(db, range) : null
  let query = isFiltered
    ? selectBounded(db, { ...range, lowest: floor ?? range.lowest }).selectAll()
    : selectInOrder(db, range).selectAll()
  for (const [column, value] of Object.entries(equals)) {
    if (value !== null) query = query.where(column as keyof typeof equals, '=', value)
  }
  if (model !== null)
    query = query.where(eb => eb.or([eb('model_served', '=', model), eb('model_asked', '=', model)]))
  if (undelivered !== null)
    query = query.where(({ exists, not, selectFrom }) => {
      const withheld = exists(
        selectFrom('undelivered_answers')
          .select('undelivered_answers.call_id')
          .whereRef('undelivered_answers.team_id', '=', 'calls.team_id')
          .whereRef('undelivered_answers.call_id', '=', 'calls.call_id'),
      )
      return undelivered ? withheld : not(withheld)
    })
  // One extra row shows whether another page follows.
  const rows = await query.limit(limit + 1).execute()
  const calls = rows.slice(0, limit).map(fromRow)
  return { calls, nextBefore: rows.length > limit ? (calls.at(-1)?.callId ?? null) : floor }
}

/** The oldest id that a page reads; null if it can read all that is left. */
async function findFloor(db: Kysely<Schema>, range: IdRange): Promise<string | null> {
  const query = selectInOrder(db, range).select('call_id')
  const row = await query
    .limit(1)
    .offset(rowsPerPage - 1)
    .executeTakeFirst()
  return row?.call_id ?? null
}

/** From `lowest` on, and before `end`. */
type IdRange = { readonly teamId: string | null; readonly lowest: string; readonly end: string }

/** Sorts after every id, in any collation. */
export const behindAll = 'zzzz'

function boundIds({ teamId, from, until, beforeId }: CallsRange): IdRange {
  const ends = [beforeId, until === null ? null : firstIdOf(until)].filter(id => id !== null)
  return {
    teamId,
    lowest: from === null ? '' : firstIdOf(from),
    end: ends.toSorted()[0] ?? behindAll,
  }
}

/** For a range of few rows, with any other conditions. */
function selectBounded(db: Kysely<Schema>, { teamId, lowest, end }: IdRange) {
  const query = db.selectFrom('calls').where('call_id', '>=', lowest).where('call_id', '<', end)
  const ofTeam = teamId === null ? query : query.where('team_id', '=', teamId)
  return ofTeam.orderBy('call_id', 'desc')
}

/**
 * For the first rows of a range of any length, in the order of an index. A team's are a range of pairs: for `team_id = ?` PostgreSQL would
 * sometimes walk the ids of all teams instead, which takes longer the more calls other teams make.
 */
export function selectInOrder(db: Kysely<Schema>, range: IdRange) {
  const { teamId, lowest, end } = range
  if (teamId === null) return selectBounded(db, range)
  return db
    .selectFrom('calls')
    .where(sql<boolean>`(team_id, call_id) >= (${teamId}, ${lowest})`)
    .where(sql<boolean>`(team_id, call_id) < (${teamId}, ${end})`)
    .orderBy('team_id', 'desc')
    .orderBy('call_id', 'desc')
}

/** The smallest id (UUID version 7) that a call of this moment can have. */
export function firstIdOf(unixMs: number): string {
  const hex = Math.max(0, Math.trunc(unixMs)).toString(16).padStart(12, '0').slice(-12)
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}

/** Null if no call has this id. `teamId`: null for any team. */
export async function findCall(
  db: Kysely<Schema>,
  input: { readonly teamId: string | null; readonly callId: string },
): Promise<StoredCall | null> {
  // PostgreSQL refuses a text with NUL, which no id has.
  if (input.callId.includes('\0')) return null
  let query = db.selectFrom('calls').selectAll().where('call_id', '=', input.callId)
  if (input.teamId !== null) query = query.where('team_id', '=', input.teamId)
  const row = await query.executeTakeFirst()
  return row === undefined ? null : fromRow(row)
}

/** `delete from calls where (team_id, call_id) in (select … where call_id < ? limit ?)`: rows older than the time (Unix ms). */
export async function deleteOldCalls(
  db: Kysely<Schema>,
  input: { readonly before: number; readonly limit: number },
): Promise<{ deleted: number }> {
  const old = await db
    .selectFrom('calls')
    .select(['team_id', 'call_id'])
    .where('call_id', '<', firstIdOf(input.before))
    .orderBy('call_id')
    .limit(input.limit)
    .execute()
  for (const { team_id, call_id } of old) {
    await db.deleteFrom('calls').where('team_id', '=', team_id).where('call_id', '=', call_id).execute()
    await deleteResponse(db, { teamId: team_id, callId: call_id })
  }
  return { deleted: old.length }
}

export function fromRow(row: CallsTable): StoredCall {
  return {
    callId: row.call_id,
    teamId: row.team_id,
    keyHash: row.key_hash,
    endpoint: row.endpoint,
    modelAsked: row.model_asked,
    modelServed: row.model_served,
    outcome: row.outcome as CallOutcome,
    code: row.code,
    status: row.status,
    refusal: row.refusal === null ? null : (JSON.parse(row.refusal) as RefusalFigures),
    units: readUnits(row.units),
    cost: row.cost_nano,
    flag: row.flag as ChargeFlag | null,
    receivedAt: row.received_at,
    endedAt: row.ended_at,
    durationMs: row.duration_ms,
    firstByteMs: row.first_byte_ms,
    upstream: row.upstream,
    upstreamKey: row.upstream_key,
    client: {
      sessionId: row.session_id,
      sessionSource: row.session_source,
      parentSession: row.parent_session,
      tool: row.tool,
      userAgent: row.user_agent,
      address: row.client_address,
    },
    count: row.calls,
    lastAt: row.last_at,
    texts: row.texts === null ? null : (JSON.parse(row.texts) as CallTexts),
    textsSalt: row.texts_salt,
    textsHash: row.texts_hash,
    salt: row.salt,
    commit: row.commit_hash,
  }
}

/** The stored facts of an open stream for its record, as JSON. */
export function writeFacts(facts: CallFacts | null): string | null {
  return facts === null ? null : JSON.stringify(facts)
}

export function readFacts(text: string | null): CallFacts | null {
  return text === null ? null : (JSON.parse(text) as CallFacts)
}
