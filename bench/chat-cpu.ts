// `npm run bench:cpu`: measures the CPU time of a 1 kB chat call by thread, in turns with two programs that do less.
//
// bare.ts parses, fetches and answers; lean.ts adds the duties of a gateway, without a structure. A busy machine changes how long a
// call takes far more than how much CPU it uses, so this is measured in addition to `npm run bench`.
// BENCH_CONNECTIONS (64,1), BENCH_SECONDS (4) and BENCH_ROUNDS (5) change the load; BENCH_OTHER is the folder of another checkout of
// Fairgate that is measured in the same turns. Needs Linux, nginx and wrk (Debian: apt-get install nginx-light wrk).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { percentile } from './lib/percentile.ts'
import { recordResults } from './lib/record-results.ts'
import { findFreePorts, runFairgate, waitFor } from './lib/run-fairgate.ts'
import { runScriptedUpstream } from './lib/run-nginx.ts'
import { requirePrograms, runWrk, type Target, writeLoadScript } from './lib/run-wrk.ts'
import { readThreadTimes, subtractThreadTimes } from './lib/thread-times.ts'

console.log(`Compares the CPU time of a chat call in Fairgate with two small programs that do less.
On a busy machine CPU time varies less than speed.
`)

const seconds = Number(process.env.BENCH_SECONDS ?? 4)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const connections = (process.env.BENCH_CONNECTIONS ?? '64,1').split(',').map(Number)
const otherRoot = process.env.BENCH_OTHER
const bodyBytes = 1000
const benchKey = 'bench-key'
const warmUpCalls = 50_000
const longestWarmUpMs = 60_000

/** Max cost of Fairgate, as a multiple of bare.ts at 64 connections. */
const bars = { serving: 2.0, all: 2.2 }

type Program = Target & { readonly pid: number; readonly stop: () => Promise<void> }

/** Microseconds per call. */
type Round = {
  readonly perSecond: number
  readonly serving: number
  readonly all: number
  readonly byName: ReadonlyMap<string, number>
}

async function runScript(name: string, folder: string, upstreamUrl: string): Promise<Program> {
  const [port] = findFreePorts(1)
  const file = fileURLToPath(new URL(`lib/${name}.ts`, import.meta.url))
  const child = Bun.spawn([process.execPath, file, String(port), upstreamUrl, folder, benchKey], {
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' },
    stdout: 'ignore',
    stderr: 'inherit',
  })
  const url = `http://127.0.0.1:${port}`
  await waitFor(url)
  const script = writeLoadScript(
    folder,
    name,
    { Authorization: `Bearer ${benchKey}` },
    'mm-2.5-flash',
    bodyBytes,
  )
  const stop = async () => {
    child.kill()
    await child.exited
  }
  return { name, url, script, pid: child.pid, stop }
}

async function runBuild(name: string, folder: string, upstreamUrl: string, root?: string): Promise<Program> {
  const { gatewayUrl, key, pid, stop } = await runFairgate(upstreamUrl, benchKey, {}, root)
  const script = writeLoadScript(folder, name, { Authorization: `Bearer ${key}` }, 'mm-2.5-flash', bodyBytes)
  return { name, url: `${gatewayUrl}/v1/chat/completions`, script, pid, stop }
}

async function measure(program: Program, count: number): Promise<Round> {
  const before = readThreadTimes(program.pid)
  const { requests, perSecond, failed } = await runWrk(program, count, seconds)
  const after = readThreadTimes(program.pid)
  if (failed > 0 || requests === 0) throw new Error(`${program.name}: ${failed} of ${requests} calls failed.`)
  const { serving, all, byName } = subtractThreadTimes(program.pid, before, after)
  const perCall = (nanoseconds: number) => nanoseconds / 1000 / requests
  return {
    perSecond,
    serving: perCall(serving),
    all: perCall(all),
    byName: new Map([...byName].map(([name, spent]) => [name, perCall(spent)])),
  }
}

/** Warms up, since an event runs compiled code: Fairgate's compiler threads took 100 µs per call in the first 12,000 calls, later 3. */
async function warmUp(program: Program): Promise<void> {
  const giveUpAt = performance.now() + longestWarmUpMs
  for (let calls = 0; calls < warmUpCalls && performance.now() < giveUpAt; )
    calls += (await runWrk(program, 64, 2)).requests
}

type Spread = { readonly median: number; readonly least: number; readonly most: number }

const round = (value: number, digits = 1) => Number(value.toFixed(digits))

