// `npm run bench:replies`: measures how much memory a provider can make Fairgate use, case by case, with endless and inflating replies.
//
// BENCH_SECONDS sets how long each case is watched (6). Every case has its own server, so that none hides another.
import { answerVideo } from '@fairgate/sandbox/hostile/endless-bodies.ts'
import {
  type Fault,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '@fairgate/sandbox/hostile/start-scripted-upstream.ts'
import { recordResults } from './lib/record-results.ts'
import { type BenchFairgate, runFairgate } from './lib/run-fairgate.ts'

console.log(`Connects a server to a model provider that never stops sending, case by case,
to see how much memory the server uses.
`)

const seconds = Number(process.env.BENCH_SECONDS ?? 6)
const only = process.env.BENCH_CASE
const pieceBytes = 256 * 1024

type Case = {
  readonly name: string
  readonly fault: (upstream: ScriptedUpstream) => Fault
  readonly call: (fairgate: BenchFairgate, signal: AbortSignal) => Promise<string>
}

const chat =
  (more: object = {}, headers: Readonly<Record<string, string>> = {}, readsReply = true) =>
  async (fairgate: BenchFairgate, signal: AbortSignal): Promise<string> => {
    const reply = await fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fairgate.key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({
        model: 'mm-2.5-flash',
        messages: [{ role: 'user', content: 'Hello' }],
        ...more,
      }),
      signal,
    })
    if (!readsReply) {
      const reader = reply.body?.getReader()
      await reader?.read()
      await new Promise(resolve => signal.addEventListener('abort', resolve))
      return `${reply.status}, unread`
    }
    for await (const _ of reply.body ?? []);
    return String(reply.status)
  }

const callVendor =
  (verb: string) =>
  async (fairgate: BenchFairgate, signal: AbortSignal): Promise<string> => {
    const reply = await fetch(`${fairgate.gatewayUrl}/vendor/v1beta/models/mm-2.5-flash:${verb}`, {
      method: 'POST',
      headers: { 'x-vendor-api-key': fairgate.key, 'content-type': 'application/json' },
      body: JSON.stringify({ contents: [{ parts: [{ text: 'Hello' }] }] }),
      signal,
    })
    for await (const _ of reply.body ?? []);
    return String(reply.status)
  }

