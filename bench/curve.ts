// `npm run bench:curve`: measures how the cost of a chat call grows with the calling teams, the recorded calls and the processes on one PostgreSQL.
//
// Each point changes one thing from the base: 60 teams, no recorded calls, one process. BENCH_POINTS=base,teams lists parts of point names
// and replaces their rows in the record; BENCH_SECONDS (5) and BENCH_ROUNDS (3) change the load. A point's calls are sent over 64 connections
// and then over one. CPU covers all gateway processes and all of PostgreSQL, which waits for its disk as in production. Filling ten million
// calls takes a quarter of an hour and 20 GB for each engine. Needs Linux, nginx, wrk and PostgreSQL
// (Debian: apt-get install nginx-light wrk postgresql).
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../scripts/testing/start-postgres.ts'
import { makeBigEvent } from './lib/make-big-event.ts'
import { percentile } from './lib/percentile.ts'
import { findPostgres, readTreeMicros } from './lib/process-times.ts'
import { recordResults } from './lib/record-results.ts'
import { runFairgate } from './lib/run-fairgate.ts'
import { runScriptedUpstream } from './lib/run-nginx.ts'
import { readMilliseconds, requirePrograms, runWrk, writeLoadScript } from './lib/run-wrk.ts'

console.log(`Compares the cost and duration of a 1 kB chat call over numbers of teams, recorded calls and processes,
on both engines.
`)

const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const wanted = (process.env.BENCH_POINTS ?? '').split(',')
const connections = [64, 1]
const warmUpCalls = 30_000
const upstreamKey = 'bench-key'

type Point = {
  readonly name: string
  readonly engine: 'SQLite' | 'PostgreSQL'
  readonly teams: number
  /** Recorded calls before the first. */
  readonly records: number
  readonly processes: number
}

function listPoints(): Point[] {
  const base = { teams: 60, records: 0, processes: 1 }
  const points = (['SQLite', 'PostgreSQL'] as const).flatMap(engine => [
    { name: `${engine}: base`, engine, ...base },
    ...[1, 1000].map(teams => ({ name: `${engine}: teams ${teams}`, engine, ...base, teams })),
    ...[1_000_000, 10_000_000].map(records => ({
      name: `${engine}: records ${records / 1_000_000} M`,
      engine,
      ...base,
      records,
    })),
  ])
  const shared = [2, 4].map(processes => ({
    name: `PostgreSQL: processes ${processes}`,
    engine: 'PostgreSQL' as const,
    ...base,
    processes,
  }))
  return [...points, ...shared]
}

type Run = {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly gatewayMicros: number
  readonly databaseMicros: number
  readonly walBytes: number
}

/** `date`: when it was measured. */
type Row = Point & Run & { readonly date: string; readonly connections: number }

