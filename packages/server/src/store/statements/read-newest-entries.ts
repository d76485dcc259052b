// Reads a page of the entries of one team or all, newest first by their bounded times. It merges the teams' own pages, so no index over all
// teams is needed.
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'
import { type EntriesBounds, type EntryRow, entryColumns, entryKinds, takeFitting } from './list-entries.ts'

/** A place in the order (time descending, number descending, team ascending); the page holds what comes after it. */
export type TeamPosition = {
  readonly atMicros: number
  readonly seq: number
  /** Null: entries with exactly this time and number come before the page, for every team. */
  readonly teamId: string | null
}

/** `before`: null for the start. */
export type ReadNewestEntriesInput = EntriesBounds & {
  /** Null for all teams. */
  readonly teamId: string | null
  readonly before: TeamPosition | null
}

export type TeamEntryRow = EntryRow & { readonly teamId: string; readonly atMicros: number }

export type NewestRead = { readonly rows: TeamEntryRow[]; readonly hasMore: boolean }

export type Place = Pick<TeamEntryRow, 'teamId' | 'atMicros' | 'seq' | 'bodyBytes'>

/** The places of one team that have been read; `hasMore`: there may be others after them. */
type Run = { places: Place[]; next: number; hasMore: boolean }

/** SQLite allows 500 parts in a compound select (SQLITE_MAX_COMPOUND_SELECT), and a team has a part for each kind. */
const teamsPerQuery = 100
const leastPlaces = 8

/** The part of a team's order that comes after the position, as a strict bound. */
function boundForTeam(position: TeamPosition | null, teamId: string): Bound['before'] {
  if (position === null) return null
  const { atMicros, seq } = position
  // For a team after that of the position, the entry with the same time and number is still to come.
  return position.teamId !== null && teamId > position.teamId ? { atMicros, seq: seq + 1 } : { atMicros, seq }
}

/**
 * For each team with entries, and each kind of entries, `select … from entries where team_id = ? and … [and tool_key = ?] [and event_key = ?]
 * [and (at, seq) < (?, ?)] order by at desc, seq desc limit ?`, a hundred teams in one statement, and once more for a team
 * with all its places used; then the bodies of the rows that fit.
 */
export async function readNewestEntries(
  db: Kysely<Schema>,
  input: ReadNewestEntriesInput,
): Promise<NewestRead> {
  const places = await mergeNewest(db, input)
  const fitting = takeFitting(places, input)
  const rows = await readRows(db, fitting)
  return { rows, hasMore: fitting.length < places.length }
}

/** One place more than requested shows whether another page follows. */
export async function mergeNewest(db: Kysely<Schema>, input: ReadNewestEntriesInput): Promise<Place[]> {
  const teamIds = input.teamId === null ? await listTeams(db) : [input.teamId]
  const wanted = input.limit + 1
  const first = Math.min(wanted, Math.max(leastPlaces, Math.ceil((2 * wanted) / Math.max(1, teamIds.length))))
  const runs = new Map<string, Run>()
  for (let start = 0; start < teamIds.length; start += teamsPerQuery) {
    const bounds = teamIds
      .slice(start, start + teamsPerQuery)
      .map(teamId => ({ teamId, before: boundForTeam(input.before, teamId) }))
    for (const [teamId, places] of await readPlaces(db, input, bounds, first))
      runs.set(teamId, { places, next: 0, hasMore: places.length === first })
  }
  const merged: Place[] = []
  while (merged.length < wanted) {
    const run = findNewestRun(runs.values())
    const place = run?.places[run.next]
    if (run === undefined || place === undefined) break
    merged.push(place)
    run.next += 1
    if (run.next < run.places.length || !run.hasMore) continue
    const left = wanted - merged.length
    const { teamId } = place
    run.places = (await readPlaces(db, input, [{ teamId, before: place }], left)).get(teamId) ?? []
    run.next = 0
    run.hasMore = run.places.length === left
  }
  return merged
}

async function listTeams(db: Kysely<Schema>): Promise<string[]> {
  const boards = await db.selectFrom('boards').select('team_id').where('head_seq', '>', 0).execute()
  return boards.map(({ team_id }) => team_id).sort()
}

function findNewestRun(runs: Iterable<Run>): Run | undefined {
  let newest: Run | undefined
  let newestPlace: Place | undefined
  for (const run of runs) {
    const place = run.places[run.next]
    if (place === undefined) continue
    if (newestPlace !== undefined && comparePlaces(place, newestPlace) > 0) continue
    newest = run
    newestPlace = place
  }
  return newest
}