const orderVideo = async (fairgate: BenchFairgate, signal: AbortSignal): Promise<string> => {
  const headers = { authorization: `Bearer ${fairgate.key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'video-3.1-lite-generate-001', prompt: 'Waves', seconds: '4' })
  const ordered = await fetch(`${fairgate.gatewayUrl}/v1/videos`, { method: 'POST', headers, body })
  const { id } = (await ordered.json()) as { id: string }
  while (!signal.aborted) await Bun.sleep(100)
  const shown = await fetch(`${fairgate.gatewayUrl}/v1/videos/${id}`, { headers })
  const { status } = (await shown.json()) as { status: string }
  return status
}

const text = (words: string) =>
  `{"candidates":[{"content":{"role":"model","parts":[{"text":${JSON.stringify(words)}}]},"index":0}]}`
const event = `data: ${text('a'.repeat(pieceBytes))}\r\n\r\n`
const piece = 'a'.repeat(pieceBytes)
const events = { headers: { 'content-type': 'text/event-stream' } }
const json = { headers: { 'content-type': 'application/json' } }

/** Made once: it takes seconds. */
const zeros = Bun.gzipSync(new Uint8Array(500_000_000))

const cases: readonly Case[] = [
  {
    name: '500 MB of zeros in gzip, as a reply',
    fault: () => () =>
      new Response(zeros, { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } }),
    call: chat(),
  },
  {
    name: '500 MB of zeros in gzip, as an error',
    fault: () => () =>
      new Response(zeros, {
        status: 400,
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      }),
    call: chat(),
  },
  {
    name: 'endless error body',
    fault: upstream => () => upstream.endless('{"error":{"message":"', piece, { status: 400, ...json }),
    call: chat(),
  },
  {
    name: 'endless reply',
    fault: upstream => () => upstream.endless('{"candidates":[{"content":{"parts":[{"text":"', piece, json),
    call: chat(),
  },
  {
    name: 'endless reply, pass-through',
    fault: upstream => () => upstream.endless('{"candidates":[{"content":{"parts":[{"text":"', piece, json),
    call: callVendor('generateContent'),
  },
  {
    name: 'endless stream, client reads',
    fault: upstream => () => upstream.endless('', event, events),
    call: chat({ stream: true }),
  },
  {
    name: 'endless stream, client does not read',
    fault: upstream => () => upstream.endless('', event, events),
    call: chat({ stream: true }, {}, false),
  },
  {
    name: 'endless event without an end',
    fault: upstream => () => upstream.endless('data: ', piece, events),
    call: chat({ stream: true }),
  },
  {
    name: 'endless event without an end, pass-through',
    fault: upstream => () => upstream.endless('data: ', piece, events),
    call: callVendor('streamGenerateContent?alt=sse'),
  },
  {
    name: 'endless element of an array, pass-through',
    fault: upstream => () => upstream.endless('[{"candidates":[{"a":"', piece, json),
    call: callVendor('streamGenerateContent'),
  },
  {
    name: 'ten endless replies at once',
    fault: upstream => () => upstream.endless('{"candidates":[{"content":{"parts":[{"text":"', piece, json),
    call: async (fairgate, signal) => {
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => chat()(fairgate, signal)))
      return [...new Set(outcomes)].join(' ')
    },
  },
  {
    name: 'endless idempotent stream, client reads',
    fault: upstream => () => upstream.endless('', event, events),
    call: chat({ stream: true }, { 'idempotency-key': 'endless' }),
  },
  {
    name: 'endless idempotent stream, client left',
    fault: upstream => () => upstream.endless('', event, events),
    call: async (fairgate, signal) => {
      const leaving = new AbortController()
      const left = chat({ stream: true }, { 'idempotency-key': 'left' })(fairgate, leaving.signal)
      await Bun.sleep(200)
      leaving.abort()
      await left.catch(() => undefined)
      while (!signal.aborted) await Bun.sleep(100)
      return 'left'
    },
  },
  {
    name: 'endless video file',
    fault: upstream =>
      answerVideo(
        () => upstream.url,
        () => upstream.endless('', new Uint8Array(pieceBytes), { headers: { 'content-type': 'video/mp4' } }),
      ),
    call: orderVideo,
  },
]

const megabytes = (bytes: number): number => Math.round(bytes / 1e6)

async function measure({ name, fault, call }: Case) {
  const upstream = startScriptedUpstream()
  const fairgate = await runFairgate(upstream.url, 'upstream-key-0123456789')
  try {
    upstream.answerWith(fault(upstream))
    const before = await fairgate.residentMemory()
    const aborter = new AbortController()
    const began = performance.now()
    let ended: number | null = null
    const outcome = call(fairgate, aborter.signal).then(
      said => {
        ended = performance.now() - began
        return said
      },
      (error: Error) => error.message,
    )
    let most = before
    while (performance.now() - began < seconds * 1000) {
      await Bun.sleep(50)
      most = Math.max(most, await fairgate.residentMemory())
    }
    const endedAfter = ended as number | null
    aborter.abort()
    const row = {
      case: name,
      beforeMegabytes: megabytes(before),
      maxMegabytes: megabytes(most),
      sentMegabytes: megabytes(upstream.sentBytes()),
      outcome: await outcome,
      endedAfterSeconds: endedAfter === null ? null : Math.round(endedAfter / 100) / 10,
    }
    console.log(JSON.stringify(row))
    return row
  } finally {
    await upstream.stop()
    await fairgate.stop()
  }
}

const rows: object[] = []
for (const each of cases) if (only === undefined || each.name.includes(only)) rows.push(await measure(each))
if (only === undefined) recordResults('hostile-replies', { seconds }, rows)
