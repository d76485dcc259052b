// `npm run bench:bodies`: floods a server with large bodies, on one key and on many, at each door. Prints the outcome of each connection, the
// server's resident memory, and the latency of a neighbour's small calls. `BENCH_SERVER` names the folder of another build.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { HostileOrder, HostileOutcome } from './lib/hostile-sender.ts'
import { percentile } from './lib/percentile.ts'
import { type BenchFairgate, runFairgate } from './lib/run-fairgate.ts'
import { type BenchSandbox, runSandbox } from './lib/run-sandbox.ts'

console.log(`Sends floods of large bodies to each door, to see how much memory the server uses
and how long small calls with another key wait.
`)

const sender = fileURLToPath(new URL('./lib/hostile-sender.ts', import.meta.url))
const megabyte = 1_000_000
const names = process.argv.slice(2)

type Case = {
  readonly name: string
  readonly connections: number
  readonly bytes: number
  /** More limits for each team. */
  readonly limits?: Readonly<Record<string, unknown>>
  readonly owners: number
  readonly door?: 'gateway' | 'logbook' | 'admin' | 'strangers'
  readonly form?: HostileOrder['form']
  readonly path?: string
  readonly head?: string
  readonly tail?: string
}

const chatHead = '{"model":"mm-2.5-flash","max_tokens":16,"messages":[{"role":"user","content":"'
const chatTail = '"}]}'
const imageHead =
  '{"model":"mm-2.5-flash","max_tokens":16,"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,'
const formHead = [
  '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nmm-2.5-flash-image\r\n',
  '--x\r\ncontent-disposition: form-data; name="prompt"\r\n\r\nA hat\r\n',
  '--x\r\ncontent-disposition: form-data; name="image"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n',
].join('')

const cases: readonly Case[] = [
  { name: 'one key', connections: 150, bytes: 18 * megabyte, owners: 1 },
  {
    name: 'one key, rpm_limit 1',
    connections: 150,
    bytes: 18 * megabyte,
    owners: 1,
    limits: { rpm_limit: 1 },
  },
  {
    name: 'one key, one slot',
    connections: 150,
    bytes: 18 * megabyte,
    owners: 1,
    limits: { max_parallel_requests: 1 },
  },
  { name: '200 keys', connections: 200, bytes: 10 * megabyte, owners: 200 },
  {
    name: '200 keys, images',
    connections: 200,
    bytes: 10 * megabyte,
    owners: 200,
    head: imageHead,
    tail: '"}}]}]}',
  },
  { name: '200 keys, chunked', connections: 200, bytes: 10 * megabyte, owners: 200, form: 'chunked' },
  {
    name: '200 keys, forms',
    connections: 200,
    bytes: 10 * megabyte,
    owners: 200,
    form: 'multipart',
    path: '/v1/images/edits',
    head: formHead,
    tail: '\r\n--x--\r\n',
  },
  {
    name: '200 keys, pass-through',
    connections: 200,
    bytes: 10 * megabyte,
    owners: 200,
    path: '/vendor/v1beta/models/mm-2.5-flash:generateContent',
    head: '{"contents":[{"role":"user","parts":[{"text":"',
    tail: '"}]}]}',
  },
  { name: '200 keys, too large', connections: 200, bytes: 25 * megabyte, owners: 200 },
  { name: 'logbook, one token', connections: 150, bytes: 16 * megabyte, owners: 1, door: 'logbook' },
  { name: 'logbook, 150 tokens', connections: 150, bytes: 16 * megabyte, owners: 150, door: 'logbook' },
  { name: 'admin', connections: 150, bytes: 16 * megabyte, owners: 1, door: 'admin' },
  { name: 'without a key', connections: 150, bytes: 18 * megabyte, owners: 1, door: 'strangers' },
]

function readMemory(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(
    readFileSync(`/proc/${pid}/status`, 'utf8'),
  )?.[1]
  return Math.round((Number(kilobytes) * 1024) / megabyte)
}

