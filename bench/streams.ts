// `npm run bench:streams`: runs many streams at once, a fifth of them with clients that leave midway, next to the same streams from the upstream
// and through a bare relay, which translates each event and does nothing else.
//
// The first event of each stream carries the times when its request reached the upstream and when the event left it. The delay is the time on
// both ways, there and back. It is measured within that one stream, so that nothing is subtracted across streams.
// BENCH_STREAMS lists how many (1000,5000), BENCH_ARRIVALS_MS over what time they open (0,1000: all in one moment, and spread over a
// second), BENCH_ROUNDS how often (3); BENCH_OTHER is the folder of another checkout of Fairgate that is measured in the same turns.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openStream, type StreamRequest, type StreamResult } from './lib/open-stream.ts'
import { percentile } from './lib/percentile.ts'
import { recordResults } from './lib/record-results.ts'
import { type BenchFairgate, findFreePorts, runFairgate, waitFor } from './lib/run-fairgate.ts'
import { readThreadTimes, subtractThreadTimes } from './lib/thread-times.ts'

console.log(`Compares many open streams through Fairgate with the same streams straight from the upstream and through a bare relay, to
see how much later tokens arrive, how much memory streams use, how much CPU time an event costs (including its share of the call),
and whether calls stop when their clients leave.
`)

const counts = (process.env.BENCH_STREAMS ?? '1000,5000').split(',').map(Number)
const arrivals = (process.env.BENCH_ARRIVALS_MS ?? '0,1000').split(',').map(Number)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const otherRoot = process.env.BENCH_OTHER
const events = 40
const eventDelayMs = 25

/** For 1,000 streams that open over a second. */
const bars = { residentMegabytes: 200, delayP99Ms: 60, eventTimesRelay: 2 }

/** `pid` is null for the upstream itself: its memory is not measured. */
type Program = {
  readonly name: string
  readonly pid: number | null
  readonly build: (question: string) => StreamRequest
}

/** Opens them evenly over `arrivalsMs`. Every fifth asks for a long answer, which ends in time only if the client leaves. */
function readMany({ build }: Program, count: number, arrivalsMs: number): Promise<StreamResult[]> {
  const staying = build('Hello')
  const leaving = build('Hello, I want a long answer.')
  const openLater = async (index: number) => {
    if (arrivalsMs > 0) await Bun.sleep((index * arrivalsMs) / count)
    return index % 5 === 0 ? openStream(leaving, events / 3) : openStream(staying, null)
  }
  return Promise.all(Array.from({ length: count }, (_, index) => openLater(index)))
}

/** Resets the peak that Linux keeps for each process to the current resident size (proc(5), clear_refs). */
function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

function readPeakMegabytes(pid: number): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return (Number(kibibytes) * 1024) / 1e6
}

type Counters = { readonly left: number; readonly running: number }

async function readCounters(url: string): Promise<Counters> {
  return (await (await fetch(`${url}/counters`)).json()) as Counters
}

/** Returns the counters once no stream runs upstream; throws if one is still running 5 s after the last client left. */
async function waitForQuiet(url: string): Promise<Counters> {
  const giveUpAt = performance.now() + 5000
  for (;;) {
    const counters = await readCounters(url)
    if (counters.running === 0) return counters
    if (performance.now() > giveUpAt) throw new Error(`${counters.running} streams still run upstream.`)
    await Bun.sleep(20)
  }
}

type Seen = {
  readonly results: StreamResult[]
  /** The delay's p99 in each round. */
  readonly p99s: number[]
  stopped: number
  peakMegabytes: number
  /** CPU time of the serving thread and of all threads. */
  servingNs: number
  allNs: number
}

const delayOf = ({ wayThereMs, wayBackMs }: StreamResult) => wayThereMs + wayBackMs

async function measureRound(program: Program, upstreamUrl: string, seen: Seen, count: number, ms: number) {
  const before = await readCounters(upstreamUrl)
  const { pid } = program
  if (pid !== null) forgetPeak(pid)
  const threads = pid === null ? null : readThreadTimes(pid)
  const results = await readMany(program, count, ms)
  if (pid !== null) seen.peakMegabytes = Math.max(seen.peakMegabytes, readPeakMegabytes(pid))
  const after = await waitForQuiet(upstreamUrl)
  if (pid !== null && threads !== null) {
    const { serving, all } = subtractThreadTimes(pid, threads, readThreadTimes(pid))
    seen.servingNs += serving
    seen.allNs += all
  }
  seen.stopped += after.left - before.left
  seen.results.push(...results)
  seen.p99s.push(percentile(results.map(delayOf), 0.99))
}

const showMs = (value: number) => Number(value.toFixed(1))

function summarise(program: Program, count: number, arrivalsMs: number, seen: Seen) {
  const { results, p99s, stopped, peakMegabytes, servingNs, allNs } = seen
  const figures = (read: (result: StreamResult) => number) => {
    const values = results.map(read)
    return { p50: showMs(percentile(values, 0.5)), p99: showMs(percentile(values, 0.99)) }
  }
  const came = results.reduce((sum, { events: own }) => sum + own, 0)
  const perEvent = (nanoseconds: number) => (program.pid === null ? null : showMs(nanoseconds / 1000 / came))
  return {
    program: program.name,
    streams: count,
    arrivalsMs,
    whole: results.filter(({ isWhole }) => isWhole).length / rounds,
    left: results.filter(({ hasLeft }) => hasLeft).length / rounds,
    stopped: stopped / rounds,
    wayThereMs: figures(({ wayThereMs }) => wayThereMs),
    wayBackMs: figures(({ wayBackMs }) => wayBackMs),
    delayMs: figures(delayOf),
    p99OfRounds: { least: showMs(Math.min(...p99s)), most: showMs(Math.max(...p99s)) },
    peakResidentMegabytes: program.pid === null ? null : Math.round(peakMegabytes),
    microsecondsPerEvent: { serving: perEvent(servingNs), all: perEvent(allNs) },
  }
}

