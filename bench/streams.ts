// `npm run bench:streams`: many streams at once, a fifth of whose clients leave midway, beside the same streams straight from the upstream.
//
// BENCH_STREAMS lists how many (1000,5000), BENCH_ARRIVALS_MS over what time they open (0,1000: all in one moment, and spread over a second).
import { percentile } from './lib/percentile.ts'
import { recordResults } from './lib/record-results.ts'
import { runFairgate } from './lib/run-fairgate.ts'
import { runSandbox } from './lib/run-sandbox.ts'

const counts = (process.env.BENCH_STREAMS ?? '1000,5000').split(',').map(Number)
const arrivals = (process.env.BENCH_ARRIVALS_MS ?? '0,1000').split(',').map(Number)
const chunks = 40
const chunkDelayMs = 25

type StreamResult = { readonly firstMs: number; readonly isWhole: boolean; readonly hasLeft: boolean }

/** Reads one stream to its end, or leaves after a third of it. */
async function readStream(url: string, init: RequestInit, leaves: boolean): Promise<StreamResult> {
  const started = performance.now()
  const leaving = new AbortController()
  const response = await fetch(url, { ...init, method: 'POST', signal: leaving.signal })
  if (response.status !== 200 || response.body === null) throw new Error(await response.text())
  const reader = response.body.getReader()
  let firstMs = 0
  let events = 0
  let tail = ''
  const decoder = new TextDecoder()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    const text = decoder.decode(value, { stream: true })
    if (firstMs === 0) firstMs = performance.now() - started
    events += text.split('data: ').length - 1
    tail = (tail + text).slice(-400)
    if (leaves && events > chunks / 3) {
      leaving.abort()
      return { firstMs, isWhole: false, hasLeft: true }
    }
  }
  return { firstMs, isWhole: tail.includes('[DONE]') || tail.includes('finishReason'), hasLeft: false }
}

/** Opens them evenly over `arrivalsMs`. */
async function readMany(
  count: number,
  arrivalsMs: number,
  open: (leaves: boolean) => Promise<StreamResult>,
): Promise<StreamResult[]> {
  const openLater = async (index: number) => {
    if (arrivalsMs > 0) await Bun.sleep((index * arrivalsMs) / count)
    return open(index % 5 === 0)
  }
  return Promise.all(Array.from({ length: count }, (_, index) => openLater(index)))
}

async function readJson(url: string): Promise<Record<string, number>> {
  return (await (await fetch(url)).json()) as Record<string, number>
}

const sandbox = runSandbox()
const fairgate = await runFairgate(sandbox.url, sandbox.key)
try {
  const switches = { chunks, chunkDelayMs, outputTokens: 4 * chunks }
  await fetch(`${sandbox.url}/sandbox/switches`, { method: 'POST', body: JSON.stringify(switches) })
  const direct = (leaves: boolean) =>
    readStream(
      `${sandbox.url}/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse`,
      {
        headers: { 'x-goog-api-key': sandbox.key, 'content-type': 'application/json' },
        body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }),
      },
      leaves,
    )
  const through = (leaves: boolean) =>
    readStream(
      `${fairgate.gatewayUrl}/v1/chat/completions`,
      {
        headers: { authorization: `Bearer ${fairgate.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'mm-2.5-flash',
          stream: true,
          messages: [{ role: 'user', content: 'Hello' }],
        }),
      },
      leaves,
    )
  for (let time = 0; time < 3; time += 1) await readMany(200, 200, through)
  const rows: object[] = []
  console.log(
    'streams  opened in ms  first token ms p50/p99: straight  through    whole  left  stopped  RSS MB',
  )
  for (const count of counts) {
    for (const arrivalsMs of arrivals) {
      const straight = (await readMany(count, arrivalsMs, direct)).map(result => result.firstMs)
      await Bun.sleep(1000)
      const before = await readJson(`${sandbox.url}/sandbox/counters`)
      let residentBytes = 0
      const watch = setInterval(() => {
        void fairgate.residentMemory().then(bytes => {
          residentBytes = Math.max(residentBytes, bytes)
        })
      }, 200)
      const results = await readMany(count, arrivalsMs, through)
      await Bun.sleep(1000)
      clearInterval(watch)
      const after = await readJson(`${sandbox.url}/sandbox/counters`)
      const firsts = results.map(result => result.firstMs)
      const whole = results.filter(result => result.isWhole).length
      const left = results.filter(result => result.hasLeft).length
      const stopped = (after.aborted ?? 0) - (before.aborted ?? 0)
      const show = (values: readonly number[]) =>
        `${percentile(values, 0.5).toFixed(0)}/${percentile(values, 0.99).toFixed(0)}`
      console.log(
        `${String(count).padStart(7)}  ${String(arrivalsMs).padStart(12)}  ${show(straight).padStart(32)}  ${show(firsts).padStart(9)}  ${String(whole).padStart(5)}  ${String(left).padStart(4)}  ${String(stopped).padStart(7)}  ${(residentBytes / 1e6).toFixed(0)}`,
      )
      if (whole + left !== count || after.running !== 0)
        throw new Error('Streams are missing or still run upstream.')
      const addedMs = (share: number) => Math.round(percentile(firsts, share) - percentile(straight, share))
      rows.push({
        streams: count,
        arrivalsMs,
        whole,
        left,
        stopped,
        addedToFirstTokenMs: { p50: addedMs(0.5), p99: addedMs(0.99) },
        residentMegabytes: Math.round(residentBytes / 1e6),
      })
    }
  }
  recordResults('streams', { chunks, chunkDelayMs }, rows)
} finally {
  await fairgate.stop()
  sandbox.stop()
}
