// `npm run bench:soak`: ten minutes of mixed load at a steady pace, and how the resident memory moves.
//
// BENCH_SECONDS sets how long (600). The slope is taken over the second half, when caches and compiled code have settled.
import { recordResults } from './lib/record-results.ts'
import { runFairgate } from './lib/run-fairgate.ts'
import { runSandbox } from './lib/run-sandbox.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 600)
const callsPerTick = 20
const tickMs = 50

const sandbox = runSandbox()
const fairgate = await runFairgate(sandbox.url, sandbox.key)

type Count = { answered: number; failed: number }
const counts: Count = { answered: 0, failed: 0 }

const post = async (url: string, secret: string, body: object, leaves = false) => {
  const leaving = new AbortController()
  try {
    const reply = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: leaving.signal,
    })
    if (leaves) leaving.abort()
    else await reply.text()
    if (reply.ok) counts.answered += 1
    else counts.failed += 1
  } catch (error) {
    if (!leaving.signal.aborted) counts.failed += 1
    if (!(error instanceof Error)) throw error
  }
}

/** Of ten: seven whole calls, one stream, one stream whose client leaves, one request of twenty log entries. */
const act = (index: number): Promise<void> => {
  const kind = index % 10
  const chat = { model: 'mm-2.5-flash', messages: [{ role: 'user', content: `Question ${index}` }] }
  const chatUrl = `${fairgate.gatewayUrl}/v1/chat/completions`
  if (kind < 7) return post(chatUrl, fairgate.key, chat)
  if (kind < 9) return post(chatUrl, fairgate.key, { ...chat, stream: true }, kind === 8)
  const entries = Array.from({ length: 20 }, (_, entry) => ({
    ts: new Date().toISOString(),
    tool: 'codex',
    event: 'Stop',
    session_id: 's',
    repo: 'r',
    branch: 'b',
    commit: 'c',
    student: 'x',
    prompt: `${index} ${entry}`,
  }))
  return post(`${fairgate.logbookUrl}/api/ingest`, fairgate.token, { entries })
}

/** Least squares, in the unit of `values` per minute. */
function slopePerMinute(samples: readonly { readonly minute: number; readonly value: number }[]): number {
  const mean = (read: (sample: { minute: number; value: number }) => number) =>
    samples.reduce((sum, sample) => sum + read(sample), 0) / samples.length
  const minute = mean(sample => sample.minute)
  const value = mean(sample => sample.value)
  const over = samples.reduce((sum, sample) => sum + (sample.minute - minute) * (sample.value - value), 0)
  return over / samples.reduce((sum, sample) => sum + (sample.minute - minute) ** 2, 0)
}

try {
  const samples: { minute: number; value: number }[] = []
  const began = performance.now()
  let next = 0
  let sampledAt = 0
  const running = new Set<Promise<void>>()
  while (performance.now() - began < seconds * 1000) {
    for (let call = 0; call < callsPerTick; call += 1) {
      const action = act(next)
      next += 1
      running.add(action)
      void action.finally(() => running.delete(action))
    }
    await Bun.sleep(tickMs)
    const elapsed = (performance.now() - began) / 1000
    if (elapsed - sampledAt >= 5) {
      sampledAt = elapsed
      const value = (await fairgate.residentMemory()) / 1e6
      samples.push({ minute: elapsed / 60, value })
      if (samples.length % 12 === 0)
        console.log(
          `${elapsed.toFixed(0)} s: ${value.toFixed(0)} MB, ${counts.answered} answered, ${counts.failed} failed`,
        )
    }
  }
  await Promise.all(running)
  const settled = samples.slice(samples.length >> 1)
  const slope = slopePerMinute(settled)
  const first = samples[0]?.value ?? 0
  const last = samples.at(-1)?.value ?? 0
  console.log(
    `${counts.answered} answered, ${counts.failed} failed in ${seconds} s; ${first.toFixed(0)} → ${last.toFixed(0)} MB, ${slope.toFixed(2)} MB a minute in the second half`,
  )
  recordResults('soak', { seconds, perSecond: (callsPerTick * 1000) / tickMs }, [
    { ...counts, firstMegabytes: Math.round(first), lastMegabytes: Math.round(last), slopePerMinute: slope },
  ])
  if (counts.failed > 0) throw new Error('Calls failed.')
} finally {
  await fairgate.stop()
  sandbox.stop()
}
