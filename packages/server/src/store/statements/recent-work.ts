// Reads what has happened lately, for those who watch: the newest calls, entries by step of time, and when each team was last seen. Each is a few rows of an index.
import { type Kysely, sql } from 'kysely'
import type { CallOutcome } from '../../ledger/call-record.ts'
import type { Schema } from '../schema/schema.ts'
import { firstIdOf, selectInOrder } from './calls.ts'
import { entryKinds } from './list-entries.ts'

export type RecentCall = {
  /** Unix ms. */
  readonly receivedAt: number
  readonly outcome: CallOutcome
  /** How many calls the row stands for. */
  readonly count: number
  readonly durationMs: number
  readonly firstByteMs: number | null
  /** That served it; null for one that was not called. */
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
  /** Of its last call (Unix ms); null before the first. */
  readonly lastCallAt: number | null
  /** Log entries of `since` or later, by their own times but never later than their receipt. */
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

/** Unix ms that an id (UUID version 7) begins with; null for any other id. */
function timeOfId(callId: string): number | null {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-/.exec(callId) ?? []
  return high === undefined || low === undefined ? null : Number.parseInt(high + low, 16)
}

export type CountEntriesInput = {
  readonly teamIds: readonly string[]
  /** Unix ms: at or after, and before. */
  readonly from: number
  readonly until: number
  /** Steps are whole multiples of it since the Unix epoch. */
  readonly stepMs: number
}

export type EntryCount = {
  readonly teamId: string
  /** Start of the step (Unix ms). */
  readonly at: number
  readonly entries: number
}

/**
 * `select team_id, micros / ?, count(*) from (…) group by 1, 2`, where for each kind of entries it counts `select team_id, at from entries where
 * team_id in (…) and … and at >= ? and at < ?`.
 */
export async function countEntries(
  db: Kysely<Schema>,
  { teamIds, from, until, stepMs }: CountEntriesInput,
): Promise<EntryCount[]> {
  if (teamIds.length === 0) return []
  const kinds = entryKinds.map(kind => {
    const at = sql.ref(kind.at)
    return sql`select team_id, ${at} as micros from entries
      where team_id in (${sql.join(teamIds)}) and ${kind.condition} and ${at} >= ${from * 1000} and ${at} < ${until * 1000}`
  })
  const step = sql`micros / ${sql.lit(stepMs * 1000)}`
  const { rows } = await sql<{ teamId: string; step: number; entries: number }>`
    select team_id as "teamId", ${step} as step, count(*) as entries
    from (${sql.join(kinds, sql` union all `)}) as counted group by team_id, ${step}`.execute(db)
  return rows
    .map(({ teamId, step: number, entries }) => ({ teamId, at: number * stepMs, entries }))
    .sort((left, right) => left.at - right.at || (left.teamId < right.teamId ? -1 : 1))
}
