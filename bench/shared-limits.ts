// What an admitted and charged call costs by where limits are counted: in memory over SQLite, or in PostgreSQL by 1 to 3 processes.
//
// Usage: bun bench/shared-limits.ts [seconds a run] [runs of each] [only settings whose line contains this]
// No HTTP and no upstream: `admit`, then the charge through the ledger writer until it is on disk. CPU is that of the processes and of
// all of PostgreSQL (user and system, from /proc). The runs of all settings take turns, and the cheapest of each counts.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nanoDollars } from '../packages/server/src/ledger/money.ts'
import { buildLevels } from '../packages/server/src/limits/build-levels.ts'
import { createMemoryLimits } from '../packages/server/src/limits/memory/create-memory-limits.ts'
import type { Hold, Levels, Limits } from '../packages/server/src/limits/port.ts'
import type { RunQuery } from '../packages/server/src/limits/shared/admission-lane.ts'
import { createSharedCommit } from '../packages/server/src/limits/shared/create-shared-commit.ts'
import { HotConnection } from '../packages/server/src/limits/shared/hot-connection.ts'
import { SharedLimits } from '../packages/server/src/limits/shared/shared-limits.ts'
import { buildKey, buildModel, buildTeam } from '../packages/server/src/limits/testing/build-parties.ts'
import { createWindowJournal } from '../packages/server/src/limits/windows/create-window-journal.ts'
import { LedgerWriter } from '../packages/server/src/store/ledger-writer.ts'
import { ServerChoice } from '../packages/server/src/store/postgres/choose-server.ts'
import { readDatabaseAddress } from '../packages/server/src/store/postgres/database-address.ts'
import { openPostgresStore } from '../packages/server/src/store/postgres/open-postgres-store.ts'
import { openSqliteStore } from '../packages/server/src/store/sqlite/open-sqlite-store.ts'
import { buildCallFacts, buildCharge } from '../packages/server/src/store/testing/build-ledger-rows.ts'
import { every } from '../packages/server/src/world/timers.ts'
import { startPostgres } from '../scripts/testing/start-postgres.ts'
import { percentile } from './lib/percentile.ts'
import { findPostgres, readTreeMicros } from './lib/process-times.ts'
import { recordResults } from './lib/record-results.ts'

type Setting = {
  readonly engine: 'memory' | 'shared'
  readonly store: 'sqlite' | 'postgres'
  readonly processes: number
  readonly teams: number
  readonly limits: 'ordinary' | 'all'
  readonly callers: number
}

type WorkerInput = Setting & { readonly slot: number; readonly url: string; readonly seconds: number }

type WorkerResult = {
  readonly calls: number
  readonly refused: number
  readonly cpuMicros: number
  readonly admitMs: readonly number[]
  readonly settleMs: readonly number[]
}

const warmUpMs = 700
const mebi = 1_000_000

async function compare(seconds: number, rounds: number, part: string): Promise<void> {
  const settings: Setting[] = []
  for (const limits of ['ordinary', 'all'] as const) {
    for (const [teams, callers] of [
      [60, 64],
      [1, 64],
      [60, 1],
    ] as const) {
      const common = { limits, teams, callers }
      settings.push({ engine: 'memory', store: 'sqlite', processes: 1, ...common })
      for (const processes of callers === 1 ? [1] : [1, 2, 3])
        settings.push({ engine: 'shared', store: 'postgres', processes, ...common })
    }
  }
  const best = new Map<Setting, Awaited<ReturnType<typeof runOne>>>()
  for (let round = 0; round < rounds; round += 1) {
    for (const setting of settings.filter(each => describe(each, {}).includes(part))) {
      const result = await runOne(setting, seconds)
      const known = best.get(setting)
      if (known === undefined || result.allMicros < known.allMicros) best.set(setting, result)
      console.log(`${round + 1}/${rounds}`, describe(setting, result))
    }
  }
  console.log('\nthe cheapest run of each')
  for (const [setting, result] of best) console.log(describe(setting, result))
  if (part === '')
    recordResults(
      'shared-limits',
      { seconds, rounds, counted: 'the cheapest of the runs of each setting, which take turns' },
      [...best].map(([setting, result]) => ({ ...setting, ...result })),
    )
}

function describe({ engine, store, processes, teams, limits, callers }: Setting, result: object): string {
  const what = `${limits}, ${teams === 1 ? 'hot team' : `${teams} teams`}, ${callers} callers, ${engine} on ${store} × ${processes}`
  return `${what.padEnd(64)} ${JSON.stringify(result)}`
}

