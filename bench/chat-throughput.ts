// `npm run bench`: chat through Fairgate beside plain nginx `proxy_pass`, to the same upstream, in the same run. Ratios, never absolute claims.
//
// Needs nginx and wrk (Debian: apt-get install nginx-light wrk). Everything runs on loopback and ends by itself.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFreePorts, runFairgate, waitFor } from './lib/run-fairgate.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const connections = (process.env.BENCH_CONNECTIONS ?? '1,16,64,256').split(',').map(Number)

for (const tool of ['nginx', 'wrk']) {
  if (Bun.which(tool) === null) {
    console.error(`bench: ${tool} is missing. Debian: apt-get install nginx-light wrk`)
    process.exit(2)
  }
}

const folder = mkdtempSync(join(tmpdir(), 'fairgate-bench-'))
const started: { kill: () => void }[] = []
const stops: (() => Promise<void>)[] = []

function start(command: string[], variables: Record<string, string> = {}) {
  const child = Bun.spawn(command, {
    cwd: root,
    env: { ...process.env, ...variables },
    stdout: 'ignore',
    stderr: 'inherit',
  })
  started.push(child)
  return child
}

/** A reply of the vendor of about 1 kB, the same each time: the upstream must cost as little as can be. */
const vendorReply = JSON.stringify({
  candidates: [
    {
      content: { parts: [{ text: 'All human beings are born free and equal. '.repeat(16) }], role: 'model' },
      finishReason: 'STOP',
      index: 0,
    },
  ],
  usageMetadata: { promptTokenCount: 250, candidatesTokenCount: 170, totalTokenCount: 420 },
  modelVersion: 'gemini-2.5-flash',
  responseId: 'bench-response-0000001',
})

function nginxConfig(name: string, lines: string): string {
  const path = join(folder, `${name}.conf`)
  writeFileSync(
    path,
    `worker_processes 1; daemon off; pid ${folder}/${name}.pid; error_log ${folder}/${name}.log;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 1000000; client_body_temp_path ${folder}/${name}-body;
  proxy_temp_path ${folder}/${name}-proxy; fastcgi_temp_path ${folder}/${name}-f; uwsgi_temp_path ${folder}/${name}-u; scgi_temp_path ${folder}/${name}-s;
  client_max_body_size 4m; client_body_buffer_size 64k;
  ${lines}
}
`,
  )
  return path
}

function loadScript(name: string, key: string): string {
  const body = JSON.stringify({
    model: 'mm-2.5-flash',
    max_tokens: 256,
    messages: [{ role: 'user', content: 'word '.repeat(200) }],
  })
  const path = join(folder, `${name}.lua`)
  writeFileSync(
    path,
    `wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer ${key}"
wrk.body = [==[${body}]==]
`,
  )
  return path
}

type Figures = {
  readonly perSecond: number
  readonly p50: string
  readonly p99: string
  readonly failed: number
}

async function measure(url: string, script: string, count: number): Promise<Figures> {
  const command = ['wrk', '-t1', `-c${count}`, `-d${seconds}s`, '--latency', '-s', script, url]
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
  const text = await new Response(child.stdout).text()
  const read = (pattern: RegExp) => pattern.exec(text)?.[1] ?? ''
  return {
    perSecond: Number(read(/Requests\/sec: +([\d.]+)/)),
    p50: read(/50% +(\S+)/),
    p99: read(/99% +(\S+)/),
    failed: Number(read(/Non-2xx or 3xx responses: (\d+)/) || 0),
  }
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

async function run() {
  const [upstreamPort, proxyPort] = findFreePorts(2)
  const upstream = `server { listen 127.0.0.1:${upstreamPort} backlog=4096; location / { default_type application/json; return 200 '${vendorReply}'; } }`
  start(['nginx', '-c', nginxConfig('upstream', upstream), '-p', folder])
  const proxy = `upstream vendor { server 127.0.0.1:${upstreamPort}; keepalive 512; keepalive_requests 1000000; }
  server { listen 127.0.0.1:${proxyPort} backlog=4096; location / { proxy_pass http://vendor; proxy_http_version 1.1; proxy_set_header Connection ""; } }`
  start(['nginx', '-c', nginxConfig('proxy', proxy), '-p', folder])
  await Promise.all([waitFor(`http://127.0.0.1:${proxyPort}`), waitFor(`http://127.0.0.1:${upstreamPort}`)])
  const fairgate = await runFairgate(`http://127.0.0.1:${upstreamPort}`, 'bench-key')
  stops.push(fairgate.stop)
  const script = loadScript('chat', fairgate.key)
  const urls = {
    nginx: `http://127.0.0.1:${proxyPort}/v1/chat/completions`,
    fairgate: `${fairgate.gatewayUrl}/v1/chat/completions`,
  }
  // Compiled code is what runs on the day.
  await measure(urls.fairgate, script, 64)
  await measure(urls.fairgate, script, 64)

  const rows: object[] = []
  console.log('connections  nginx/s  fairgate/s  ratio   nginx p50/p99      fairgate p50/p99')
  for (const count of connections) {
    const seen = { nginx: [] as Figures[], fairgate: [] as Figures[] }
    for (let round = 0; round < rounds; round += 1) {
      // Taken in turns, so that a disturbance of the machine meets both.
      seen.nginx.push(await measure(urls.nginx, script, count))
      seen.fairgate.push(await measure(urls.fairgate, script, count))
    }
    const failed = seen.fairgate.reduce((sum, figures) => sum + figures.failed, 0)
    if (failed > 0) throw new Error(`${failed} calls failed: the figures mean nothing.`)
    const [nginx, fairgate] = [seen.nginx, seen.fairgate].map(list =>
      median(list.map(({ perSecond }) => perSecond)),
    )
    const ratio = (fairgate ?? 0) / (nginx ?? 1)
    const latency = (list: readonly Figures[]) => `${list.at(-1)?.p50}/${list.at(-1)?.p99}`
    console.log(
      `${String(count).padStart(11)}  ${nginx?.toFixed(0).padStart(7)}  ${fairgate?.toFixed(0).padStart(10)}  ${ratio.toFixed(2)}   ${latency(seen.nginx).padEnd(17)}  ${latency(seen.fairgate)}`,
    )
    rows.push({ connections: count, nginxPerSecond: nginx, fairgatePerSecond: fairgate, ratio })
  }
  const results = join(root, 'bench/results')
  mkdirSync(results, { recursive: true })
  const machine = { processor: cpus()[0]?.model, cores: cpus().length, bun: Bun.version, seconds, rounds }
  writeFileSync(join(results, 'chat-throughput.json'), `${JSON.stringify({ machine, rows }, null, 2)}\n`)
}

try {
  await run()
} finally {
  for (const stop of stops) await stop()
  for (const child of started) child.kill()
  await Bun.sleep(300)
  rmSync(folder, { recursive: true, force: true })
}