async function measurePoint(point: Point, folder: string, upstreamUrl: string): Promise<Map<number, Run[]>> {
  const postgres =
    point.engine === 'PostgreSQL' ? startPostgres({ shared_buffers: '2GB', max_wal_size: '8GB' }) : null
  if (point.engine === 'PostgreSQL' && postgres === null) throw new Error('PostgreSQL is not installed.')
  const data = join(folder, point.name.replaceAll(/\W+/g, '-'))
  const variables = {
    FAIRGATE_DATA_DIR: data,
    ...(postgres === null ? {} : { DATABASE_URL: postgres.url }),
  }
  const flags = point.processes === 1 ? [] : ['--processes', String(point.processes)]
  const start = (makesTeam: boolean) =>
    runFairgate(upstreamUrl, upstreamKey, variables, undefined, makesTeam ? [] : flags, makesTeam)
  try {
    const began = performance.now()
    const { teams } = await makeBigEvent(() => start(true), data, postgres?.url, {
      teams: point.teams,
      calls: point.records,
      entries: point.records / 20,
    })
    const filledSeconds = (performance.now() - began) / 1000
    const fairgate = await start(false)
    try {
      const headers = { Authorization: teams.map(({ key }) => `Bearer ${key}`) }
      const script = writeLoadScript(folder, 'curve', headers, 'mm-2.5-flash', 1000)
      const target = { name: point.name, url: `${fairgate.gatewayUrl}/v1/chat/completions`, script }
      for (let calls = 0; calls < warmUpCalls; ) calls += (await runWrk(target, 64, 2)).requests
      const databaseId = postgres === null ? null : findPostgres(postgres.url)
      const read = async () => ({
        gateway: readTreeMicros(fairgate.pid),
        database: databaseId === null ? 0 : readTreeMicros(databaseId),
        wal: postgres === null ? 0 : await readWalBytes(postgres.url),
      })
      const runs = new Map<number, Run[]>(connections.map(count => [count, []]))
      for (let round = 0; round < rounds; round += 1) {
        for (const count of connections) {
          const before = await read()
          const { requests, perSecond, p50, p99, failed } = await runWrk(target, count, seconds)
          const after = await read()
          if (failed > 0 || requests === 0)
            throw new Error(`${point.name}: ${failed} of ${requests} calls failed.`)
          runs.get(count)?.push({
            perSecond,
            p50: readMilliseconds(p50),
            p99: readMilliseconds(p99),
            gatewayMicros: (after.gateway - before.gateway) / requests,
            databaseMicros: (after.database - before.database) / requests,
            walBytes: (after.wal - before.wal) / requests,
          })
        }
      }
      console.log(`${point.name}: filled in ${filledSeconds.toFixed(0)} s, measured`)
      return runs
    } finally {
      await fairgate.stop()
    }
  } finally {
    postgres?.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

async function readWalBytes(url: string): Promise<number> {
  const database = new Bun.SQL(url, { max: 1 })
  const [row] = await database.unsafe('select wal_bytes::float8 as bytes from pg_stat_wal')
  await database.close()
  return Number(row?.bytes)
}

async function run(folder: string, stops: (() => void)[]): Promise<void> {
  const upstream = await runScriptedUpstream(folder)
  stops.push(upstream.stop)
  const load = loadavg()[0] ?? 0
  const points = listPoints()
  const chosen = points.filter(({ name }) => wanted.some(part => name.includes(part)))
  const rows: Row[] = []
  for (const point of chosen) {
    for (const [count, runs] of await measurePoint(point, folder, upstream.url)) {
      const middle = (value: (figures: Run) => number, digits: number) =>
        Number(percentile(runs.map(value), 0.5).toFixed(digits))
      rows.push({
        ...point,
        date: new Date().toISOString().slice(0, 10),
        connections: count,
        perSecond: middle(({ perSecond }) => perSecond, 0),
        p50: middle(({ p50 }) => p50, 2),
        p99: middle(({ p99 }) => p99, 2),
        gatewayMicros: middle(({ gatewayMicros }) => gatewayMicros, 0),
        databaseMicros: middle(({ databaseMicros }) => databaseMicros, 0),
        walBytes: middle(({ walBytes }) => walBytes, 0),
      })
    }
  }
  console.table(rows)
  const others = readRecorded().filter(({ name }) => !chosen.some(point => point.name === name))
  const places = points.map(({ name }) => name)
  const all = [...others, ...rows].sort(
    (left, right) => places.indexOf(left.name) - places.indexOf(right.name),
  )
  recordResults('curve', { seconds, rounds, loadBefore: Number(load.toFixed(2)) }, all)
}

function readRecorded(): readonly Row[] {
  const path = fileURLToPath(new URL('results/curve.json', import.meta.url))
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as { rows: Row[] }).rows : []
}

requirePrograms('nginx', 'wrk')
const folder = mkdtempSync(join(tmpdir(), 'fairgate-curve-'))
const stops: (() => void)[] = []
try {
  await run(folder, stops)
} finally {
  for (const stop of stops.reverse()) stop()
  rmSync(folder, { recursive: true, force: true })
}