async function runOne(setting: Setting, seconds: number) {
  const folder = mkdtempSync(join(tmpdir(), 'shared-limits-'))
  const postgres = setting.store === 'postgres' ? startPostgres({ shared_buffers: '256MB' }) : null
  if (setting.store === 'postgres' && postgres === null) throw new Error('PostgreSQL is not installed.')
  try {
    const url = postgres?.url ?? folder
    if (postgres !== null) await (await openPostgresStore({ connectionString: url })).close()
    const workers = Array.from({ length: setting.processes }, (_, slot) =>
      Bun.spawn(
        [process.execPath, import.meta.path, '--worker', JSON.stringify({ ...setting, slot, url, seconds })],
        {
          stdout: 'pipe',
          stderr: 'inherit',
        },
      ),
    )
    await Bun.sleep(warmUpMs + 800)
    const serverId = postgres === null ? null : findPostgres(url)
    const before = serverId === null ? 0 : readTreeMicros(serverId)
    const begun = performance.now()
    await Bun.sleep(seconds * 500)
    const spent = (serverId === null ? 0 : readTreeMicros(serverId)) - before
    const watched = (performance.now() - begun) / 1000
    const results = await Promise.all(
      workers.map(async worker => JSON.parse(await new Response(worker.stdout).text()) as WorkerResult),
    )
    const calls = results.reduce((sum, result) => sum + result.calls, 0)
    const perSecond = calls / seconds
    const gatewayMicros = results.reduce((sum, { cpuMicros }) => sum + cpuMicros, 0) / calls
    const postgresMicros = spent / (perSecond * watched)
    const admit = results.flatMap(({ admitMs }) => admitMs)
    const settle = results.flatMap(({ settleMs }) => settleMs)
    const round = (value: number, digits = 0) => Number(value.toFixed(digits))
    return {
      callsPerSecond: round(perSecond),
      refused: results.reduce((sum, { refused }) => sum + refused, 0),
      gatewayMicros: round(gatewayMicros),
      postgresMicros: round(postgresMicros),
      allMicros: round(gatewayMicros + postgresMicros),
      admitMs: { p50: round(percentile(admit, 0.5), 2), p99: round(percentile(admit, 0.99), 2) },
      settleMs: { p50: round(percentile(settle, 0.5), 2), p99: round(percentile(settle, 0.99), 2) },
    }
  } finally {
    postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function work(input: WorkerInput): Promise<void> {
  const { limits, writer, close } =
    input.engine === 'memory' ? await openMemory(input) : await openShared(input)
  const levels = buildAllLevels(input)
  const admitMs: number[] = []
  const settleMs: number[] = []
  let calls = 0
  let refused = 0
  let isCounting = false
  let isOver = false
  const caller = async (seed: number) => {
    for (let turn = seed; !isOver; turn += 1) {
      const each = levels[(turn * 7919) % levels.length]
      if (each === undefined) throw new Error('There are teams.')
      const begun = performance.now()
      const decision = await limits.admit({
        callId: randomUUID(),
        levels: each,
        tokens: { input: 200, output: 800 },
        estimate: { kind: 'fixed', cost: nanoDollars(3000) },
        countsRequest: true,
      })
      const admitted = performance.now()
      if (!decision.admitted) {
        refused += 1
        await Bun.sleep(1)
        continue
      }
      await charge(writer, limits, decision.hold)
      if (!isCounting) continue
      calls += 1
      admitMs.push(admitted - begun)
      settleMs.push(performance.now() - admitted)
    }
  }
  const callers = Array.from({ length: input.callers }, (_, index) => caller(index * 101 + input.slot * 13))
  await Bun.sleep(warmUpMs)
  isCounting = true
  const before = process.cpuUsage()
  await Bun.sleep(input.seconds * 1000)
  const { user, system } = process.cpuUsage(before)
  isCounting = false
  isOver = true
  await Promise.all(callers)
  await close()
  const sample = (values: readonly number[]) =>
    values.filter((_, index) => index % Math.ceil(values.length / 5000) === 0)
  const result: WorkerResult = {
    calls,
    refused,
    cpuMicros: user + system,
    admitMs: sample(admitMs),
    settleMs: sample(settleMs),
  }
  console.log(JSON.stringify(result))
  process.exit(0)
}

async function charge(writer: LedgerWriter, limits: Limits, hold: Hold): Promise<void> {
  const actual = { cost: nanoDollars(1200), tokens: 450 }
  const row = buildCharge(hold.callId, {
    teamId: hold.teamId,
    keyHash: hold.keyHash,
    modelId: hold.modelId ?? '',
    units: { inputText: 200, outputText: 250 },
    cost: actual.cost,
    admittedAt: hold.admittedAt,
    settledAt: hold.admittedAt,
    periods: hold.periods,
    facts,
  })
  await writer.charge(row, () => limits.settle(hold, actual))
}

const facts = buildCallFacts()

/** Ordinary: requests of team and key, tokens and budget of the team. All: five windows, three of them with tokens, and three budgets. */
function buildAllLevels({ teams, limits }: Setting): Levels[] {
  const isAll = limits === 'all'
  const budget = nanoDollars(1e12)
  const of = <Value>(value: Value) => new Map(isAll ? [['model-1', value]] : [])
  const model = buildModel(isAll ? { rpmLimit: 100 * mebi, tpmLimit: 1000 * mebi } : {})
  return Array.from({ length: teams }, (_, index) => {
    const teamId = `team-${index}`
    const team = buildTeam({
      teamId,
      maxBudget: budget,
      rpmLimit: 10 * mebi,
      tpmLimit: 1000 * mebi,
      modelRpmLimit: of(10 * mebi),
    })
    const key = buildKey({
      teamId,
      keyHash: `key-${index}`,
      rpmLimit: 10 * mebi,
      maxBudget: isAll ? budget : null,
      modelMaxBudget: of(budget),
      modelRpmLimit: of(10 * mebi),
      modelTpmLimit: of(1000 * mebi),
      maxParallelRequests: 10_000,
    })
    return buildLevels(team, key, model)
  })
}

type Opened = {
  readonly limits: Limits
  readonly writer: LedgerWriter
  readonly close: () => Promise<unknown>
}

const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve))
const after = (milliseconds: number, run: () => void) => void setTimeout(run, milliseconds)
const writerDependencies = {
  every,
  after,
  nextTurn,
  observeCommit: () => undefined,
  reportWindowFailure: (error: unknown) => console.error(error),
  reportFailure: (error: unknown) => console.error(error),
  monotonicMs: () => performance.now(),
}

