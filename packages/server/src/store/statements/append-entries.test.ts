// Appending on a real database: numbers, chain, duplicates, locks, multiple teams in one commit.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Schema } from '../schema/schema.ts'
import {
  buildEntryToAppend as entry,
  buildPackedEntries as packed,
  packTestEntries,
  sender,
} from '../testing/build-entry-to-append.ts'
import { failureOf } from '../testing/failure-of.ts'
import { openTestDatabase } from '../testing/open-test-database.ts'
import { type AppendOutcome, type AppendRequest, appendEntries } from './append-entries.ts'
import { type ChangeBoardLocksInput, changeBoardLocks } from './board-changes.ts'
import { createBoard, listBoards, readBoard } from './boards.ts'
import { emptyChain } from './entry-chain.ts'
import { readEntriesAfter } from './list-entries.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const lock = (teamId: string, change: ChangeBoardLocksInput['change'], at = now) =>
  changeBoardLocks(db, { teamIds: [teamId], change, now: at, audit: { actor: 'admin', action: 'board' } })
let db: Kysely<Schema>
let close: () => Promise<void>

beforeEach(async () => {
  ;({ db, close } = await openTestDatabase())
})
afterEach(() => close())

function append(requests: readonly AppendRequest[], at: number | null = now): Promise<AppendOutcome[]> {
  return db.transaction().execute(transaction => appendEntries(transaction, { requests, now: at }))
}
const appendTo = (teamId: string, ...names: string[]) =>
  append([{ teamId, sender, entries: packed(...names) }])
const rowsOf = (teamId: string) => readEntriesAfter(db, { teamId, afterSeq: 0, limit: 1000 })

describe('appendEntries', () => {
  test('numbers without gaps and moves the head', async () => {
    const [first] = await appendTo('t', 'a', 'b')
    const [second] = await appendTo('t', 'c')
    expect(first).toMatchObject({ locked: false, stored: 2, duplicates: 0, head: { seq: 2 } })
    expect(second).toMatchObject({ locked: false, stored: 1, duplicates: 0, head: { seq: 3 } })
    const rows = await rowsOf('t')
    expect(rows.map(({ seq }) => seq)).toEqual([1, 2, 3])
    const board = await readBoard(db, { teamId: 't' })
    expect(board).toMatchObject({ headSeq: 3, headChain: rows.at(-1)?.chain })
  })

  test('chains as documented', async () => {
    await appendTo('t', 'a', 'b')
    let previous = Buffer.alloc(32)
    for (const row of await rowsOf('t')) {
      const numbers = Buffer.alloc(16)
      numbers.writeBigUInt64BE(BigInt(row.seq), 0)
      numbers.writeBigUInt64BE(BigInt(row.receivedMicros), 8)
      const bodyHash = createHash('sha256').update(row.body).digest()
      const link = Buffer.concat([previous, numbers, Buffer.from(row.identity, 'hex'), bodyHash])
      previous = createHash('sha256').update(link).digest()
      expect(row.chain).toBe(previous.toString('hex'))
      expect(row.receivedMicros).toBe(now * 1000)
    }
  })

  test('drops entries stored before, repeated in a request, or brought by a neighbour of the commit', async () => {
    await appendTo('t', 'a')
    const outcomes = await append([
      { teamId: 't', sender, entries: packed('a', 'b', 'b', 'c') },
      { teamId: 't', sender, entries: packed('c', 'd') },
    ])
    expect(outcomes).toMatchObject([
      { stored: 2, duplicates: 2, head: { seq: 3 } },
      { stored: 1, duplicates: 1, head: { seq: 4 } },
    ])
    expect(await rowsOf('t')).toHaveLength(4)
  })

  test('a resend changes nothing and returns the same head', async () => {
    const [first] = await appendTo('t', 'a', 'b')
    const [again] = await appendTo('t', 'a', 'b')
    expect(again).toMatchObject({ stored: 0, duplicates: 2 })
    expect(again).toMatchObject({ head: first?.locked === false ? first.head : null })
  })

  test('teams share nothing: the same entry is new to each, and each has its own numbers', async () => {
    const request = (teamId: string): AppendRequest => ({ teamId, sender, entries: packed('a', 'b') })
    const outcomes = await append([request('z'), request('a'), request('m')])
    expect(outcomes.map(outcome => !outcome.locked && outcome.head.seq)).toEqual([2, 2, 2])
    const boards = await listBoards(db)
    expect(boards.map(({ teamId, headSeq }) => [teamId, headSeq])).toEqual([
      ['a', 2],
      ['m', 2],
      ['z', 2],
    ])
  })

  test('an empty request returns the head and writes nothing', async () => {
    expect(await append([{ teamId: 't', sender, entries: packed() }])).toEqual([
      { locked: false, stored: 0, duplicates: 0, head: { seq: 0, chain: emptyChain } },
    ])
  })

  test('more rows than one statement takes', async () => {
    const names = Array.from({ length: 1234 }, (_, number) => `entry-${number}`)
    const [outcome] = await appendTo('t', ...names)
    expect(outcome).toMatchObject({ stored: 1234, head: { seq: 1234 } })
    const [again] = await appendTo('t', ...names)
    expect(again).toMatchObject({ stored: 0, duplicates: 1234 })
  })

  test("without a given time the database's time is used", async () => {
    const before = Date.now()
    await append([{ teamId: 't', sender, entries: packed('a') }], null)
    const [row] = await rowsOf('t')
    const received = row?.receivedMicros ?? 0
    expect(Number.isSafeInteger(received)).toBe(true)
    expect(received).toBeGreaterThanOrEqual(before * 1000)
    expect(received).toBeLessThanOrEqual((Date.now() + 1) * 1000)
  })

  test('the unique index backs up the lookup', async () => {
    await appendTo('t', 'a')
    const [row] = await db.selectFrom('entries').selectAll().execute()
    if (row === undefined) throw new Error('no row')
    const again = db.insertInto('entries').values({ ...row, seq: 2 })
    expect((await failureOf(again.execute())).message).toMatch(/unique/i)
  })

  test('a commit that fails midway leaves nothing behind', async () => {
    await appendTo('t', 'a')
    const broken = { ...entry('c'), tsMicros: null as unknown as number }
    await failureOf(append([{ teamId: 't', sender, entries: packTestEntries([entry('b'), broken]) }]))
    const [outcome] = await appendTo('t', 'b')
    expect(outcome).toMatchObject({ stored: 1, head: { seq: 2 } })
  })
})

