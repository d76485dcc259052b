// `npm run bench:spend`: how long each question about spend takes over a million calls, and what the sums of five minutes cost a charge, on both engines.
//
// BENCH_CALLS (1000000), BENCH_TEAMS (60), BENCH_RUNS (20) and BENCH_CHARGES (30000) change the load. Ranges begin and end anywhere, so that
// both ends are read from the rows. Needs PostgreSQL (Debian: apt-get install postgresql); without it SQLite alone is measured.

import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { SpendReports } from '../packages/server/src/admin/spend/spend-reports.ts'
import { emptyEvent } from '../packages/server/src/directory/event/event.ts'
import { nanoDollars } from '../packages/server/src/ledger/money.ts'
import { openPostgresStore } from '../packages/server/src/store/postgres/open-postgres-store.ts'
import { proveTotals } from '../packages/server/src/store/prove-totals.ts'
import { openSqliteStore } from '../packages/server/src/store/sqlite/open-sqlite-store.ts'
import { firstIdOf } from '../packages/server/src/store/statements/calls.ts'
import type { Store } from '../packages/server/src/store/store.ts'
import { buildCharge, emptyBatch } from '../packages/server/src/store/testing/build-ledger-rows.ts'
import { startPostgres } from '../scripts/testing/start-postgres.ts'
import { fillCalls, keysPerTeam } from './lib/fill-calls.ts'
import { percentile } from './lib/percentile.ts'
import { recordResults } from './lib/record-results.ts'

const calls = Number(process.env.BENCH_CALLS ?? 1_000_000)
const teams = Number(process.env.BENCH_TEAMS ?? 60)
const runs = Number(process.env.BENCH_RUNS ?? 20)
const charges = Number(process.env.BENCH_CHARGES ?? 30_000)
const batch = 30
const eventMs = 8 * 3_600_000
const start = Date.parse('2026-11-21T01:00:00Z')
const models = ['model-0', 'model-1', 'model-2', 'model-3']

type Engine = {
  readonly name: 'SQLite' | 'PostgreSQL'
  readonly store: Store
  /** SQL past the store. */
  readonly run: (text: string) => Promise<void>
  readonly close: () => Promise<void>
}

async function openSqlite(folder: string): Promise<Engine> {
  const store = await openSqliteStore(folder)
  const db = new Database(join(folder, 'fairgate.db'))
  db.run('pragma busy_timeout = 60000')
  return {
    name: 'SQLite',
    store,
    run: async text => void db.run(text),
    close: async () => {
      db.close()
      await store.close()
    },
  }
}

async function openPostgres(url: string): Promise<Engine> {
  const store = await openPostgresStore({
    connectionString: url,
    reportFailure: error => console.error(error),
  })
  const client = new SQL(url, { max: 1 })
  return {
    name: 'PostgreSQL',
    store,
    run: async text => void (await client.unsafe(text)),
    close: async () => {
      await client.close()
      await store.close()
    },
  }
}

const numbersOf = <Value>(length: number, build: (index: number) => Value) =>
  Array.from({ length }, (_, index) => build(index))
const parties = numbersOf(teams, index => ({
  teamId: `team-${index}`,
  alias: `Team ${index}`,
  maxBudget: nanoDollars(50_000_000_000),
  budgetDuration: null,
  budgetAnchor: start,
}))

function createReports(store: Store): SpendReports {
  // Names alone: what else a record has is not read.
  const directory = {
    teams: () => parties,
    findTeam: (teamId: string) => parties.find(party => party.teamId === teamId),
    findKey: () => undefined,
    keys: () => [],
    keysOfTeam: () => [],
    version: () => 1,
    event: () => emptyEvent,
  } as unknown as ConstructorParameters<typeof SpendReports>[0]['directory']
  return new SpendReports({
    read: store.read,
    directory,
    limits: { readSpend: asked => asked.map(() => ({ spent: nanoDollars(0), held: nanoDollars(0) })) },
    clock: () => start + eventMs - 123_456,
  })
}

/** Moments that no bucket begins with, the same in every run. */
function rangeOf(run: number): { from: string; until: string } {
  const show = (unixMs: number) => new Date(unixMs).toISOString()
  const from = start + ((run * 7_919_317) % (eventMs / 2)) + 1234
  return { from: show(from), until: show(from + eventMs / 3 + run * 1777) }
}

async function measure(name: string, ask: (run: number) => Promise<unknown>) {
  await ask(0)
  const taken: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const begun = performance.now()
    await ask(run)
    taken.push(performance.now() - begun)
  }
  taken.sort((left, right) => left - right)
  const figures = { p50: percentile(taken, 0.5), p95: percentile(taken, 0.95), max: taken.at(-1) ?? 0 }
  const rounded = Object.fromEntries(
    Object.entries(figures).map(([label, ms]) => [label, Math.round(ms * 10) / 10]),
  )
  console.log(`  ${name.padEnd(34)} ${JSON.stringify(rounded)} ms`)
  return { name, ...rounded }
}

