// `npm run bench:reading`: how fast entries are found and sessions read in a log of a million entries, on both engines, and what an index of
// words would cost each entry that is stored.
//
// BENCH_ENTRIES (1000000), BENCH_TEAMS (60) and BENCH_RUNS (20) change the load. Needs PostgreSQL (Debian: apt-get install postgresql);
// without it SQLite alone is measured.
import { Database } from 'bun:sqlite'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { searchLogs } from '../packages/server/src/admin/logs/search/search-route.ts'
import { SessionReader } from '../packages/server/src/insight/session-reader.ts'
import { createEntriesReader } from '../packages/server/src/logbook/list-entries/create-entries-reader.ts'
import { createPace } from '../packages/server/src/logbook/list-entries/pace-reads.ts'
import { CoverageReader } from '../packages/server/src/record/coverage-reader.ts'
import { openPostgresStore } from '../packages/server/src/store/postgres/open-postgres-store.ts'
import { openSqliteStore } from '../packages/server/src/store/sqlite/open-sqlite-store.ts'
import { type EntryToAppend, packEntries } from '../packages/server/src/store/statements/packed-entries.ts'
import type { Store } from '../packages/server/src/store/store.ts'
import {
  buildCallFacts,
  buildCharge,
  emptyBatch,
} from '../packages/server/src/store/testing/build-ledger-rows.ts'
import { startPostgres } from '../scripts/testing/start-postgres.ts'
import { percentile } from './lib/percentile.ts'
import { recordResults } from './lib/record-results.ts'

const entries = Number(process.env.BENCH_ENTRIES ?? 1_000_000)
const teams = Number(process.env.BENCH_TEAMS ?? 60)
const runs = Number(process.env.BENCH_RUNS ?? 20)
const start = Date.parse('2026-11-21T01:00:00Z')
const stepMs = (8 * 3_600_000) / entries
/** A team whose one session has 5,000 entries and 1,000 calls. */
const readTeam = 'reader'
const sessionEntries = 5000
const sessionCalls = 1000

const words = Array.from({ length: 5000 }, (_, n) => `w${((n * 7919) % 100_003).toString(36)}`)
const wordAt = (n: number) => words[(n * 2654435761) % words.length] ?? ''

/** About a kilobyte, as the logs of coding agents have. */
function buildEntry(number: number, session: string, tsMs: number): EntryToAppend {
  const text = Array.from({ length: 150 }, (_, place) => wordAt(number * 150 + place)).join(' ')
  const rare = number % 50_000 === 49_999 ? ' needle' : ''
  const body = JSON.stringify({
    ...{ branch: 'main', commit: 'abc1234', event: 'Stop', number, prompt: `${text.slice(0, 200)}${rare}` },
    ...{ repo: 'team/project', response_summary: text, session_id: session, student: 'a@example.org' },
    ...{ tool: 'codex', ts: new Date(tsMs).toISOString() },
  })
  const bodyHash = createHash('sha256').update(body).digest('hex')
  const keys = { toolKey: 'codex', eventKey: 'Stop' }
  const bodyBytes = Buffer.byteLength(body)
  return { identity: bodyHash, body, bodyBytes, bodyHash, tsMicros: Math.floor(tsMs * 1000), ...keys }
}

const sender = { tokenId: 'lt_1', clientAddress: null }
const batch = 500

