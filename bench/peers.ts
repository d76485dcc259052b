// `npm run bench:peers`: compares Fairgate with other gateways, each with its own governance enabled, and tests how well that governance works.
//
// Installs the peers from package registries into bench/.cache (the first time takes ten minutes or more), tests what each promises, then
// puts the same load on one after the other, round by round. BENCH_PEERS=hardcap,fairgate selects some; BENCH_CONNECTIONS (64,1),
// BENCH_SECONDS (4) and BENCH_ROUNDS (3) change the load. Needs Linux, nginx and wrk, and for the peers that use them redis-server,
// PostgreSQL, Python 3.11 with venv, and cargo (Debian: apt-get install nginx-light wrk redis-server postgresql python3-venv).
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { percentile } from './lib/percentile.ts'
import { recordResults } from './lib/record-results.ts'
import { runScriptedUpstream } from './lib/run-nginx.ts'
import { readMilliseconds, requirePrograms, runWrk, writeLoadScript } from './lib/run-wrk.ts'
import { absentPeers } from './peers/absent.ts'
import { fairgatePostgres, fairgateSqlite } from './peers/fairgate.ts'
import { bare, lean, nginx, noveum } from './peers/floors.ts'
import { hardcap } from './peers/hardcap.ts'
import { inferrail } from './peers/inferrail.ts'
import { litellm, litellmPostgres } from './peers/litellm.ts'
import { mlflow } from './peers/mlflow.ts'
import type { Peer } from './peers/peer.ts'
import { openPlace } from './peers/place.ts'
import { portkey } from './peers/portkey.ts'
import { stopAll } from './peers/stops.ts'
import { checkAnswer, type Findings, tryPromises } from './peers/try-promises.ts'

console.log(`Compares 1 kB chat calls through gateways with their governance on, to the same upstream, in turns:
the cost of a call, and whether budgets hold in a race and charges survive a crash.
`)

const seconds = Number(process.env.BENCH_SECONDS ?? 4)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const connections = (process.env.BENCH_CONNECTIONS ?? '64,1').split(',').map(Number)
const bodyBytes = 1000
const warmUpCalls = 30_000
const maxWarmUpMs = 10_000
/** Max duration of the load on a slow peer. */
const maxSeconds = 20

const allPeers: readonly Peer[] = [
  nginx,
  noveum,
  bare,
  lean,
  fairgateSqlite,
  fairgatePostgres,
  hardcap,
  inferrail,
  litellm,
  litellmPostgres,
  mlflow,
  portkey,
]
const cache = fileURLToPath(new URL('.cache', import.meta.url))

type Load = {
  readonly perSecond: number
  readonly micros: number
  readonly p50: number
  readonly p99: number
}

/** A peer's findings and its loads by number of connections, or why there are none. */
type Report = {
  readonly peer: Peer
  readonly loads: Map<number, Load[]>
  findings: Findings | null
  reason: string | null
}

const folderOf = (peer: Peer) => join(cache, peer.folder ?? peer.id)
const step = (peer: Peer, text: string) => console.log(`${peer.title}: ${text}`)

async function attempt(report: Report, action: () => Promise<void>): Promise<void> {
  if (report.reason !== null) return
  try {
    await action()
  } catch (error) {
    report.reason = error instanceof Error ? error.message : String(error)
    step(report.peer, report.reason)
  }
}

async function measure({ peer, loads }: Report, folder: string, upstreamUrl: string): Promise<void> {
  const place = openPlace(folderOf(peer), upstreamUrl)
  try {
    const { client } = await peer.start(place)
    await checkAnswer(client)
    const script = writeLoadScript(folder, peer.id, client.headers, client.model, bodyBytes)
    const target = { name: peer.title, url: client.url, script }
    const warmUntil = performance.now() + maxWarmUpMs
    let pace = 0
    for (let calls = 0; calls < warmUpCalls && performance.now() < warmUntil; ) {
      const { requests, perSecond } = await runWrk(target, 64, 2)
      calls += requests
      pace = perSecond
    }
    // Calls still running at the end have used processor time but are not counted. With this many counted calls, that is a tenth at most.
    const enough = Math.max(seconds, Math.min(maxSeconds, Math.ceil((10 * 64) / Math.max(pace, 1))))
    for (const count of connections) {
      const before = place.readMicros()
      const { requests, perSecond, p50, p99, failed } = await runWrk(target, count, enough)
      const micros = place.readMicros() - before
      if (failed > 0 || requests === 0) throw new Error(`${failed} of ${requests} calls failed in the load`)
      loads.get(count)?.push({
        perSecond,
        micros: micros / requests,
        p50: readMilliseconds(p50),
        p99: readMilliseconds(p99),
      })
    }
  } finally {
    await place.close()
  }
}

function describeRace({ race }: Findings): string {
  if (race === null) return 'no such feature'
  if (race.atOnce === race.inTheEnd) return `${race.atOnce} for 57`
  return `${race.atOnce} for 57, then ${race.inTheEnd}`
}

function describeCrashes({ crashes }: Findings): string {
  if (crashes.length === 0) return 'no such feature'
  return crashes
    .map(({ killed, answered, charged }) => `${charged} of ${answered} (${killed} killed)`)
    .join(', ')
}