async function askAll({ store }: Engine) {
  const reports = createReports(store)
  const team = (run: number) => `team-${run % teams}`
  const everything = {
    beforeId: null,
    keyHash: null,
    outcome: null,
    code: null,
    endpoint: null,
    model: null,
    tool: null,
    sessionId: null,
    undelivered: null,
  }
  return [
    await measure('top, all time', () => reports.report({ by: 'team' })),
    await measure('top, a range', run => reports.report({ by: 'team', ...rangeOf(run) })),
    await measure('by-model, all time', () => reports.report({ by: 'model' })),
    await measure('by-model, a range', run => reports.report({ by: 'model', ...rangeOf(run) })),
    await measure('by-key, all time', () => reports.report({ by: 'key' })),
    await measure('by-key of a team, a range', run =>
      reports.report({ by: 'key', team_id: team(run), ...rangeOf(run) }),
    ),
    await measure('refusals, a range', run => reports.report({ by: 'code', ...rangeOf(run) })),
    await measure('over-time by 10m, all', () => reports.series({ step: '10m' })),
    await measure('over-time by 10m and team, a range', run =>
      reports.series({ step: '10m', by: 'team', ...rangeOf(run) }),
    ),
    await measure('forecast of all teams', () => reports.forecast({})),
    await measure('calls, a page of 50', run =>
      store.read.readCallsPage({
        ...everything,
        teamId: team(run),
        from: null,
        until: Date.parse(rangeOf(run).until),
        limit: 50,
      }),
    ),
    await measure('calls, refused ones', run =>
      store.read.readCallsPage({
        ...everything,
        outcome: 'refused',
        teamId: null,
        from: null,
        until: Date.parse(rangeOf(run).until),
        limit: 50,
      }),
    ),
    await measure('a slice of the export', run =>
      store.read.readSpendRows({
        ...{
          teamId: team(run),
          after: { callId: firstIdOf(Date.parse(rangeOf(run).from)), adjustmentId: null },
          fromId: '',
          endId: 'zzzz',
        },
        ...{ keyHash: null, modelId: null, withRefused: true, limit: 1000 },
      }),
    ),
  ]
}

/** What PostgreSQL's trigger costs; in turns, so that a busy machine is busy for both. SQLite's writer counts by itself. */
async function measureCharges({ store, run }: Engine) {
  const off = 'alter table charges disable trigger charges_counted'
  const on = 'alter table charges enable trigger charges_counted'
  let number = 0
  const write = async () => {
    const begun = performance.now()
    for (let written = 0; written < charges; written += batch) {
      const rows = numbersOf(batch, () => {
        number += 1
        const at = start + eventMs + number * 20
        const hash = String((number * 7) % (teams * keysPerTeam)).padStart(64, '0')
        const id = `${firstIdOf(at)}-7000-8000-${number.toString(16).padStart(12, '0')}`
        return buildCharge(id, {
          teamId: `team-${number % teams}`,
          keyHash: hash,
          modelId: `model-${number % 4}`,
          admittedAt: at,
        })
      })
      await store.write.commitLedger({ ...emptyBatch, charges: rows })
    }
    return ((performance.now() - begun) * 1000) / charges
  }
  const taken = { with: [] as number[], without: [] as number[] }
  await write()
  for (let round = 0; round < 5; round += 1) {
    taken.with.push(await write())
    await run(off)
    taken.without.push(await write())
    await run(on)
  }
  const median = (values: readonly number[]) =>
    Math.round((values.toSorted((a, b) => a - b)[2] ?? 0) * 10) / 10
  const found = {
    name: 'a charge in batches of 30, µs',
    with: median(taken.with),
    without: median(taken.without),
  }
  console.log(`  ${found.name.padEnd(34)} with the sums ${found.with}, without ${found.without}`)
  return found
}

async function proveAll({ store }: Engine) {
  const proof = await proveTotals(
    { read: store.read, clock: Date.now, stopwatch: () => performance.now(), pause: () => Bun.sleep(10) },
    null,
  )
  console.log(`  proof: ${proof.rows} rows, ${proof.owners} totals, ok ${proof.ok}, ${proof.took_ms} ms`)
  return { name: 'proof', ...proof, wrong: proof.wrong_count }
}

const folder = mkdtempSync(join(tmpdir(), 'fairgate-bench-'))
const postgres = startPostgres()
const results: object[] = []
try {
  const engines = [() => openSqlite(folder), ...(postgres === null ? [] : [() => openPostgres(postgres.url)])]
  for (const open of engines) {
    const engine = await open()
    const begun = performance.now()
    await fillCalls({ engine: engine.name, run: engine.run, calls, teams, start, spanMs: eventMs, models })
    console.log(
      `${engine.name}: ${calls} calls of ${teams} teams, filled in ${Math.round((performance.now() - begun) / 1000)} s`,
    )
    const rows = [
      ...(await askAll(engine)),
      await proveAll(engine),
      ...(engine.name === 'SQLite' ? [] : [await measureCharges(engine)]),
    ]
    results.push(...rows.map(row => ({ engine: engine.name, ...row })))
    await engine.close()
  }
  recordResults('spend', { calls, teams, keysPerTeam, runs, charges, batch }, results)
} finally {
  postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
}