function comparePlaces(left: Place, right: Place): number {
  if (left.atMicros !== right.atMicros) return right.atMicros - left.atMicros
  if (left.seq !== right.seq) return right.seq - left.seq
  return left.teamId < right.teamId ? -1 : 1
}

type Bound = {
  readonly teamId: string
  readonly before: { readonly atMicros: number; readonly seq: number } | null
}

type Filter = Pick<ReadNewestEntriesInput, 'toolKey' | 'eventKey'>

/** Team → its next places in order, at most `limit`. */
async function readPlaces(
  db: Kysely<Schema>,
  filter: Filter,
  bounds: readonly Bound[],
  limit: number,
): Promise<Map<string, Place[]>> {
  if (bounds.length === 0 || limit === 0) return new Map()
  const isPostgres = dialectOf(db) === 'postgres'
  const parts = isPostgres ? selectOfTeams(filter, bounds, limit) : selectEachTeam(filter, bounds, limit)
  const { rows } = await sql<Place>`${sql.join(parts, sql` union all `)}`.execute(db)
  const found = Map.groupBy(rows, ({ teamId }) => teamId)
  // Beyond this many of both kinds there may be others of one that were not read.
  for (const [teamId, places] of found) found.set(teamId, places.sort(comparePlaces).slice(0, limit))
  return found
}

/** A part for each team and kind. */
function selectEachTeam(filter: Filter, bounds: readonly Bound[], limit: number): RawBuilder<unknown>[] {
  return bounds.flatMap(({ teamId, before }) =>
    entryKinds.map(kind => {
      const at = sql.ref(kind.at)
      const conditions = [sql`team_id = ${teamId}`, kind.condition, ...conditionsOf(filter)]
      if (before !== null) conditions.push(sql`(${at}, seq) < (${before.atMicros}, ${before.seq})`)
      return sql`select * from (select team_id as "teamId", ${at} as "atMicros", seq, body_bytes as "bodyBytes" from entries
        where ${sql.join(conditions, sql` and `)} order by ${at} desc, seq desc limit ${limit}) as newest`
    }),
  )
}

/** A part for each kind. PostgreSQL plans a part in about a millisecond and runs it for a team in a tenth of that. */
function selectOfTeams(filter: Filter, bounds: readonly Bound[], limit: number): RawBuilder<unknown>[] {
  const teams = bounds.map(({ teamId }) => teamId)
  const times = bounds.map(({ before }) => before?.atMicros ?? Number.MAX_SAFE_INTEGER)
  const numbers = bounds.map(({ before }) => before?.seq ?? Number.MAX_SAFE_INTEGER)
  return entryKinds.map(kind => {
    const at = sql.ref(kind.at)
    const conditions = [kind.condition, ...conditionsOf(filter)]
    return sql`select newest.* from unnest(${teams}::text[], ${times}::bigint[], ${numbers}::bigint[]) as bounds(team, at_end, seq_end)
      cross join lateral (select team_id as "teamId", ${at} as "atMicros", seq, body_bytes as "bodyBytes" from entries
        where team_id = bounds.team and (${at}, seq) < (bounds.at_end, bounds.seq_end) and ${sql.join(conditions, sql` and `)}
        order by ${at} desc, seq desc limit ${limit}) as newest`
  })
}

function conditionsOf({ toolKey, eventKey }: Filter): RawBuilder<unknown>[] {
  return [
    ...(toolKey === null ? [] : [sql`tool_key = ${toolKey}`]),
    ...(eventKey === null ? [] : [sql`event_key = ${eventKey}`]),
  ]
}

/** `with wanted as (values …) select … from wanted cross join entries where …`, for any teams. Keeps the order of `places`. */
async function readRows(db: Kysely<Schema>, places: readonly Place[]): Promise<TeamEntryRow[]> {
  if (places.length === 0) return []
  const wanted = places.map(({ teamId, seq }) => sql`(cast(${teamId} as text), cast(${seq} as bigint))`)
  const found = await db
    .with('wanted(team, number)', () => sql<{ team: string; number: number }>`(values ${sql.join(wanted)})`)
    .selectFrom('wanted')
    .crossJoin('entries')
    .select(['team_id as teamId', ...entryColumns])
    .whereRef('entries.team_id', '=', 'wanted.team')
    .whereRef('entries.seq', '=', 'wanted.number')
    .execute()
  const rows = new Map(found.map(row => [`${row.seq}:${row.teamId}`, row]))
  return places.flatMap(({ seq, teamId, atMicros }) => {
    const row = rows.get(`${seq}:${teamId}`)
    return row === undefined ? [] : { ...row, atMicros }
  })
}