function describeLog({ log }: Peer, { crashes }: Findings): string {
  const [first] = crashes
  return first === undefined || first.onRecord === null
    ? log
    : `${log}: ${first.onRecord} of ${first.answered}`
}

const round = (value: number, digits = 0) => Number(value.toFixed(digits))

function summarise({ peer, findings, loads, reason }: Report) {
  const { id, title, version, setup } = peer
  if (reason !== null || findings === null) return { id, title, version, setup, reason }
  const figures = [...loads].map(([count, runs]) => {
    const of = (read: (load: Load) => number, digits: number) =>
      round(percentile(runs.map(read), 0.5), digits)
    return {
      connections: count,
      perSecond: of(({ perSecond }) => perSecond, 0),
      micros: of(({ micros }) => micros, 0),
      p50: of(({ p50 }) => p50, 2),
      p99: of(({ p99 }) => p99, 2),
    }
  })
  return {
    id,
    title,
    version,
    setup,
    loads: figures,
    keys: findings.keys ? `checked: ${peer.keys}` : peer.keys,
    budgets: peer.budgets,
    exact: describeRace(findings),
    durable: describeCrashes(findings),
    log: describeLog(peer, findings),
    findings,
  }
}

type Row = ReturnType<typeof summarise>

function print(rows: readonly Row[]): void {
  console.log(`
calls/s: calls per second. µs: processor time per call, over all processes of the peer, including its Redis and PostgreSQL.
`)
  console.log('connections  peer                      calls/s       µs   p50 ms   p99 ms')
  for (const count of connections)
    for (const row of rows) {
      const load = 'loads' in row ? row.loads?.find(each => each.connections === count) : undefined
      if (load === undefined) continue
      const figures = [
        String(load.perSecond).padStart(7),
        String(load.micros).padStart(7),
        load.p50.toFixed(2).padStart(7),
        load.p99.toFixed(2).padStart(7),
      ]
      console.log(`${String(count).padStart(11)}  ${row.title.padEnd(24)}  ${figures.join('  ')}`)
    }
  for (const row of rows) {
    console.log(`\n${row.title} (${row.version})`)
    if (!('loads' in row)) {
      console.log(`  not measured: ${row.reason}`)
      continue
    }
    console.log(`  setup: ${row.setup}`)
    console.log(`  keys: ${row.keys}`)
    console.log(`  budgets: ${row.budgets}`)
    console.log(`  race of 200 calls with a budget for 57: ${row.exact}`)
    console.log(`  charged after kill -9: ${row.durable}`)
    console.log(`  log: ${row.log}`)
  }
  for (const { title, version, reason } of absentPeers)
    console.log(`\n${title} (${version})\n  not measured: ${reason}`)
}

/** Replaces the rows of these peers in the record, and keeps the rows of others from earlier runs. */
function record(reports: readonly Report[], measured: object): void {
  const path = fileURLToPath(new URL('results/peers.json', import.meta.url))
  const rows = new Map<string, object>()
  if (existsSync(path)) {
    const earlier = JSON.parse(readFileSync(path, 'utf8')) as { rows: { title: string }[] }
    for (const row of earlier.rows) rows.set(row.title, row)
  }
  for (const report of reports) rows.set(report.peer.title, { ...summarise(report), measured })
  const ordered = allPeers.flatMap(({ title }) => rows.get(title) ?? [])
  recordResults('peers', { bodyBytes, warmUpCalls }, [...ordered, ...absentPeers])
}

async function run(chosen: readonly Peer[], folder: string): Promise<void> {
  const [loadAtStart] = loadavg()
  mkdirSync(cache, { recursive: true })
  const reports: Report[] = chosen.map(peer => ({
    peer,
    loads: new Map(connections.map(count => [count, []])),
    findings: null,
    reason: null,
  }))
  for (const report of reports)
    await attempt(report, async () => await report.peer.install(folderOf(report.peer)))
  for (const report of reports)
    await attempt(report, async () => {
      step(report.peer, 'testing its promises')
      report.findings = await tryPromises(report.peer, folderOf(report.peer))
    })
  const upstream = await runScriptedUpstream(folder)
  try {
    for (let time = 1; time <= rounds; time += 1) {
      for (const report of reports)
        await attempt(report, async () => {
          await measure(report, folder, upstream.url)
          step(report.peer, `round ${time} of ${rounds}`)
        })
      // Recorded after each round, because a run of all peers is long.
      record(reports, { date: new Date().toISOString().slice(0, 10), seconds, rounds: time, loadAtStart })
    }
  } finally {
    upstream.stop()
  }
  print(reports.map(summarise))
}

requirePrograms('nginx', 'wrk')
const asked = process.env.BENCH_PEERS?.split(',')
const unknown = asked?.find(id => !allPeers.some(peer => peer.id === id))
if (unknown !== undefined) {
  console.error(`Unknown peer "${unknown}". Choose from ${allPeers.map(({ id }) => id).join(', ')}.`)
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'fairgate-bench-'))
const end = async () => {
  await stopAll()
  rmSync(folder, { recursive: true, force: true })
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void end().then(() => process.exit(130)))
try {
  await run(asked === undefined ? allPeers : allPeers.filter(({ id }) => asked.includes(id)), folder)
} finally {
  await end()
}