function spreadOf(values: readonly number[], digits = 1): Spread {
  return {
    median: round(percentile(values, 0.5), digits),
    least: round(Math.min(...values), digits),
    most: round(Math.max(...values), digits),
  }
}

/** Computes ratios round by round, so that both sides were measured within the same seconds. */
function summarise(name: string, count: number, own: readonly Round[], bare: readonly Round[]) {
  const ratio = (read: (figures: Round) => number) =>
    spreadOf(
      own.map((figures, index) => read(figures) / read(bare[index] ?? figures)),
      2,
    )
  const names = new Set(own.flatMap(({ byName }) => [...byName.keys()]))
  const threads = [...names]
    .map(thread => ({
      thread,
      microseconds: spreadOf(
        own.map(({ byName }) => byName.get(thread) ?? 0),
        2,
      ).median,
    }))
    .filter(({ microseconds }) => microseconds >= 0.05)
    .sort((left, right) => right.microseconds - left.microseconds)
  return {
    program: name,
    connections: count,
    perSecond: Math.round(
      percentile(
        own.map(figures => figures.perSecond),
        0.5,
      ),
    ),
    servingMicroseconds: spreadOf(own.map(({ serving }) => serving)),
    allMicroseconds: spreadOf(own.map(({ all }) => all)),
    servingOfBare: ratio(({ serving }) => serving),
    allOfBare: ratio(({ all }) => all),
    threads,
  }
}

type Row = ReturnType<typeof summarise>

function print(row: Row): void {
  const show = ({ median, least, most }: Spread, width: number, digits: number) =>
    `${median.toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`.padStart(width)
  console.log(
    `${String(row.connections).padStart(11)}  ${row.program.padEnd(9)} ${String(row.perSecond).padStart(7)}  ${show(row.servingMicroseconds, 21, 1)}  ${show(row.allMicroseconds, 22, 1)}  ${show(row.servingOfBare, 17, 2)}  ${show(row.allOfBare, 17, 2)}`,
  )
}

async function run(folder: string, programs: Program[]): Promise<void> {
  const upstream = await runScriptedUpstream(folder)
  programs.push({ name: 'upstream', url: '', script: '', pid: 0, stop: async () => upstream.stop() })
  const bare = await runScript('bare', folder, upstream.url)
  programs.push(bare)
  const measured = [bare]
  const add = (program: Program) => {
    programs.push(program)
    measured.push(program)
  }
  add(await runScript('lean', folder, upstream.url))
  add(await runBuild('fairgate', folder, upstream.url))
  if (otherRoot !== undefined) add(await runBuild('other', folder, upstream.url, otherRoot))

  for (const program of measured) await warmUp(program)
  console.log('CPU time of a chat call in µs, median (min–max) of the rounds; ratios are to bare.ts')
  console.log(
    'connections  program   calls/s         serving thread             all threads     serving ratio          all ratio',
  )
  const rows: Row[] = []
  for (const count of connections) {
    const seen = new Map<Program, Round[]>(measured.map(program => [program, []]))
    for (let time = 0; time < rounds; time += 1)
      for (const program of measured) seen.get(program)?.push(await measure(program, count))
    for (const [program, figures] of seen) {
      const row = summarise(program.name, count, figures, seen.get(bare) ?? figures)
      print(row)
      rows.push(row)
    }
  }
  for (const { program, connections: count, threads } of rows) {
    const list = threads.map(({ thread, microseconds }) => `${thread} ${microseconds.toFixed(1)}`)
    console.log(`threads of ${program} at ${count}: ${list.join(', ')}`)
  }
  const ours = rows.find(row => row.program === 'fairgate' && row.connections === 64)
  if (ours !== undefined) {
    const { servingOfBare: serving, allOfBare: all } = ours
    const judge = (value: number, bar: number) =>
      `${value.toFixed(2)} of ${bar.toFixed(1)} (${value <= bar ? 'met' : 'missed'})`
    console.log(
      `limits at 64 connections: serving thread ${judge(serving.median, bars.serving)}, all threads ${judge(all.median, bars.all)}`,
    )
  }
  recordResults('chat-cpu', { seconds, rounds, bodyBytes, bars }, rows)
}

requirePrograms('nginx', 'wrk')
const folder = mkdtempSync(join(tmpdir(), 'fairgate-bench-'))
const programs: Program[] = []
try {
  await run(folder, programs)
} finally {
  for (const { stop } of programs.reverse()) await stop()
  await Bun.sleep(300)
  rmSync(folder, { recursive: true, force: true })
}
