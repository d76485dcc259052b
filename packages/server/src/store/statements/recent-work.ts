// Reads recent activity for live views: the newest calls, entries by step of time, and when each team was last seen. Each is a few rows of an index.
import { type Kysely, sql } from 'kysely'
import type { CallOutcome } from '../../ledger/call-record.ts'
import type { Schema } from '../schema/schema.ts'
import { bucketMs } from '../schema/spend.ts'
import { firstIdOf, selectInOrder } from './calls.ts'
import { entryKinds } from './list-entries.ts'
import { type Range, type SplitRange, splitRange } from './spend-sums.ts'

export type RecentCall = {
  /** Unix ms. */
  readonly receivedAt: number
  readonly outcome: CallOutcome
  /** How many calls the row represents. */
  readonly count: number
  readonly durationMs: number
  readonly firstByteMs: number | null
  /** The upstream that served it; null if none was called. */
  readonly upstream: string | null
}

export type RecentCallsInput = {
  /** Null for all teams. */
  readonly teamId: string | null
  /** Unix ms: at or after, and before. */
  readonly from: number
  readonly until: number
  readonly limit: number
}

/** `select … from calls where [(team_id,] call_id[)] >= ? and … < ? order by call_id desc limit ?`: newest first. */
export async function readRecentCalls(
  db: Kysely<Schema>,
  { teamId, from, until, limit }: RecentCallsInput,
): Promise<RecentCall[]> {
  return await selectInOrder(db, { teamId, lowest: firstIdOf(from), end: firstIdOf(until) })
    .select(['received_at as receivedAt', 'outcome', 'calls as count', 'upstream'])
    .select(['duration_ms as durationMs', 'first_byte_ms as firstByteMs'])
    .limit(limit)
    .$narrowType<{ outcome: CallOutcome }>()
    .execute()
}

export type LastSeen = {
  readonly teamId: string
  /** Unix ms of its last call; null before the first. */
  readonly lastCallAt: number | null
  /** Log entries from `since` on, by their own times but never later than their receipt. */
  readonly entries: number
}

/**
 * `select team_id, (select max(call_id) from calls …), (select count(*) from entries where … at >= ?) + … from teams`: for each team
 * one step in the index of calls, and those of its entries that are counted. `since` and `until`: Unix ms.
 */
export async function readLastSeen(
  db: Kysely<Schema>,
  { since, until }: { readonly since: number; readonly until: number },
): Promise<LastSeen[]> {
  const counts = entryKinds.map(kind => {
    const at = sql.ref(kind.at)
    return sql`(select count(*) from entries where entries.team_id = teams.team_id
      and ${kind.condition} and ${at} >= ${since * 1000} and ${at} < ${until * 1000})`
  })
  const rows = await db
    .selectFrom('teams')
    .select(eb => [
      'teams.team_id as teamId',
      eb
        .selectFrom('calls')
        .select(({ fn }) => fn.max('calls.call_id').as('id'))
        .whereRef('calls.team_id', '=', 'teams.team_id')
        .as('lastCall'),
      sql<number>`${sql.join(counts, sql` + `)}`.as('entries'),
    ])
    .execute()
  return rows.map(({ teamId, lastCall, entries }) => ({
    teamId,
    lastCallAt: lastCall === null ? null : timeOfId(lastCall),
    entries,
  }))
}

/** Unix ms at the start of an id (UUID version 7); null for any other id. */
function timeOfId(callId: string): number | null {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-/.exec(callId) ?? []
  return high === undefined || low === undefined ? null : Number.parseInt(high + low, 16)
}

export type CountEntriesInput = {
  /** Null for all teams. */
  readonly teamId: string | null
  /** Unix ms: at or after, and before. */
  readonly from: number
  readonly until: number
  /** Steps are whole multiples of it since the Unix epoch, and it is a multiple of five minutes. */
  readonly stepMs: number
}

export type EntryCount = {
  readonly teamId: string
  /** Start of the step (Unix ms). */
  readonly at: number
  readonly entries: number
}

/** Full buckets as stored, and single entries at the ends that cut one. In the order of their steps, then of the teams. */
export async function countEntries(
  db: Kysely<Schema>,
  { teamId, from, until, stepMs }: CountEntriesInput,
): Promise<EntryCount[]> {
  const { whole, cuts } = splitRange(from, until)
  const parts = await Promise.all([
    sumEntryBuckets(db, teamId, whole, stepMs),
    ...cuts.map(cut => countCut(db, teamId, cut, stepMs)),
  ])
  const sums = new Map<string, EntryCount>()
  for (const count of parts.flat()) {
    const name = `${count.at} ${count.teamId}`
    sums.set(name, { ...count, entries: count.entries + (sums.get(name)?.entries ?? 0) })
  }
  return [...sums.values()].sort((left, right) => left.at - right.at || (left.teamId < right.teamId ? -1 : 1))
}

/** `select team_id, bucket_start / ?, sum(entries) from entry_buckets where bucket_start >= ? and bucket_start < ? [and team_id = ?] group by 1, 2` */
async function sumEntryBuckets(
  db: Kysely<Schema>,
  teamId: string | null,
  { from, until }: SplitRange['whole'],
  stepMs: number,
): Promise<EntryCount[]> {
  const step = sql<number>`bucket_start / ${sql.lit(stepMs)}`
  let query = db
    .selectFrom('entry_buckets')
    .select(({ fn }) => ['team_id as teamId', step.as('step'), fn.sum<number>('entries').as('entries')])
  if (from !== null) query = query.where('bucket_start', '>=', from)
  if (until !== null) query = query.where('bucket_start', '<', until)
  if (teamId !== null) query = query.where('team_id', '=', teamId)
  const rows = await query.groupBy(['team_id', step]).execute()
  return rows.map(({ step: number, ...row }) => ({ ...row, at: number * stepMs }))
}

/**
 * For each team that the bucket has, and for each kind of entries, a range of its index: `select team_id, (select count(*) from entries
 * where …) + … from entry_buckets where bucket_start = ? [and team_id = ?]`.
 */
async function countCut(
  db: Kysely<Schema>,
  teamId: string | null,
  { from, until }: Range,
  stepMs: number,
): Promise<EntryCount[]> {
  const counts = entryKinds.map(kind => {
    const at = sql.ref(kind.at)
    return sql`(select count(*) from entries where entries.team_id = entry_buckets.team_id
      and ${kind.condition} and ${at} >= ${from * 1000} and ${at} < ${until * 1000})`
  })
  let query = db
    .selectFrom('entry_buckets')
    .select(['team_id as teamId', sql<number>`${sql.join(counts, sql` + `)}`.as('entries')])
    .where('bucket_start', '=', Math.floor(from / bucketMs) * bucketMs)
  if (teamId !== null) query = query.where('team_id', '=', teamId)
  const at = Math.floor(from / stepMs) * stepMs
  const rows = await query.execute()
  return rows.filter(({ entries }) => entries > 0).map(row => ({ ...row, at }))
}
