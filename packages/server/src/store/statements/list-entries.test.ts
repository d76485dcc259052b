// Paging on a real database: each row exactly once, with any ties, page size and filter; and the indexes that make it cheap.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'
import { buildEntryToAppend, packTestEntries, sender } from '../testing/build-entry-to-append.ts'
import { openTestDatabase } from '../testing/open-test-database.ts'
import { appendEntries } from './append-entries.ts'
import {
  type EntryRow,
  type ReadEntriesPageInput,
  readEntriesAfter,
  readEntriesPage,
} from './list-entries.ts'
import type { EntryToAppend } from './packed-entries.ts'

const tools = ['tool-1', 'tool-2'] as const
const events = ['Stop', 'PostToolUse', 'stop'] as const
const large = 8 * 1024 * 1024
let db: Kysely<Schema>
let close: () => Promise<void>

beforeAll(async () => {
  ;({ db, close } = await openTestDatabase())
})
afterAll(() => close())

async function store(teamId: string, entries: readonly EntryToAppend[]): Promise<void> {
  await db.transaction().execute(transaction =>
    appendEntries(transaction, {
      requests: [{ teamId, sender, entries: packTestEntries(entries) }],
      now: 0,
    }),
  )
}

async function readAll(
  input: Omit<ReadEntriesPageInput, 'before'>,
): Promise<{ rows: EntryRow[]; pages: number }> {
  const rows: EntryRow[] = []
  let before: ReadEntriesPageInput['before'] = null
  for (let pages = 1; ; pages += 1) {
    const page = await readEntriesPage(db, { ...input, before })
    rows.push(...page.rows)
    const last = page.rows.at(-1)
    if (!page.hasMore || last === undefined) return { rows, pages }
    before = last
  }
}