type Row = ReturnType<typeof summarise>

function showTimes({ serving, all }: Row['microsecondsPerEvent']): string {
  return serving === null || all === null ? '' : `${serving}/${all}`.padStart(22)
}

function print(row: Row): void {
  const show = ({ p50, p99 }: { p50: number; p99: number }, width: number) =>
    `${p50.toFixed(1)}/${p99.toFixed(1)}`.padStart(width)
  console.log(
    `${String(row.streams).padStart(7)}  ${String(row.arrivalsMs).padStart(12)}  ${row.program.padEnd(9)}  ${show(row.wayThereMs, 15)}  ${show(row.wayBackMs, 15)}  ${show(row.delayMs, 15)}  ${`${row.p99OfRounds.least}–${row.p99OfRounds.most}`.padStart(17)}  ${String(row.whole).padStart(5)}  ${String(row.left).padStart(4)}  ${String(row.stopped).padStart(7)}  ${String(row.peakResidentMegabytes ?? '').padStart(7)}  ${showTimes(row.microsecondsPerEvent)}`,
  )
}

/** The relay accepts any bearer. */
type Door = Pick<BenchFairgate, 'gatewayUrl' | 'key' | 'pid'>

function buildPrograms(upstreamPort: number, doors: readonly (readonly [string, Door])[]): Program[] {
  const path = '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse'
  const headers = { 'content-type': 'application/json' }
  const straight = (text: string) => ({
    port: upstreamPort,
    path,
    headers,
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text }] }] }),
  })
  const through = ({ gatewayUrl, key }: Door) => ({
    port: Number(new URL(gatewayUrl).port),
    path: '/v1/chat/completions',
    headers: { ...headers, authorization: `Bearer ${key}` },
  })
  return [
    { name: 'straight', pid: null, build: straight },
    ...doors.map(([name, door]) => ({
      name,
      pid: door.pid,
      build: (content: string) => ({
        ...through(door),
        body: JSON.stringify({ model: 'mm-2.5-flash', stream: true, messages: [{ role: 'user', content }] }),
      }),
    })),
  ]
}

async function runRelay(upstreamUrl: string): Promise<Door & { readonly stop: () => Promise<void> }> {
  const [port = 0] = findFreePorts(1)
  const file = fileURLToPath(new URL('lib/bare.ts', import.meta.url))
  const relay = Bun.spawn([process.execPath, file, String(port), upstreamUrl], {
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' },
    stdout: 'ignore',
    stderr: 'inherit',
  })
  const stop = async () => {
    relay.kill()
    await relay.exited
  }
  const gatewayUrl = `http://127.0.0.1:${port}`
  await waitFor(gatewayUrl)
  return { gatewayUrl, key: 'any', pid: relay.pid, stop }
}

async function run(upstreamUrl: string, upstreamPort: number, stops: (() => Promise<void>)[]) {
  const relay = await runRelay(upstreamUrl)
  stops.push(relay.stop)
  const doors: [string, Door][] = [['relay', relay]]
  for (const [name, root] of [['fairgate'], ...(otherRoot === undefined ? [] : [['other', otherRoot]])]) {
    const fairgate = await runFairgate(upstreamUrl, 'bench-key', {}, root)
    stops.push(fairgate.stop)
    doors.push([name ?? '', fairgate])
  }
  const programs = buildPrograms(upstreamPort, doors)
  for (const program of programs) for (let time = 0; time < 3; time += 1) await readMany(program, 200, 200)
  await waitForQuiet(upstreamUrl)
  const rows: Row[] = []
  console.log('First token of each stream: time to the upstream, time back, and both')
  console.log(
    'streams  opened in ms  program     there ms 50/99   back ms 50/99    both ms 50/99  p99 of each round  whole  left  stopped  peak MB  µs an event serving/all',
  )
  for (const count of counts) {
    for (const arrivalsMs of arrivals) {
      const seen = new Map<Program, Seen>(
        programs.map(program => [
          program,
          { results: [], p99s: [], stopped: 0, peakMegabytes: 0, servingNs: 0, allNs: 0 },
        ]),
      )
      for (let time = 0; time < rounds; time += 1)
        for (const [program, own] of seen) await measureRound(program, upstreamUrl, own, count, arrivalsMs)
      for (const [program, own] of seen) {
        const row = summarise(program, count, arrivalsMs, own)
        print(row)
        rows.push(row)
        if (row.whole + row.left !== count || row.stopped !== row.left)
          throw new Error('Streams are missing, or an upstream call outlived its client.')
      }
    }
  }
  recordResults('streams', { events, eventDelayMs, rounds, bars }, rows)
}

const [upstreamPort = 0] = findFreePorts(1)
const upstreamFile = fileURLToPath(new URL('lib/stream-upstream.ts', import.meta.url))
const upstream = Bun.spawn(
  [process.execPath, upstreamFile, String(upstreamPort), String(events), String(eventDelayMs)],
  { stdout: 'ignore', stderr: 'inherit' },
)
const stops: (() => Promise<void>)[] = []
try {
  const upstreamUrl = `http://127.0.0.1:${upstreamPort}`
  await waitFor(upstreamUrl)
  await run(upstreamUrl, upstreamPort, stops)
} finally {
  for (const stop of stops) await stop()
  upstream.kill()
}
