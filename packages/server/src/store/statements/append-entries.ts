// Stores entries: numbers, chains and inserts those that are new, in the transaction that holds the team's board row.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import { createHotInsert, createHotStatement, splitEvenly } from '../hot-statement.ts'
import type { EntriesTable, EntryBucketsTable } from '../schema/logbook.ts'
import type { Schema } from '../schema/schema.ts'
import { bucketMs } from '../schema/spend.ts'
import { eventLockAt, holdBoard, isLockedByHand } from './boards.ts'
import { readDatabaseClock } from './database-clock.ts'
import { chainEntry } from './entry-chain.ts'
import { type HeldEntries, type PackedEntries, type UnpackedEntry, unpackEntries } from './packed-entries.ts'

/** The sender of entries: the id of the log token, and the address of the client if known. */
export type EntrySender = { readonly tokenId: string; readonly clientAddress: string | null }

export type AppendRequest = {
  readonly teamId: string
  readonly sender: EntrySender
  readonly entries: PackedEntries | HeldEntries
}

export type AppendOutcome =
  | { readonly locked: true }
  | {
      readonly locked: false
      readonly stored: number
      readonly duplicates: number
      /** Indexes of the entries that happened after the event had locked the board; absent if there are none. */
      readonly refused?: readonly number[]
      readonly head: { readonly seq: number; readonly chain: string }
    }

export type AppendEntriesInput = {
  readonly requests: readonly AppendRequest[]
  /** Unix ms; null, as in production, uses the database's time, because all processes share its clock. */
  readonly now: number | null
}

type Numbered = {
  readonly teamId: string
  readonly sender: EntrySender
  readonly entries: PackedEntries
  /** Its index among the requests. */
  readonly position: number
}

/** One outcome per request, in order. A locked board stores nothing and does not affect another team's request. */
export async function appendEntries(db: Kysely<Schema>, input: AppendEntriesInput): Promise<AppendOutcome[]> {
  const outcomes: AppendOutcome[] = []
  const requests = input.requests.map(({ teamId, sender, entries }, position): Numbered => {
    if ('heldAs' in entries) throw new Error('These entries were not handed to the thread that writes.')
    return { teamId, sender, entries, position }
  })
  const byTeam = Map.groupBy(requests, ({ teamId }) => teamId)
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
  // Read after the row is held, so that an entry cannot wait for another one and be stored after the lock time.
  const clockMicros = now === null ? await readDatabaseClock(db) : now * 1000
  const clockMs = clockMicros / 1000
  const lock = eventLockAt(board, clockMs)
  if (isLockedByHand(board, clockMs) || lock.kind === 'locked') {
    for (const { position } of requests) outcomes[position] = { locked: true }
    return
  }
  // While the event still accepts entries from before its lock, everything that is stored is late.
  const lastMicros = lock.kind === 'late' ? lock.before * 1000 : Number.POSITIVE_INFINITY
  const late = lock.kind === 'late' ? 1 : 0
  // The clock may have been set back: a later entry never seems to have been received earlier.
  const receivedMicros = Math.max(clockMicros, board.headReceivedMicros)
  const known = await findKnown(
    db,
    teamId,
    requests.flatMap(({ entries }) => entries.identities),
  )
  const links: NewEntry[] = []
  let seq = board.headSeq
  let chain = board.headChain
  for (const { sender, entries, position } of requests) {
    const before = links.length
    const refused: number[] = []
    for (const [place, entry] of [...unpackEntries(entries)].entries()) {
      if (known.has(entry.identity)) continue
      if (entry.tsMicros >= lastMicros) {
        refused.push(place)
        continue
      }
      known.add(entry.identity)
      seq += 1
      const { identity, bodyHash } = entry
      chain = chainEntry(chain, { seq, receivedMicros, identity, bodyHash })
      links.push({ seq, chain, sender, entry, late })
    }
    const stored = links.length - before
    const duplicates = entries.count - stored - refused.length
    const isAllRefused = refused.length > 0 && refused.length === entries.count
    const others = refused.length === 0 ? {} : { refused }
    outcomes[position] = isAllRefused
      ? { locked: true }
      : { locked: false, stored, duplicates, head: { seq, chain }, ...others }
  }
  if (links.length === 0) return
  const insert = dialectOf(db) === 'postgres' ? insertOnPostgres : insertOnSqlite
  await insert(db, teamId, receivedMicros, links)
  await countInBuckets(db, teamId, receivedMicros, links)
  await db
    .updateTable('boards')
    .set({ head_seq: seq, head_chain: chain, head_received_micros: receivedMicros })
    .where('team_id', '=', teamId)
    .execute()
}

