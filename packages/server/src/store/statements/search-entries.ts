// Searches texts in stored entries, newest first, a bounded number of them at a time. There is no index of words: decision 028 explains why.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'
import { takeFitting } from './list-entries.ts'
import { mergeNewest, type Place, type TeamEntryRow, type TeamPosition } from './read-newest-entries.ts'

export type SearchEntriesInput = {
  /** Null for all teams. */
  readonly teamId: string | null
  readonly toolKey: string | null
  readonly eventKey: string | null
  /** Null for the start. */
  readonly before: TeamPosition | null
  /** Microseconds: no entries from before this time. */
  readonly fromMicros: number | null
  /** For `like … escape '!'`: the stored JSON must match all of them. */
  readonly patterns: readonly string[]
  /** Null for any. */
  readonly tokenIds: readonly string[] | null
  /** It ends after this number of matches, entries or bytes. */
  readonly maxRows: number
  readonly maxEntries: number
  readonly maxBytes: number
}

export type EntriesSearched = {
  /** Newest first. */
  readonly rows: readonly SearchedRow[]
  readonly entries: number
  readonly bytes: number
  /** The last entry that was looked at; null if nothing is left. */
  readonly end: TeamPosition | null
}

export type SearchedRow = Pick<
  TeamEntryRow,
  'teamId' | 'seq' | 'atMicros' | 'tsMicros' | 'receivedMicros' | 'body' | 'bodyBytes'
>

type Found = Omit<SearchedRow, 'atMicros'>

/** Found bodies are in memory together. */
const placesPerStep = 250
const maxStepBytes = 4 * 1024 * 1024

/**
 * The places of the newest entries, as `readNewestEntries` finds them; then, 250 at a time, `select … from entries where team_id = ? and
 * seq = ? and body like ? escape '!' [and token_id in (…)]` for each of them, in one statement.
 */
export async function searchEntries(db: Kysely<Schema>, input: SearchEntriesInput): Promise<EntriesSearched> {
  const { fromMicros, maxRows, maxEntries, maxBytes } = input
  const bounds = { ...input, limit: maxEntries, maximumBytes: maxBytes }
  const merged = await mergeNewest(db, bounds)
  const places = fromMicros === null ? merged : merged.filter(({ atMicros }) => atMicros >= fromMicros)
  const rows: SearchedRow[] = []
  let entries = 0
  let bytes = 0
  while (entries < Math.min(places.length, maxEntries) && rows.length < maxRows && bytes < maxBytes) {
    const next = places.slice(entries, Math.min(maxEntries, entries + placesPerStep))
    const step = takeFitting(next, { maximumBytes: maxStepBytes })
    entries += step.length
    bytes += step.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0)
    rows.push(...(await readMatching(db, step, input)))
  }
  const last = places[entries - 1]
  return { rows, entries, bytes, end: entries === places.length ? null : (last ?? null) }
}

async function readMatching(
  db: Kysely<Schema>,
  places: readonly Place[],
  { patterns, tokenIds }: SearchEntriesInput,
): Promise<SearchedRow[]> {
  // SQLite's `like` ignores case; PostgreSQL's does not.
  const isPostgres = dialectOf(db) === 'postgres'
  const like = isPostgres ? sql`ilike` : sql`like`
  const conditions = [sql`1 = 1`, ...patterns.map(pattern => sql`body ${like} ${pattern} escape '!'`)]
  if (tokenIds !== null)
    conditions.push(tokenIds.length === 0 ? sql`1 = 0` : sql`token_id in (${sql.join(tokenIds)})`)
  const matches = sql.join(conditions, sql` and `)
  const columns = sql`entries.team_id as "teamId", entries.seq, ts_micros as "tsMicros", received_micros as "receivedMicros",
    body, body_bytes as "bodyBytes"`
  // Written so that the planner processes one place after another, by the primary key.
  const teams = places.map(({ teamId }) => teamId)
  const numbers = places.map(({ seq }) => seq)
  const query = isPostgres
    ? sql<Found>`select found.* from unnest(${teams}::text[], ${`{${numbers.join(',')}}`}::bigint[]) as wanted(team, number)
        cross join lateral (select ${columns} from entries where team_id = wanted.team and seq = wanted.number and ${matches}
          limit 1) as found`
    : sql<Found>`select ${columns} from json_each(${JSON.stringify(numbers.map((seq, at) => [teams[at], seq]))}) as wanted
        cross join entries on entries.team_id = wanted.value ->> 0 and entries.seq = wanted.value ->> 1 where ${matches}`
  const { rows } = await query.execute(db)
  const byPlace = new Map(rows.map(row => [`${row.seq}:${row.teamId}`, row]))
  return places.flatMap(({ seq, teamId, atMicros }) => {
    const row = byPlace.get(`${seq}:${teamId}`)
    return row === undefined ? [] : { ...row, atMicros }
  })
}