async function openMemory({ url }: WorkerInput): Promise<Opened> {
  const store = await openSqliteStore(url)
  const limits = createMemoryLimits({ clock: Date.now })
  const writer = new LedgerWriter({
    ...writerDependencies,
    process: () => ({ processId: 'bench', slot: 0 }),
    commit: store.write.commitLedger,
    gatherWindows: createWindowJournal({
      gather: limits.gatherWindows,
      clock: Date.now,
      wallClock: Date.now,
      lastSequence: 0,
    }),
  })
  return { limits, writer, close: () => writer.close() }
}

async function openShared({ url, slot }: WorkerInput): Promise<Opened> {
  const connect = (name: string, settings: readonly string[]) =>
    new HotConnection({
      database: new ServerChoice(readDatabaseAddress(url)),
      name,
      settings,
      statementMs: 5000,
    })
  const admission = connect('fairgate-admit', ['set synchronous_commit = off'])
  const settling = connect('fairgate-settle', [])
  const processId = randomUUID()
  await settling.run({
    text: `insert into processes (process_id, slot, lease_until, started_at, version) values ($1, $2, 9000000000000000, 0, 'bench')`,
    values: [processId, slot],
  })
  const run =
    (connection: HotConnection): RunQuery =>
    query =>
      connection.run({ ...query, values: [...query.values] })
  const limits = new SharedLimits({
    run: run(admission),
    read: run(admission),
    lease: { process: () => ({ processId, slot }), isHeld: () => true },
    clock: Date.now,
    nextTurn,
    after,
    every,
    reportFailure: error => console.error(error),
    noteDirectory: () => undefined,
    monotonicMs: () => performance.now(),
    observeBatch: () => undefined,
  })
  await limits.begin()
  const writer = new LedgerWriter({
    ...writerDependencies,
    process: () => ({ processId, slot }),
    commit: createSharedCommit(run(settling), () => Promise.reject(new Error('Nobody orders videos here.'))),
    gatherWindows: () => null,
  })
  return { limits, writer, close: () => writer.close() }
}

const [argument = '4', runs = '2', filter = ''] = process.argv.slice(2)
if (argument === '--worker') await work(JSON.parse(runs) as WorkerInput)
else await compare(Number(argument), Number(runs), filter)
