// Stores the responses of /v1/responses with their inputs, within the bounds of each team, and reads them back: one, or a conversation.
import { type Kysely, sql } from 'kysely'
import type { Schema, StoredResponsesTable } from '../schema/schema.ts'

export type StoredResponse = {
  readonly teamId: string
  readonly callId: string
  /** Unix ms. */
  readonly createdAt: number
  readonly previousCallId: string | null
  /** JSON texts. */
  readonly response: string
  readonly input: string
}

export type StoreResponsesInput = {
  readonly responses: readonly StoredResponse[]
  /** The max of each team. */
  readonly maxCount: number
  readonly maxBytes: number
}

/** Each step drops that many rows; a team that lowers its bounds has more to drop. */
const rowsPerStep = 100

/** `insert … on conflict do nothing`, then the oldest of each team are dropped until it is within its bounds. */
export async function storeResponses(
  db: Kysely<Schema>,
  { responses, maxCount, maxBytes }: StoreResponsesInput,
): Promise<void> {
  for (const response of responses) {
    await db
      .insertInto('stored_responses')
      .values(toRow(response))
      .onConflict(conflict => conflict.doNothing())
      .execute()
  }
  // Sorted: two processes on one PostgreSQL delete the rows of their teams in one order and cannot deadlock.
  for (const teamId of [...new Set(responses.map(({ teamId }) => teamId))].sort())
    await dropSurplus(db, teamId, maxCount, maxBytes)
}

function toRow({
  teamId,
  callId,
  createdAt,
  previousCallId,
  response,
  input,
}: StoredResponse): StoredResponsesTable {
  return {
    team_id: teamId,
    call_id: callId,
    created_at: createdAt,
    previous_call_id: previousCallId,
    response_bytes: Buffer.byteLength(response),
    input_bytes: Buffer.byteLength(input),
    response,
    input,
  }
}

const rowBytes = sql<number>`response_bytes + input_bytes`

/** Sums by an index that has the sizes: 1,000 rows take about 0.1 ms. */
async function dropSurplus(
  db: Kysely<Schema>,
  teamId: string,
  maxCount: number,
  maxBytes: number,
): Promise<void> {
  for (;;) {
    const { count, bytes } = await db
      .selectFrom('stored_responses')
      .select(row => [
        row.fn.countAll<number>().as('count'),
        row.fn.coalesce(row.fn.sum<number>(rowBytes), row.lit(0)).as('bytes'),
      ])
      .where('team_id', '=', teamId)
      .executeTakeFirstOrThrow()
    let surplus = Number(bytes) - maxBytes
    let rows = Number(count) - maxCount
    if (surplus <= 0 && rows <= 0) return
    const oldest = await db
      .selectFrom('stored_responses')
      .select(['call_id', rowBytes.as('bytes')])
      .where('team_id', '=', teamId)
      .orderBy('call_id')
      .limit(rowsPerStep)
      .execute()
    let last: string | null = null
    for (const row of oldest) {
      if (surplus <= 0 && rows <= 0) break
      surplus -= Number(row.bytes)
      rows -= 1
      last = row.call_id
    }
    if (last === null) return
    await db
      .deleteFrom('stored_responses')
      .where('team_id', '=', teamId)
      .where('call_id', '<=', last)
      .execute()
  }
}

/** Responses that are too old count as deleted. `since`: Unix ms. */
type Within = { readonly teamId: string; readonly since: number }

export type MeasuredResponse = {
  readonly callId: string
  readonly responseBytes: number
  readonly inputBytes: number
}

export type MeasuredChain = {
  /** The newest first. */
  readonly links: readonly MeasuredResponse[]
  /** The response at which the chain ends although it continues one: that one is no longer stored, or `maxLength` is reached. */
  readonly brokenAt: string | null
}

/**
 * The response and those that it continues, without their texts: `with recursive … join stored_responses on call_id = previous_call_id`.
 * Each step is one look-up by the key.
 */
export async function measureChain(
  db: Kysely<Schema>,
  { teamId, callId, since, maxLength }: Within & { readonly callId: string; readonly maxLength: number },
): Promise<MeasuredChain> {
  const { rows } = await sql<{
    call_id: string
    previous_call_id: string | null
    response_bytes: number
    input_bytes: number
  }>`with recursive chain (call_id, previous_call_id, response_bytes, input_bytes, depth) as (
      select call_id, previous_call_id, response_bytes, input_bytes, 1 from stored_responses
      where team_id = ${teamId} and call_id = ${callId} and created_at > ${since}
      union all
      select earlier.call_id, earlier.previous_call_id, earlier.response_bytes, earlier.input_bytes, chain.depth + 1
      from chain join stored_responses earlier
      on earlier.team_id = ${teamId} and earlier.call_id = chain.previous_call_id and earlier.created_at > ${since}
      where chain.depth < ${maxLength}
    ) select call_id, previous_call_id, response_bytes, input_bytes from chain order by depth`.execute(db)
  const last = rows.at(-1)
  return {
    links: rows.map(row => ({
      callId: row.call_id,
      responseBytes: row.response_bytes,
      inputBytes: row.input_bytes,
    })),
    brokenAt: last === undefined || last.previous_call_id === null ? null : last.call_id,
  }
}

/** Those of the responses that are stored, in any order. */
export async function measureResponses(
  db: Kysely<Schema>,
  { teamId, callIds, since }: Within & { readonly callIds: readonly string[] },
): Promise<MeasuredResponse[]> {
  if (callIds.length === 0) return []
  return await db
    .selectFrom('stored_responses')
    .select(['call_id as callId', 'response_bytes as responseBytes', 'input_bytes as inputBytes'])
    .where('team_id', '=', teamId)
    .where('call_id', 'in', callIds)
    .where('created_at', '>', since)
    .execute()
}

export type ReadResponse = { readonly callId: string; readonly response: string; readonly input: string }

/** In any order. `withInput`: otherwise the inputs are empty texts. */
export async function readResponses(
  db: Kysely<Schema>,
  {
    teamId,
    callIds,
    since,
    withInput,
  }: Within & { readonly callIds: readonly string[]; readonly withInput: boolean },
): Promise<ReadResponse[]> {
  if (callIds.length === 0) return []
  return await db
    .selectFrom('stored_responses')
    .select(['call_id as callId', 'response'])
    .select(row => (withInput ? row.ref('input').as('input') : row.val('').as('input')))
    .where('team_id', '=', teamId)
    .where('call_id', 'in', callIds)
    .where('created_at', '>', since)
    .execute()
}

/** False if it is not stored. */
export async function deleteResponse(
  db: Kysely<Schema>,
  { teamId, callId }: { readonly teamId: string; readonly callId: string },
): Promise<boolean> {
  const deleted = await db
    .deleteFrom('stored_responses')
    .where('team_id', '=', teamId)
    .where('call_id', '=', callId)
    .executeTakeFirst()
  return deleted.numDeletedRows > 0n
}

/** Small batches, because charges wait for the same writer. */
export async function deleteOldResponses(
  db: Kysely<Schema>,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<{ deleted: number }> {
  const old = await db
    .selectFrom('stored_responses')
    .select(['team_id', 'call_id'])
    .where('created_at', '<=', before)
    .orderBy('created_at')
    .limit(limit)
    .execute()
  // In the order in which dropSurplus deletes, for the same reason.
  const keyOf = (row: (typeof old)[number]) => `${row.team_id} ${row.call_id}`
  for (const { team_id, call_id } of old.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)))
    await deleteResponse(db, { teamId: team_id, callId: call_id })
  return { deleted: old.length }
}
