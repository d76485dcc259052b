// Stores entries: numbers, chains and inserts those that are new, in the transaction that holds the team's board row.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import { createHotInsert, createHotStatement, splitEvenly } from '../hot-statement.ts'
import type { EntriesTable } from '../schema/logbook.ts'
import type { Schema } from '../schema/schema.ts'
import { type Board, createBoard, isBoardLocked, toBoard } from './boards.ts'
import { readDatabaseClock } from './database-clock.ts'
import { chainEntry } from './entry-chain.ts'

/** An entry that is ready to be stored; the members are those of the `entries` table. */
export type EntryToAppend = {
  readonly identity: string
  readonly body: string
  /** UTF-8 length of `body`. */
  readonly bodyBytes: number
  /** Lower-case hex SHA-256 of `body`. */
  readonly bodyHash: string
  readonly tsMicros: number
  readonly toolKey: string
  readonly eventKey: string
}

export type AppendRequest = { readonly teamId: string; readonly entries: readonly EntryToAppend[] }

export type AppendOutcome =
  | { readonly locked: true }
  | {
      readonly locked: false
      readonly stored: number
      readonly duplicates: number
      readonly head: { readonly seq: number; readonly chain: string }
    }

export type AppendEntriesInput = {
  readonly requests: readonly AppendRequest[]
  /** Unix ms; null, as in production, asks the database, whose clock all processes share. */
  readonly now: number | null
}

type Numbered = { readonly request: AppendRequest; readonly position: number }

/** One outcome per request, in their order. A locked board stores nothing and harms no other team's request. */
export async function appendEntries(db: Kysely<Schema>, input: AppendEntriesInput): Promise<AppendOutcome[]> {
  const outcomes: AppendOutcome[] = []
  const byTeam = Map.groupBy(
    input.requests.map((request, position): Numbered => ({ request, position })),
    ({ request }) => request.teamId,
  )
  // Sorted: two processes on one PostgreSQL take the board rows in one order and cannot deadlock.
  for (const teamId of [...byTeam.keys()].sort()) {
    await appendToTeam(db, teamId, byTeam.get(teamId) ?? [], input.now, outcomes)
  }
  return outcomes
}

async function appendToTeam(
  db: Kysely<Schema>,
  teamId: string,
  requests: readonly Numbered[],
  now: number | null,
  outcomes: AppendOutcome[],
): Promise<void> {
  const board = await holdBoard(db, teamId, now)
  // Asked for after the row is held, so that a wait for a neighbour cannot carry an entry past the set time.
  const receivedMicros = now === null ? await readDatabaseClock(db) : now * 1000
  if (isBoardLocked(board, receivedMicros / 1000)) {
    for (const { position } of requests) outcomes[position] = { locked: true }
    return
  }
  const known = await findKnown(
    db,
    teamId,
    requests.flatMap(({ request }) => request.entries),
  )
  const rows: EntriesTable[] = []
  let seq = board.headSeq
  let chain = board.headChain
  for (const { request, position } of requests) {
    const before = rows.length
    for (const entry of request.entries) {
      if (known.has(entry.identity)) continue
      known.add(entry.identity)
      seq += 1
      const { identity, bodyHash } = entry
      chain = chainEntry(chain, { seq, receivedMicros, identity, bodyHash })
      rows.push(toRow(teamId, seq, receivedMicros, chain, entry))
    }
    const stored = rows.length - before
    const duplicates = request.entries.length - stored
    outcomes[position] = { locked: false, stored, duplicates, head: { seq, chain } }
  }
  if (rows.length === 0) return
  await (dialectOf(db) === 'postgres' ? insertEntriesOnPostgres : insertEntries)(db, rows)
  await db
    .updateTable('boards')
    .set({ head_seq: seq, head_chain: chain })
    .where('team_id', '=', teamId)
    .execute()
}

/** `select * from boards where team_id = ? for update`; SQLite has one writer and needs no row lock. */
async function holdBoard(db: Kysely<Schema>, teamId: string, now: number | null): Promise<Board> {
  const select = db.selectFrom('boards').selectAll().where('team_id', '=', teamId)
  const holding = dialectOf(db) === 'postgres' ? select.forUpdate() : select
  const found = await holding.executeTakeFirst()
  if (found !== undefined) return toBoard(found)
  const createdAt = now ?? Math.floor((await readDatabaseClock(db)) / 1000)
  await createBoard(db, { teamId, now: createdAt })
  return toBoard(await holding.executeTakeFirstOrThrow())
}

/** Which of these entries the team has already. */
async function findKnown(
  db: Kysely<Schema>,
  teamId: string,
  entries: readonly EntryToAppend[],
): Promise<Set<string>> {
  const known = new Set<string>()
  const find = dialectOf(db) === 'postgres' ? findKnownOnPostgres : findKnownByList
  for (const piece of splitEvenly(entries)) {
    const identities = piece.map(entry => entry.identity)
    for (const { identity } of await find(db, teamId, identities)) known.add(identity)
  }
  return known
}

function findKnownByList(db: Kysely<Schema>, teamId: string, identities: readonly string[]) {
  return selectKnown(db, identities.length, [teamId, ...identities])
}

const selectKnown = createHotStatement<{ identity: string }>((db, rows) =>
  db
    .selectFrom('entries')
    .select('identity')
    .where('team_id', '=', '')
    .where('identity', 'in', Array<string>(rows).fill('')),
)

/**
 * One probe of the unique index per identity. Given a list, the planner reads every entry of the team instead as long as
 * the table has no statistics: 9,000 entries a second at 150,000 entries, and fewer with each more.
 */
async function findKnownOnPostgres(
  db: Kysely<Schema>,
  teamId: string,
  identities: readonly string[],
): Promise<{ identity: string }[]> {
  const { rows } = await sql<{ identity: string }>`
    select wanted.identity from unnest(${identities}::text[]) as wanted(identity)
    cross join lateral (
      select 1 from entries where entries.team_id = ${teamId} and entries.identity = wanted.identity limit 1
    ) as found`.execute(db)
  return rows
}

const insertEntries = createHotInsert<EntriesTable>(
  {
    team_id: '',
    seq: 0,
    ts_micros: 0,
    received_micros: 0,
    tool_key: '',
    event_key: '',
    identity: '',
    chain: '',
    body_bytes: 0,
    body: '',
  },
  (db, rows) => db.insertInto('entries').values(rows),
)

/** All rows in one parameter: 10 % faster than ten parameters for each, and only one statement text. */
async function insertEntriesOnPostgres(db: Kysely<Schema>, rows: readonly EntriesTable[]): Promise<void> {
  const list = JSON.stringify(rows)
  await sql`insert into entries select * from json_populate_recordset(null::entries, ${list}::json)`.execute(
    db,
  )
}

function toRow(
  teamId: string,
  seq: number,
  receivedMicros: number,
  chain: string,
  entry: EntryToAppend,
): EntriesTable {
  return {
    team_id: teamId,
    seq,
    ts_micros: entry.tsMicros,
    received_micros: receivedMicros,
    tool_key: entry.toolKey,
    event_key: entry.eventKey,
    identity: entry.identity,
    chain,
    body_bytes: entry.bodyBytes,
    body: entry.body,
  }
}