/** The entries in this batch that the team already has. */
async function findKnown(
  db: Kysely<Schema>,
  teamId: string,
  identities: readonly string[],
): Promise<Set<string>> {
  const known = new Set<string>()
  const find = dialectOf(db) === 'postgres' ? findKnownOnPostgres : findKnownByList
  for (const piece of splitEvenly(identities))
    for (const { identity } of await find(db, teamId, piece)) known.add(identity)
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
 * One probe of the unique index per identity. Given a list, the planner reads every entry of the team as long as the table has no
 * statistics: 9,000 entries a second were stored at 150,000 entries, and fewer with each further one.
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

/** An entry with its place in the team's chain. */
type NewEntry = {
  readonly seq: number
  readonly chain: string
  readonly sender: EntrySender
  readonly entry: UnpackedEntry
  /** 1 or 0, as the column. */
  readonly late: number
}

type InsertEntries = (
  db: Kysely<Schema>,
  teamId: string,
  receivedMicros: number,
  links: readonly NewEntry[],
) => Promise<unknown>

const insertOnSqlite: InsertEntries = (db, teamId, receivedMicros, links) =>
  insertRows(
    db,
    links.map(({ seq, chain, sender, entry, late }) => ({
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
      token_id: sender.tokenId,
      client_address: sender.clientAddress,
      salt: entry.salt,
      commitment: entry.commitment,
      late,
    })),
  )

/** The cast turns the bytes of a body into text without decoding them. */
const insertRows = createHotInsert<Omit<EntriesTable, 'body'> & { readonly body: Uint8Array }>((db, rows) =>
  db
    .insertInto('entries')
    .values(rows.map(row => ({ ...row, body: sql<string>`cast(${row.body} as text)` }))),
)

/** Adds the entries to the sums of five minutes that charts are drawn from. */
async function countInBuckets(
  db: Kysely<Schema>,
  teamId: string,
  receivedMicros: number,
  links: readonly NewEntry[],
): Promise<void> {
  const counts = new Map<number, number>()
  for (const { entry } of links) {
    const start = Math.floor(Math.min(entry.tsMicros, receivedMicros) / (bucketMs * 1000)) * bucketMs
    counts.set(start, (counts.get(start) ?? 0) + 1)
  }
  const rows = [...counts].map(([bucket_start, entries]) => ({ bucket_start, team_id: teamId, entries }))
  await addToBuckets(db, rows)
}

const addToBuckets = createHotInsert<EntryBucketsTable>((db, rows) =>
  db
    .insertInto('entry_buckets')
    .values(rows)
    .onConflict(conflict =>
      conflict.columns(['bucket_start', 'team_id']).doUpdateSet({
        entries: sql<number>`entry_buckets.entries + excluded.entries`,
      }),
    ),
)

/** One parameter per column. The bodies are sent as they are: nothing is escaped here or parsed by the server. */
const insertOnPostgres: InsertEntries = async (db, teamId, receivedMicros, links) => {
  const list = (values: readonly (string | number)[]) => `{${values.join(',')}}`
  const bodies = buildArray(
    textOid,
    links.map(({ entry }) => entry.body),
  )
  const salts = buildArray(
    byteaOid,
    links.map(({ entry }) => entry.salt),
  )
  const commitments = buildArray(
    byteaOid,
    links.map(({ entry }) => entry.commitment),
  )
  await sql`
    insert into entries (
      team_id, seq, ts_micros, received_micros, tool_key, event_key, identity, chain, body_bytes, body,
      token_id, client_address, salt, commitment, late
    )
    select ${teamId}, seq, ts_micros, ${receivedMicros}, tool_key, event_key, identity, chain, body_bytes, body,
      token_id, client_address, salt, commitment, ${links[0]?.late ?? 0}
    from unnest(
      ${list(links.map(({ seq }) => seq))}::bigint[],
      ${list(links.map(({ entry }) => entry.tsMicros))}::bigint[],
      ${links.map(({ entry }) => entry.toolKey)}::text[],
      ${links.map(({ entry }) => entry.eventKey)}::text[],
      ${list(links.map(({ entry }) => entry.identity))}::text[],
      ${list(links.map(({ chain }) => chain))}::text[],
      ${list(links.map(({ entry }) => entry.bodyBytes))}::integer[],
      ${bodies}::text[],
      ${links.map(({ sender }) => sender.tokenId)}::text[],
      ${links.map(({ sender }) => sender.clientAddress)}::text[],
      ${salts}::bytea[],
      ${commitments}::bytea[]
    ) as new(
      seq, ts_micros, tool_key, event_key, identity, chain, body_bytes, body, token_id, client_address, salt, commitment
    )`.execute(db)
}

const byteaOid = 17
const textOid = 25

/** PostgreSQL's binary form of an array without nulls (array_recv, src/backend/utils/adt/arrayfuncs.c of release 15). */
function buildArray(elementOid: number, values: readonly Uint8Array[]): Buffer {
  const length = values.reduce((sum, value) => sum + 4 + value.byteLength, 20)
  const array = Buffer.allocUnsafe(length)
  // One dimension, no nulls, the type of the elements, how many there are, and the number of the first.
  for (const [place, value] of [1, 0, elementOid, values.length, 1].entries())
    array.writeInt32BE(value, 4 * place)
  let end = 20
  for (const value of values) {
    array.writeInt32BE(value.byteLength, end)
    array.set(value, end + 4)
    end += 4 + value.byteLength
  }
  return array
}