async function fill(store: Store): Promise<number> {
  const begun = performance.now()
  for (let first = 0; first < entries; first += batch * teams) {
    const requests = Array.from({ length: teams }, (_, team) => {
      const own = Array.from({ length: batch }, (_, place) => first + place * teams + team)
      const built = own
        .filter(number => number < entries)
        .map(number => buildEntry(number, `${team}-${number % 97}`, start + number * stepMs))
      return { teamId: `team-${team}`, sender, entries: packEntries(built, randomBytes) }
    })
    await store.write.appendEntries({ now: start, requests })
  }
  const long = Array.from({ length: sessionEntries }, (_, n) => buildEntry(n, 'long', start + n * 4000))
  for (let first = 0; first < long.length; first += batch)
    await store.write.appendEntries({
      now: start,
      requests: [
        { teamId: readTeam, sender, entries: packEntries(long.slice(first, first + batch), randomBytes) },
      ],
    })
  const client = { ...buildCallFacts().client, sessionId: 'long', tool: 'codex' }
  const charges = Array.from({ length: sessionCalls }, (_, n) => {
    const admittedAt = start + n * 20_000 + 7
    const hex = admittedAt.toString(16).padStart(12, '0')
    const id = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`
    const times = { admittedAt, settledAt: admittedAt + 900 }
    return buildCharge(id, { teamId: readTeam, ...times, cost: 100, facts: buildCallFacts({ client }) })
  })
  for (let first = 0; first < charges.length; first += 100)
    await store.write.commitLedger({ ...emptyBatch, charges: charges.slice(first, first + 100) })
  return performance.now() - begun
}

const monotonicMs = () => performance.now()

async function measure(store: Store) {
  const reader = createEntriesReader({
    read: store.read,
    pace: createPace({ stopwatch: monotonicMs, wait: setTimeout }),
  })
  const directory = {
    findTeam: () => undefined,
    findMember: () => undefined,
    logTokens: () => [],
    version: () => 1,
    findKeyName: () => undefined,
    findLogTokenById: () => undefined,
  }
  const searches: Record<string, object> = {}
  const queries = {
    'a common word, all teams': ['w', null],
    'a word in one of 5,000, all teams': [wordAt(77), null],
    'a word in one of 50,000 entries, all teams': ['needle', null],
    'a word in one of 50,000 entries, one team': ['needle', 'team-19'],
    'nothing, all teams': ['nowhereatall', null],
  } as const
  for (const [name, [q, teamId]] of Object.entries(queries)) {
    const begun = monotonicMs()
    let firstMs: number | null = null
    let [pages, hits, looked] = [0, 0, 0]
    let after: string | null = ''
    let firstLooked = 0
    while (after !== null && hits < 100 && pages < 60) {
      const query = { q, ...(after === '' ? {} : { after }) }
      const page = await searchLogs(query, teamId, () => false, {
        entries: reader,
        directory,
        clock: monotonicMs,
      })
      firstMs ??= monotonicMs() - begun
      firstLooked ||= page.searched.entries
      pages += 1
      hits += page.hits
      looked += page.searched.entries
      after = page.next
    }
    searches[name] = {
      firstPageMs: Math.round(firstMs ?? 0),
      entriesOfFirstPage: firstLooked,
      pages,
      hits,
      entries: looked,
      ms: Math.round(monotonicMs() - begun),
    }
  }
  const coverage = new CoverageReader({
    read: store.read,
    digestTexts: () => null,
    clock: () => start,
    pause: setImmediate,
  })
  const sessions = new SessionReader({ coverage, read: store.read, directory })
  const coldAt = monotonicMs()
  await sessions.find(readTeam, 'long', undefined, 'recent')
  const coldMs = monotonicMs() - coldAt
  const times: number[] = []
  let longestTurn = 0
  let turn = monotonicMs()
  const watch = setInterval(() => {
    longestTurn = Math.max(longestTurn, monotonicMs() - turn)
    turn = monotonicMs()
  }, 1)
  for (let run = 0; run < runs; run += 1) {
    const begun = monotonicMs()
    const session = await sessions.find(readTeam, 'long', undefined, 'recent')
    await sessions.readAround(session, 1 + ((run * 997) % sessionEntries), 100)
    times.push(monotonicMs() - begun)
  }
  clearInterval(watch)
  return {
    searches,
    session: {
      firstReadMs: Math.round(coldMs),
      pageMedianMs: round(percentile(times, 0.5)),
      pageP95Ms: round(percentile(times, 0.95)),
      longestTurnMs: Math.round(longestTurn),
    },
  }
}

const round = (value: number) => Math.round(value * 10) / 10

/** SQLite's own index of words, beside a table: how long 50,000 bodies take in batches of 500. */
function measureWordIndex(folder: string) {
  const db = new Database(join(folder, 'words.db'))
  db.run('pragma journal_mode = wal')
  db.run('pragma synchronous = normal')
  db.run('create table bodies (id integer primary key, body text)')
  db.run(
    `create virtual table words using fts5(body, content = 'bodies', content_rowid = 'id', detail = 'none')`,
  )
  const count = Math.min(entries, 50_000)
  const bodies = Array.from({ length: count }, (_, n) => buildEntry(n, 's', start).body)
  const time = (text: string) => {
    const insert = db.query(text)
    const begun = monotonicMs()
    for (let first = 0; first < count; first += batch)
      db.transaction(() => {
        for (let n = first; n < first + batch; n += 1) insert.run(n + 1, bodies[n] ?? '')
      })()
    return round(((monotonicMs() - begun) * 1000) / count)
  }
  const tableMicros = time('insert into bodies (id, body) values (?, ?)')
  const sizeOf = () =>
    Number(
      db
        .query<{ size: number }, []>(
          'select page_count * page_size as size from pragma_page_count, pragma_page_size',
        )
        .get()?.size,
    )
  const before = sizeOf()
  const indexMicros = time('insert into words (rowid, body) values (?, ?)')
  const indexBytes = Math.round((sizeOf() - before) / count)
  db.close()
  return { tableMicros, indexMicros, indexBytes }
}

const folder = mkdtempSync(join(tmpdir(), 'fairgate-reading-'))
const postgres = process.env.BENCH_ENGINE === 'sqlite' ? null : startPostgres()
const wordIndex = measureWordIndex(folder)
const rows: object[] = []
try {
  const engines = {
    SQLite: () => openSqliteStore(folder),
    ...(postgres === null ? {} : { PostgreSQL: () => openPostgresStore({ connectionString: postgres.url }) }),
  }
  for (const [name, open] of Object.entries(engines)) {
    const store = await open()
    const fillMs = await fill(store)
    const perSecond = Math.round((entries * 1000) / fillMs)
    rows.push({ engine: name, entriesFilledPerSecond: perSecond, ...(await measure(store)) })
    await store.close()
  }
} finally {
  postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
}
console.log(JSON.stringify({ wordIndex, rows }, null, 2))
recordResults('reading', { entries, teams, runs, wordIndexPerEntry: wordIndex }, rows)
