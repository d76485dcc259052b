// Reads the items of a session page: entries by their numbers, calls by their ids, and the refused calls that name it.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'
import { firstIdOf, fromRow, type StoredCall } from './calls.ts'
import { type EntryRow, readFitting } from './list-entries.ts'

export type ReadNumberedEntriesInput = {
  readonly teamId: string
  /** In the order of need. */
  readonly numbers: readonly number[]
  /** The rows end when their bodies reach this many bytes; one row is always returned. */
  readonly maximumBytes: number
}

/** `select seq, body_bytes from entries where team_id = ? and seq in (…)`, then the bodies of the first ones that fit. */
export async function readNumberedEntries(
  db: Kysely<Schema>,
  { teamId, numbers, maximumBytes }: ReadNumberedEntriesInput,
): Promise<EntryRow[]> {
  if (numbers.length === 0) return []
  const sizes = await db
    .selectFrom('entries')
    .select(['seq', 'body_bytes as bodyBytes'])
    .where('team_id', '=', teamId)
    .where('seq', 'in', numbers)
    .execute()
  const bySeq = new Map(sizes.map(place => [place.seq, place]))
  const places = numbers.flatMap(seq => bySeq.get(seq) ?? [])
  return (await readFitting(db, { teamId, maximumBytes }, places)).rows
}

/** `select * from calls where team_id = ? and call_id in (…)`, in any order. */
export async function readCallsOf(
  db: Kysely<Schema>,
  { teamId, callIds }: { readonly teamId: string; readonly callIds: readonly string[] },
): Promise<StoredCall[]> {
  if (callIds.length === 0) return []
  const rows = await db
    .selectFrom('calls')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('call_id', 'in', callIds)
    .execute()
  return rows.map(fromRow)
}

export type ReadNamedRefusalsInput = {
  readonly teamId: string
  readonly sessionId: string
  /** Unix ms at the start of their ids: at or after, and before. */
  readonly from: number
  readonly until: number
  readonly order: 'oldest first' | 'newest first'
  /** Rows that are looked at, of any kind. */
  readonly maxRows: number
}

export type NamedRefusals = {
  readonly calls: readonly StoredCall[]
  /** The last call that was looked at, if more of the range is left; otherwise null. */
  readonly lookedTo: string | null
}

/**
 * `select call_id, outcome, session_id from calls where (team_id, call_id) >= (?, ?) and (team_id, call_id) < (?, ?) order by team_id,
 * call_id limit ?`, then the refused ones of them that name the session.
 */
export async function readNamedRefusals(
  db: Kysely<Schema>,
  { teamId, sessionId, from, until, order, maxRows }: ReadNamedRefusalsInput,
): Promise<NamedRefusals> {
  const direction = order === 'oldest first' ? 'asc' : 'desc'
  const looked = await db
    .selectFrom('calls')
    .select(['call_id', 'outcome', 'session_id'])
    .where(sql<boolean>`(team_id, call_id) >= (${teamId}, ${firstIdOf(from)})`)
    .where(sql<boolean>`(team_id, call_id) < (${teamId}, ${firstIdOf(until)})`)
    .orderBy('team_id', direction)
    .orderBy('call_id', direction)
    .limit(maxRows)
    .execute()
  const callIds = looked
    .filter(({ outcome, session_id }) => outcome === 'refused' && session_id === sessionId)
    .map(({ call_id }) => call_id)
  const last = looked.length < maxRows ? undefined : looked.at(-1)
  return { calls: await readCallsOf(db, { teamId, callIds }), lookedTo: last?.call_id ?? null }
}