/** Makes small calls one at a time until stopped. Resolves to the milliseconds of each. */
function callAlong(fairgate: BenchFairgate) {
  let isOver = false
  const waits: number[] = []
  let failed = 0
  const run = async () => {
    while (!isOver) {
      const started = performance.now()
      const ok = await fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${fairgate.key}`, 'content-type': 'application/json' },
        body: `${chatHead}Hello${chatTail}`,
      }).then(
        async reply => reply.ok && (await reply.text()) !== '',
        () => false,
      )
      if (!ok) failed += 1
      waits.push(performance.now() - started)
      await Bun.sleep(5)
    }
  }
  const running = run()
  return async () => {
    isOver = true
    await running
    return { waits, failed }
  }
}

async function runCase(single: Case, sandbox: BenchSandbox): Promise<string> {
  const { door = 'gateway' } = single
  const fairgate = await runFairgate(sandbox.url, sandbox.key, {}, process.env.BENCH_SERVER)
  try {
    const secrets = await Promise.all(
      Array.from({ length: single.owners }, async (_, index) => {
        if (door === 'admin') return fairgate.adminKey
        if (door === 'strangers') return 'sk-nobody'
        if (door === 'logbook') return fairgate.createTeam(`team-${index}`)
        return fairgate.createKey(`team-${index}`, single.limits ?? {})
      }),
    )
    const places = {
      gateway: { url: fairgate.gatewayUrl, path: '/v1/chat/completions', head: chatHead, tail: chatTail },
      strangers: { url: fairgate.gatewayUrl, path: '/v1/chat/completions', head: chatHead, tail: chatTail },
      logbook: {
        url: fairgate.logbookUrl,
        path: '/api/ingest',
        head: '{"entries":[{"ts":"2026-01-01T00:00:00Z","tool":"claude-code","event":"Stop","session_id":"s","repo":"a/b","branch":"main","commit":"abc1234","student":"a@b.org","prompt":"',
        tail: '"}]}',
      },
      admin: {
        url: fairgate.adminUrl,
        path: '/team/update',
        head: '{"team_id":"bench","team_alias":"',
        tail: '"}',
      },
    }
    const { url, ...place } = places[door]
    const {
      connections,
      bytes,
      form = 'json',
      path = place.path,
      head = place.head,
      tail = place.tail,
    } = single
    const order: HostileOrder = {
      port: Number(new URL(url).port),
      path,
      secrets,
      connections,
      bytes,
      form,
      head,
      tail,
    }
    const before = readMemory(fairgate.pid, 'VmRSS')
    const stopCalling = callAlong(fairgate)
    await Bun.sleep(500)
    const started = performance.now()
    const child = Bun.spawn([process.execPath, sender], {
      stdin: new Blob([JSON.stringify(order)]),
      stdout: 'pipe',
    })
    const outcome = JSON.parse(await new Response(child.stdout).text()) as HostileOutcome
    const seconds = (performance.now() - started) / 1000
    const { waits, failed } = await stopCalling()
    const sorted = waits.toSorted((left, right) => left - right)
    const answers = Object.entries(outcome.answers)
      .sort()
      .map(([name, count]) => `${count} × ${name}`)
      .join(', ')
    return `| ${single.name}: ${connections} × ${bytes / megabyte} MB | ${answers || 'none'} | ${outcome.lost} | ${before} → ${readMemory(fairgate.pid, 'VmHWM')} MB | ${percentile(sorted, 0.5).toFixed(0)} / ${percentile(sorted, 0.99).toFixed(0)} / ${(sorted.at(-1) ?? 0).toFixed(0)} ms${failed > 0 ? `, ${failed} failed` : ''} | ${seconds.toFixed(1)} s |`
  } catch (error) {
    return `| ${single.name} | the server ended: ${error instanceof Error ? error.message : error} | | | | |`
  } finally {
    await fairgate.stop()
  }
}

const sandbox = runSandbox()
console.log('| case | answers | lost | resident memory | neighbour p50 / p99 / longest | time |')
console.log('| --- | --- | --- | --- | --- | --- |')
for (const single of cases) {
  if (names.length === 0 || names.some(name => single.name.startsWith(name)))
    console.log(await runCase(single, sandbox))
}
sandbox.stop()