describe('locks', () => {
  test('a locked board accepts nothing and harms no other team of the commit', async () => {
    await appendTo('locked', 'a')
    await lock('locked', 'lock')
    const outcomes = await append([
      { teamId: 'locked', sender, entries: packed('b') },
      { teamId: 'open', sender, entries: packed('b') },
    ])
    expect(outcomes).toMatchObject([{ locked: true }, { locked: false, stored: 1 }])
    expect(await rowsOf('locked')).toHaveLength(1)
    await lock('locked', 'unlock')
    expect(await appendTo('locked', 'b')).toMatchObject([{ locked: false, stored: 1, head: { seq: 2 } }])
  })

  test('a lock time locks from that very millisecond on', async () => {
    await lock('t', { lockAt: now }, now - 1000)
    const request = (name: string): AppendRequest[] => [{ teamId: 't', sender, entries: packed(name) }]
    expect(await append(request('a'), now - 1)).toMatchObject([{ locked: false }])
    expect(await append(request('b'), now)).toEqual([{ locked: true }])
    expect(await append(request('b'), now + 1)).toEqual([{ locked: true }])
  })

  test("a lock time is also compared with the database's clock", async () => {
    await lock('t', { lockAt: Date.now() - 1000 })
    expect(await append([{ teamId: 't', sender, entries: packed('a') }], null)).toEqual([{ locked: true }])
  })

  test('setting a lock keeps the head and returns the board', async () => {
    await createBoard(db, { teamId: 't', now })
    await createBoard(db, { teamId: 't', now: now + 1 })
    expect(await readBoard(db, { teamId: 't' })).toMatchObject({
      locked: false,
      lockAt: null,
      updatedAt: now,
    })
    await appendTo('t', 'a')
    const { boards } = await lock('t', { lockAt: now + 5 }, now + 2)
    expect(boards[0]).toMatchObject({
      teamId: 't',
      locked: false,
      lockAt: now + 5,
      headSeq: 1,
      updatedAt: now + 2,
    })
    expect(await readBoard(db, { teamId: 't' })).toEqual(boards[0])
    expect(await readBoard(db, { teamId: 'unknown' })).toBeUndefined()
  })
})