describe('readEntriesPage', () => {
  test('any data with ties, any page size, any filter: each row once, newest first', async () => {
    let run = 0
    const anyEntry = fc.record({
      // The last one lies after the receipt.
      tsMicros: fc.constantFrom(1, 2, 3, 4, 4_000_000_000_000_000),
      tool: fc.constantFrom(...tools),
      event: fc.constantFrom(...events),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyEntry, { maxLength: 40 }),
        fc.integer({ min: 1, max: 12 }),
        fc.option(fc.constantFrom(...tools)),
        fc.option(fc.constantFrom(...events)),
        async (drawn, limit, toolKey, eventKey) => {
          run += 1
          const teamId = `team-${run}`
          const entries = drawn.map((changes, position) => buildEntryToAppend(`${position}`, changes))
          await store(teamId, entries)
          const { rows, pages } = await readAll({ teamId, limit, maximumBytes: large, toolKey, eventKey })
          const expected = entries
            .map(({ tsMicros, toolKey: tool, eventKey: event }, position) => ({
              tsMicros,
              tool,
              event,
              seq: position + 1,
            }))
            .filter(({ tool }) => toolKey === null || tool === toolKey)
            .filter(({ event }) => eventKey === null || event === eventKey)
            .sort((left, right) => right.tsMicros - left.tsMicros || right.seq - left.seq)
            .map(({ seq }) => seq)
          expect(rows.map(({ seq }) => seq)).toEqual(expected)
          expect(pages).toBe(Math.max(1, Math.ceil(expected.length / limit)))
        },
      ),
      { numRuns: 150 },
    )
  })

  test('10,000 entries that share seven times, in pages of 200', async () => {
    const entries = Array.from({ length: 10_000 }, (_, number) =>
      buildEntryToAppend(`${number}`, { tsMicros: 1 + (number % 7), tool: tools[number % 2] ?? 'tool-1' }),
    )
    await store('ties', entries)
    const filter = { teamId: 'ties', limit: 200, maximumBytes: large, eventKey: null }
    const { rows, pages } = await readAll({ ...filter, toolKey: null })
    expect(new Set(rows.map(({ seq }) => seq)).size).toBe(10_000)
    expect(rows).toHaveLength(10_000)
    expect(pages).toBe(50)
    const half = await readAll({ ...filter, toolKey: 'tool-2' })
    expect(half.rows).toHaveLength(5000)
  })

  test('entries that arrive between two pages neither repeat nor hide one of the first', async () => {
    await store(
      'live',
      [1, 2, 3, 4].map(number => buildEntryToAppend(`${number}`)),
    )
    const input = { teamId: 'live', limit: 2, maximumBytes: large, toolKey: null, eventKey: null }
    const first = await readEntriesPage(db, { ...input, before: null })
    await store('live', [buildEntryToAppend('5')])
    const second = await readEntriesPage(db, { ...input, before: first.rows.at(-1) ?? null })
    expect([...first.rows, ...second.rows].map(({ seq }) => seq)).toEqual([4, 3, 2, 1])
  })

  test('a page ends at its byte limit, but holds at least one row', async () => {
    const text = 'x'.repeat(1000)
    await store(
      'bytes',
      [1, 2, 3].map(number => buildEntryToAppend(`${number}`, { text })),
    )
    const input = { teamId: 'bytes', limit: 10, before: null, toolKey: null, eventKey: null }
    const two = await readEntriesPage(db, { ...input, maximumBytes: 2600 })
    expect([two.rows.length, two.hasMore]).toEqual([2, true])
    const one = await readEntriesPage(db, { ...input, maximumBytes: 1 })
    expect([one.rows.length, one.hasMore]).toEqual([1, true])
    const all = await readAll({
      teamId: 'bytes',
      limit: 10,
      maximumBytes: 2600,
      toolKey: null,
      eventKey: null,
    })
    expect(all.rows.map(({ seq }) => seq)).toEqual([3, 2, 1])
  })

  test("another team's entries are not returned", async () => {
    const page = await readEntriesPage(db, {
      teamId: 'nobody',
      limit: 10,
      maximumBytes: large,
      before: null,
      toolKey: null,
      eventKey: null,
    })
    expect(page).toEqual({ rows: [], hasMore: false })
  })

  const filters = [
    ['', 'time'],
    ["and tool_key = 'a'", 'tool'],
    ["and event_key = 'a'", 'event'],
    ["and tool_key = 'a' and event_key = 'b'", 'tool_event'],
  ] as const
  const kinds = [
    ['ts_micros', 'ts_micros <= received_micros', 'in'],
    ['ts_micros', 'ts_micros > received_micros', 'ahead_in'],
    ['received_micros', 'ts_micros > received_micros', 'ahead_received_in'],
  ] as const
  test.each(
    filters.flatMap(([filter, of]) =>
      kinds.map(([at, kind, name]) => [filter, kind, at, `entries_${name}_${of}`] as const),
    ),
  )('the filter "%s" of %s by %s walks its own index and sorts nothing', async (filter, kind, at, index) => {
    const { rows } = await sql<{ detail: string }>`explain query plan select seq, body_bytes from entries
      where team_id = 't' and ${sql.raw(kind)} ${sql.raw(filter)} and (${sql.ref(at)}, seq) < (5, 5)
      order by ${sql.ref(at)} desc, seq desc limit 201`.execute(db)
    expect(rows.map(({ detail }) => detail).join('; ')).toMatch(
      new RegExp(`^SEARCH entries USING INDEX ${index} [^;]*$`),
    )
  })
})

describe('readEntriesAfter', () => {
  test('returns every row once in the order of numbers, whatever their times', async () => {
    const entries = [9, 1, 5, 5, 3].map((tsMicros, number) => buildEntryToAppend(`${number}`, { tsMicros }))
    await store('feed', entries)
    const seen: number[] = []
    for (;;) {
      const rows = await readEntriesAfter(db, { teamId: 'feed', afterSeq: seen.at(-1) ?? 0, limit: 2 })
      if (rows.length === 0) break
      seen.push(...rows.map(({ seq }) => seq))
    }
    expect(seen).toEqual([1, 2, 3, 4, 5])
  })

  test('a page of the feed is limited by bytes too', async () => {
    const rows = await readEntriesAfter(db, { teamId: 'feed', afterSeq: 0, limit: 100, maximumBytes: 1 })
    expect(rows.map(({ seq }) => seq)).toEqual([1])
  })
})
