// `npm run bench:engines`: what a chat call costs through the doors by engine: SQLite, and 1 to 3 processes that share PostgreSQL.
//
// BENCH_TEAMS (60), BENCH_CONNECTIONS (64,1), BENCH_SECONDS (4) and BENCH_ROUNDS (3) change the load. One engine runs at a time, with a
// database of its own on the same machine, and the engines take turns. CPU is that of all gateway processes and of all of PostgreSQL.
// Needs Linux, nginx, wrk and PostgreSQL (Debian: apt-get install nginx-light wrk postgresql).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../scripts/testing/start-postgres.ts'
import { percentile } from './lib/percentile.ts'
import { findPostgres, readTreeMicros } from './lib/process-times.ts'
import { recordResults } from './lib/record-results.ts'
import { runFairgate } from './lib/run-fairgate.ts'
import { runPlainProxy, runScriptedUpstream } from './lib/run-nginx.ts'
import {
  type LoadFigures,
  readMilliseconds,
  requirePrograms,
  runWrk,
  writeLoadScript,
} from './lib/run-wrk.ts'

console.log(`Compares a chat call on each engine, in turns, to see what it costs to count limits in PostgreSQL
and to run several processes.
`)

const teams = Number(process.env.BENCH_TEAMS ?? 60)
const seconds = Number(process.env.BENCH_SECONDS ?? 4)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const connections = (process.env.BENCH_CONNECTIONS ?? '64,1').split(',').map(Number)
const warmUpCalls = 30_000
const upstreamKey = 'bench-key'
const bodyBytes = 1000

type Engine = { readonly name: string; readonly database: boolean; readonly flags: readonly string[] }

const shared = (processes: number): Engine => ({
  name: `PostgreSQL, ${processes} process${processes === 1 ? '' : 'es'}`,
  database: true,
  flags: processes === 1 ? [] : ['--processes', String(processes)],
})
const engines: readonly Engine[] = [
  { name: 'memory on SQLite', database: false, flags: [] },
  shared(1),
  shared(2),
  shared(3),
]

type Run = LoadFigures & { readonly gatewayMicros: number; readonly databaseMicros: number }

/** Each call is that of the next team. */
const writeScript = (folder: string, keys: readonly string[]) =>
  writeLoadScript(
    folder,
    'teams',
    { Authorization: keys.map(key => `Bearer ${key}`) },
    'mm-2.5-flash',
    bodyBytes,
  )

async function measureEngine(engine: Engine, folder: string, upstreamUrl: string): Promise<Map<number, Run>> {
  const postgres = engine.database ? startPostgres({ shared_buffers: '256MB' }) : null
  if (engine.database && postgres === null) throw new Error('PostgreSQL is not installed.')
  const fairgate = await runFairgate(
    upstreamUrl,
    upstreamKey,
    postgres === null ? {} : { DATABASE_URL: postgres.url },
    undefined,
    engine.flags,
  )
  try {
    const keys: string[] = []
    for (let team = 0; team < teams; team += 1)
      keys.push(await fairgate.createKey(`team-${team}`, { max_parallel_requests: 1000 }))
    const target = {
      name: engine.name,
      url: `${fairgate.gatewayUrl}/v1/chat/completions`,
      script: writeScript(folder, keys),
    }
    for (let calls = 0; calls < warmUpCalls; ) calls += (await runWrk(target, 64, 2)).requests
    const databaseId = postgres === null ? null : findPostgres(postgres.url)
    const read = () => ({
      gateway: readTreeMicros(fairgate.pid),
      database: databaseId === null ? 0 : readTreeMicros(databaseId),
    })
    const runs = new Map<number, Run>()
    for (const count of connections) {
      const before = read()
      const figures = await runWrk(target, count, seconds)
      const after = read()
      if (figures.failed > 0 || figures.requests === 0)
        throw new Error(`${engine.name}: ${figures.failed} of ${figures.requests} calls failed.`)
      runs.set(count, {
        ...figures,
        gatewayMicros: (after.gateway - before.gateway) / figures.requests,
        databaseMicros: (after.database - before.database) / figures.requests,
      })
    }
    return runs
  } finally {
    await fairgate.stop()
    postgres?.stop()
  }
}

async function run(folder: string, stops: (() => void)[]): Promise<void> {
  const upstream = await runScriptedUpstream(folder)
  stops.push(upstream.stop)
  const proxy = await runPlainProxy(folder, upstream)
  stops.push(proxy.stop)
  const plain = { name: 'nginx', url: `${proxy.url}/v1/chat/completions`, script: writeScript(folder, ['']) }
  const direct: LoadFigures[] = []
  const seen = new Map<Engine, Map<number, Run>[]>(engines.map(engine => [engine, []]))
  for (let round = 0; round < rounds; round += 1) {
    direct.push(await runWrk(plain, 1, seconds))
    for (const engine of engines) {
      seen.get(engine)?.push(await measureEngine(engine, folder, upstream.url))
      console.log(`round ${round + 1} of ${rounds}: ${engine.name}`)
    }
  }
  const middle = (values: readonly number[], digits: number) =>
    Number(percentile(values, 0.5).toFixed(digits))
  const nginx = {
    p50: middle(
      direct.map(({ p50 }) => readMilliseconds(p50)),
      2,
    ),
    p99: middle(
      direct.map(({ p99 }) => readMilliseconds(p99)),
      2,
    ),
  }
  const rows = connections.flatMap(count =>
    engines.map(engine => {
      const runs = (seen.get(engine) ?? []).flatMap(byCount => byCount.get(count) ?? [])
      const of = (readValue: (figures: Run) => number, digits: number) => middle(runs.map(readValue), digits)
      return {
        engine: engine.name,
        connections: count,
        perSecond: of(({ perSecond }) => perSecond, 0),
        p50: of(({ p50 }) => readMilliseconds(p50), 2),
        p99: of(({ p99 }) => readMilliseconds(p99), 2),
        gatewayMicros: of(({ gatewayMicros }) => gatewayMicros, 0),
        databaseMicros: of(({ databaseMicros }) => databaseMicros, 0),
      }
    }),
  )
  console.log(`nginx alone, one connection: p50 ${nginx.p50} ms, p99 ${nginx.p99} ms`)
  console.table(rows)
  recordResults('engines', { seconds, rounds, teams, nginx }, rows)
}

requirePrograms('nginx', 'wrk')
const folder = mkdtempSync(join(tmpdir(), 'fairgate-bench-'))
const stops: (() => void)[] = []
try {
  await run(folder, stops)
} finally {
  for (const stop of stops.reverse()) stop()
  rmSync(folder, { recursive: true, force: true })
}
