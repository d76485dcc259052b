// `npm run bench:greedy`: what one greedy key costs its neighbours. One team sends requests of one shape over and over; another makes one
// small call after the other. Prints the neighbour's waiting times beside those without anybody else, and what the server used.
//
// BENCH_SECONDS (4) of each shape, BENCH_CONNECTIONS (2) of the greedy key. Words select shapes by name. `BENCH_SERVER` names the folder
// of another build. Needs Linux.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { percentile } from './lib/percentile.ts'
import { readTreeMicros } from './lib/process-times.ts'
import { recordResults } from './lib/record-results.ts'
import { type BenchFairgate, runFairgate } from './lib/run-fairgate.ts'
import { runSandbox } from './lib/run-sandbox.ts'
import type { SteadyOrder, SteadyOutcome } from './lib/steady-sender.ts'

const sender = fileURLToPath(new URL('./lib/steady-sender.ts', import.meta.url))
const seconds = Number(process.env.BENCH_SECONDS ?? 4)
const connections = Number(process.env.BENCH_CONNECTIONS ?? 2)
const names = process.argv.slice(2)

type Shape = {
  readonly name: string
  readonly body: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Limits of the greedy team's key. */
  readonly limits?: Readonly<Record<string, unknown>>
  /** Connections that send nothing. */
  readonly idle?: number
}

const chat = '/v1/chat/completions'
const dryRun = { 'x-gateway-dry-run': '1' }
const repeated = { 'idempotency-key': 'one' }
const poor = { max_budget: 0.001, rpm_limit: 1 }

function build(rest: object): string {
  return JSON.stringify({
    model: 'mm-2.5-flash',
    max_tokens: 16,
    messages: [{ role: 'user', content: 'Hi' }],
    ...rest,
  })
}
const small = build({})
const text = (bytes: number) => build({ messages: [{ role: 'user', content: 'word '.repeat(bytes / 5) }] })
const messages = (count: number) =>
  build({ messages: Array.from({ length: count }, (_, index) => ({ role: 'user', content: `${index}` })) })
const ring = (count: number) => {
  const definitions: Record<string, object> = {}
  for (let index = 0; index < count; index += 1)
    definitions[`d${index}`] = { $ref: `#/$defs/d${(index + 1) % count}` }
  const parameters = { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs: definitions }
  return build({ tools: [{ type: 'function', function: { name: 'f', parameters } }] })
}
const image = (bytes: number) =>
  build({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          {
            type: 'image_url',
            image_url: { url: `data:image/png;base64,${'A'.repeat(bytes - (bytes % 4))}` },
          },
        ],
      },
    ],
  })
const members = (count: number) => {
  const properties: Record<string, object> = {}
  for (let index = 0; index < count; index += 1) properties[`p${index}`] = { type: 'string' }
  const parameters = { type: 'object', properties }
  return build({ tools: [{ type: 'function', function: { name: 'f', parameters } }] })
}

const shapes: readonly Shape[] = [
  { name: 'idle', body: '' },
  { name: 'small calls', body: small },
  { name: 'small dry runs', body: small, headers: dryRun, limits: poor },
  { name: 'small refused', body: small, limits: poor },
  { name: 'refused repeats, 1 MB text', body: text(1_000_000), headers: repeated, limits: poor },
  { name: 'refused repeats, 200 kB of messages', body: messages(6000), headers: repeated, limits: poor },
  { name: 'refused repeats, 1 MB of messages', body: messages(30_000), headers: repeated, limits: poor },
  {
    name: 'refused repeats, 8 MB of messages',
    body: messages(115_000).padEnd(8_000_000),
    headers: repeated,
    limits: poor,
  },
  { name: 'dry runs, 64 kB of messages', body: messages(1900), headers: dryRun, limits: poor },
  { name: 'dry runs, 1 MB text', body: text(1_000_000), headers: dryRun, limits: poor },
  { name: 'dry runs, 200 kB of messages', body: messages(6000), headers: dryRun, limits: poor },
  { name: 'dry runs, 1 MB of messages', body: messages(30_000), headers: dryRun, limits: poor },
  { name: 'dry runs, schema ring 328 kB', body: ring(10_000), headers: dryRun, limits: poor },
  { name: 'dry runs, schema ring 60 kB', body: ring(1900), headers: dryRun, limits: poor },
  {
    name: 'dry runs, 8 MB of members',
    body: members(115_000).padEnd(8_000_000),
    headers: dryRun,
    limits: poor,
  },
  { name: 'calls, schema ring 328 kB', body: ring(10_000) },
  { name: 'calls, 1 MB of messages', body: messages(30_000) },
  { name: 'calls, image 8 MB', body: image(8_000_000) },
  { name: 'dry runs, image 8 MB', body: image(8_000_000), headers: dryRun, limits: poor },
  { name: 'broken JSON, 1 MB', body: `${messages(30_000).slice(0, -1)}x` },
  { name: 'wrong types, 1 MB', body: messages(30_000).replace('"max_tokens":16', '"max_tokens":"x"') },
  {
    name: 'wrong last message, 1 MB',
    body: `${messages(30_000).slice(0, -2)},{"role":"user","content":7}]}`,
  },
  { name: '4,000 idle connections', body: small, idle: 4000 },
]

