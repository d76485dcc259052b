// Reads stored entries: newest first for the team's pages, and in the order of their numbers for exports and checks.
import { type Kysely, type Selection, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

export const entryColumns = [
  'seq',
  'ts_micros as tsMicros',
  'received_micros as receivedMicros',
  'tool_key as toolKey',
  'event_key as eventKey',
  'identity',
  'chain',
  'body_bytes as bodyBytes',
  'body',
  'token_id as tokenId',
  'client_address as clientAddress',
  'late',
] as const

/** The columns that the join with calls reads. */
const joinColumns = [
  'seq',
  'ts_micros as tsMicros',
  'received_micros as receivedMicros',
  'token_id as tokenId',
  'client_address as clientAddress',
  'body',
] as const

/** Columns that only a full check of the log reads. */
const evidenceColumns = [...entryColumns, 'salt', 'commitment'] as const

export type EntryRow = Readonly<Selection<Schema, 'entries', (typeof entryColumns)[number]>>
export type JoinRow = Readonly<Selection<Schema, 'entries', (typeof joinColumns)[number]>>
export type EvidenceRow = Readonly<Selection<Schema, 'entries', (typeof evidenceColumns)[number]>>

export type EntriesBounds = {
  /** Max number of rows. */
  readonly limit: number
  /** The rows also end when their bodies reach this many bytes; one row is always returned. */
  readonly maximumBytes: number
  readonly toolKey: string | null
  readonly eventKey: string | null
}

export type ReadEntriesPageInput = EntriesBounds & {
  readonly teamId: string
  /** Only rows that come after this position in descending order of (time, number); null for the start. */
  readonly before: { readonly tsMicros: number; readonly seq: number } | null
}

export type EntriesRead = { readonly rows: EntryRow[]; readonly hasMore: boolean }

/**
 * By the claimed times, as the specification requires: for each kind of entries `select seq, body_bytes, ts_micros from entries where
 * team_id = ? and … [and tool_key = ?] [and event_key = ?] [and (ts_micros, seq) < (?, ?)] order by ts_micros desc, seq desc limit ?`, then
 * the bodies of the rows that fit.
 */
export async function readEntriesPage(db: Kysely<Schema>, input: ReadEntriesPageInput): Promise<EntriesRead> {
  const { before, toolKey, eventKey } = input
  const places: (SizedPlace & { readonly tsMicros: number })[] = []
  for (const { condition } of entryKinds) {
    let query = db.selectFrom('entries').select([...sizedPlace, 'ts_micros as tsMicros'])
    query = query.where('team_id', '=', input.teamId).where(condition)
    if (toolKey !== null) query = query.where('tool_key', '=', toolKey)
    if (eventKey !== null) query = query.where('event_key', '=', eventKey)
    if (before !== null)
      query = query.where(sql<boolean>`(ts_micros, seq) < (${before.tsMicros}, ${before.seq})`)
    query = query.orderBy('ts_micros', 'desc').orderBy('seq', 'desc')
    places.push(...(await query.limit(input.limit + 1).execute()))
  }
  places.sort((left, right) => right.tsMicros - left.tsMicros || right.seq - left.seq)
  return readFitting(db, input, places.slice(0, input.limit + 1))
}

export type ReadEntriesAfterInput = {
  readonly teamId: string
  /** 0 for the start. */
  readonly afterSeq: number
  readonly limit: number
  readonly maximumBytes?: number
}

const defaultMaximumBytes = 16 * 1024 * 1024

/**
 * The feed that skips nothing: numbers are given in the order of commit, so an entry that is not there yet gets a higher one. `select …
 * from entries where team_id = ? and seq > ? and seq <= ? order by seq`, up to the last that fits.
 */
export async function readEntriesAfter(
  db: Kysely<Schema>,
  input: ReadEntriesAfterInput,
): Promise<EvidenceRow[]> {
  const last = await findLastFitting(db, input)
  return last === null ? [] : await selectRange(db, input, last).select(evidenceColumns).execute()
}

/** The same with fewer columns: half the time for reading a full log. */
export async function readJoinRowsAfter(
  db: Kysely<Schema>,
  input: ReadEntriesAfterInput,
): Promise<JoinRow[]> {
  const last = await findLastFitting(db, input)
  return last === null ? [] : await selectRange(db, input, last).select(joinColumns).execute()
}

/** `select seq, body_bytes from entries where team_id = ? and seq > ? order by seq limit ?`: the number of the last that fits. */
async function findLastFitting(
  db: Kysely<Schema>,
  { teamId, afterSeq, limit, maximumBytes = defaultMaximumBytes }: ReadEntriesAfterInput,
): Promise<number | null> {
  const places = await db
    .selectFrom('entries')
    .select(sizedPlace)
    .where('team_id', '=', teamId)
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute()
  return takeFitting(places, { limit, maximumBytes }).at(-1)?.seq ?? null
}

function selectRange(db: Kysely<Schema>, { teamId, afterSeq }: ReadEntriesAfterInput, last: number) {
  return db
    .selectFrom('entries')
    .where('team_id', '=', teamId)
    .where('seq', '>', afterSeq)
    .where('seq', '<=', last)
    .orderBy('seq')
}

export type ReadEntriesBetweenInput = EntriesBounds & {
  readonly teamId: string
  /** Numbers above this one, up to and with `throughSeq`. */
  readonly afterSeq: number
  readonly throughSeq: number
}

/**
 * The rows of a range of numbers, lowest first; `hasMore`: the range was not read to its end. The range limits the cost, regardless of the
 * filter: `select seq, body_bytes from entries where team_id = ? and seq > ? and seq <= ? [and tool_key = ?] [and event_key = ?] order by
 * seq limit ?`, then the bodies that fit.
 */
export async function readEntriesBetween(
  db: Kysely<Schema>,
  input: ReadEntriesBetweenInput,
): Promise<EntriesRead> {
  const { teamId, toolKey, eventKey } = input
  let query = db.selectFrom('entries').select(sizedPlace).where('team_id', '=', teamId)
  query = query.where('seq', '>', input.afterSeq).where('seq', '<=', input.throughSeq)
  // The concatenation keeps the planner away from the indexes of the filters: they are ordered by time, and the range is short.
  if (toolKey !== null) query = query.where(sql<string>`tool_key || ''`, '=', toolKey)
  if (eventKey !== null) query = query.where(sql<string>`event_key || ''`, '=', eventKey)
  const places = await query
    .orderBy('seq')
    .limit(input.limit + 1)
    .execute()
  return readFitting(db, input, places)
}

/** One entry, by its number within the team or by its identity. */
export type FindEntryInput = { readonly teamId: string } & (
  | { readonly seq: number }
  | { readonly identity: string }
)

/** `select * from entries where team_id = ? and seq = ?`, or `and identity = ?`; null if there is none. */
export async function findEntry(db: Kysely<Schema>, input: FindEntryInput): Promise<EntryRow | null> {
  const query = db.selectFrom('entries').select(entryColumns).where('team_id', '=', input.teamId)
  const found = await ('seq' in input
    ? query.where('seq', '=', input.seq)
    : query.where('identity', '=', input.identity)
  ).executeTakeFirst()
  return found ?? null
}

const sizedPlace = ['seq', 'body_bytes as bodyBytes'] as const
type SizedPlace = { readonly seq: number; readonly bodyBytes: number }

/** Rows never change once they are stored, so two reads see the same. Keeps the order of `places`. */
export async function readFitting(
  db: Kysely<Schema>,
  input: { readonly teamId: string; readonly limit?: number; readonly maximumBytes: number },
  places: readonly SizedPlace[],
): Promise<EntriesRead> {
  const fitting = takeFitting(places, input)
  if (fitting.length === 0) return { rows: [], hasMore: false }
  const numbers = fitting.map(({ seq }) => seq)
  const found = await readEntriesOf(db, input.teamId, numbers)
  const bySeq = new Map(found.map(row => [row.seq, row]))
  const rows = numbers.flatMap(seq => bySeq.get(seq) ?? [])
  return { rows, hasMore: fitting.length < places.length }
}

/** `select * from entries where team_id = ? and seq in (…)`, in any order. */
async function readEntriesOf(
  db: Kysely<Schema>,
  teamId: string,
  numbers: readonly number[],
): Promise<EntryRow[]> {
  return await db
    .selectFrom('entries')
    .select(entryColumns)
    .where('team_id', '=', teamId)
    .where('seq', 'in', numbers)
    .execute()
}

/** The first ones with bodies of up to this many bytes together, at most `limit`; at least one. */
export function takeFitting<Place extends { readonly bodyBytes: number }>(
  places: readonly Place[],
  { limit = places.length, maximumBytes }: { readonly limit?: number; readonly maximumBytes: number },
): readonly Place[] {
  let bytes = 0
  const end = places.findIndex(({ bodyBytes }, index) => {
    bytes += bodyBytes
    return index === limit || (index > 0 && bytes > maximumBytes)
  })
  return end < 0 ? places : places.slice(0, end)
}

/** `at`: the column with the time that our own pages are ordered by: the claimed one, but never later than the receipt. */
export const entryKinds = [
  { condition: sql<boolean>`ts_micros <= received_micros`, at: 'ts_micros' },
  { condition: sql<boolean>`ts_micros > received_micros`, at: 'received_micros' },
] as const

export type FindEntryOfTokensInput = { readonly teamId: string; readonly tokenIds: readonly string[] }

export type TokenEntry = {
  readonly seq: number
  /** Unix ms. */
  readonly receivedAt: number
}

/** There is no index by token: for a team that writes a lot, only a while back is searched. */
const maxLookedAt = 2000

/** `select … from (select … from entries where team_id = ? order by seq desc limit 2000) where token_id in (…)`; null if there is none. */
export async function findEntryOfTokens(
  db: Kysely<Schema>,
  { teamId, tokenIds }: FindEntryOfTokensInput,
): Promise<TokenEntry | null> {
  if (tokenIds.length === 0) return null
  const row = await db
    .selectFrom(
      db
        .selectFrom('entries')
        .select(['seq', 'received_micros', 'token_id'])
        .where('team_id', '=', teamId)
        .orderBy('seq', 'desc')
        .limit(maxLookedAt)
        .as('newest'),
    )
    .select(['seq', 'received_micros'])
    .where('token_id', 'in', [...tokenIds])
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : { seq: row.seq, receivedAt: Math.floor(row.received_micros / 1000) }
}