const folder = mkdtempSync(join(tmpdir(), 'fairgate-greedy-'))

function start(order: SteadyOrder) {
  const child = Bun.spawn([process.execPath, sender, JSON.stringify(order)], {
    stdin: 'pipe',
    stdout: 'pipe',
  })
  return async (): Promise<SteadyOutcome> => {
    child.stdin.end()
    return JSON.parse(await new Response(child.stdout).text()) as SteadyOutcome
  }
}

function order(fairgate: BenchFairgate, key: string, shape: Shape, at: Partial<SteadyOrder>): SteadyOrder {
  const file = join(folder, `${shape.name.replaceAll(/\W/g, '-')}.json`)
  writeFileSync(file, shape.body)
  const credential = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return {
    url: `${fairgate.gatewayUrl}${shape.path ?? chat}`,
    headers: { ...credential, ...shape.headers },
    body: file,
    connections,
    pauseMs: 0,
    ...at,
  }
}

function holdConnections(port: number, count: number) {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

function readPeak(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000
}

async function measure(shape: Shape) {
  const fairgate = await runFairgate(sandbox.url, sandbox.key, {}, process.env.BENCH_SERVER)
  try {
    const greedyKey = await fairgate.createKey('greedy', shape.limits ?? {})
    const neighbour = { name: 'neighbour', body: small }
    const calling = { connections: 1, pauseMs: 5 }
    const warm = start(order(fairgate, fairgate.key, neighbour, calling))
    await Bun.sleep(1500)
    await warm()
    const letGo = holdConnections(Number(new URL(fairgate.gatewayUrl).port), shape.idle ?? 0)
    const isGreedy = shape.body !== '' && shape.idle === undefined
    const stopGreed = isGreedy ? start(order(fairgate, greedyKey, shape, {})) : null
    await Bun.sleep(1000)
    const before = readTreeMicros(fairgate.pid)
    const stopCalls = start(order(fairgate, fairgate.key, neighbour, calling))
    await Bun.sleep(seconds * 1000)
    const { waits, answers } = await stopCalls()
    const cpu = (readTreeMicros(fairgate.pid) - before) / 1e6 / seconds
    const greed = await stopGreed?.()
    letGo()
    const counted = Object.entries(greed?.answers ?? {}).map(([answer, count]) => `${count} × ${answer}`)
    const failed = Object.entries(answers).reduce((sum, [answer, n]) => sum + (answer === '200' ? 0 : n), 0)
    const ms = (share: number) => Math.round(percentile(waits.slice(3), share) * 10) / 10
    return {
      shape: shape.name,
      p50_ms: ms(0.5),
      p99_ms: ms(0.99),
      max_ms: ms(0.9999999),
      calls: waits.length,
      failed,
      cpu: Math.round(cpu * 100) / 100,
      peak_mb: Math.round(readPeak(fairgate.pid)),
      greedy: counted.join(', '),
    }
  } finally {
    await fairgate.stop()
  }
}

const sandbox = runSandbox()
const rows: Awaited<ReturnType<typeof measure>>[] = []
for (const shape of shapes) {
  if (shape.name !== 'idle' && names.length > 0 && !names.some(name => shape.name.includes(name))) continue
  const row = await measure(shape)
  rows.push(row)
  console.log(Object.values(row).join(' | '))
}
sandbox.stop()
rmSync(folder, { recursive: true, force: true })
if (names.length === 0) recordResults('greedy-key', { seconds, connections }, rows)
