// `npm run bench`: chat through Fairgate beside plain nginx `proxy_pass`, to the same upstream, in the same run. Ratios, never absolute claims.
//
// BENCH_CONNECTIONS, BENCH_BODY_BYTES, BENCH_SECONDS and BENCH_ROUNDS change the load; BENCH_PEER adds another program.
// Needs nginx and wrk (Debian: apt-get install nginx-light wrk). Everything runs on loopback and ends by itself.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { recordResults } from './lib/record-results.ts'
import { findFreePorts, runFairgate, waitFor } from './lib/run-fairgate.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const bodySizes = (process.env.BENCH_BODY_BYTES ?? '1000,100000,1000000').split(',').map(Number)
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
  client_max_body_size 4m; client_body_buffer_size 2m;
  ${lines}
}
`,
  )
  return path
}

/** What wrk sends: a chat of about `bodyBytes`. */
function loadScript(
  name: string,
  headers: Readonly<Record<string, string>>,
  model: string,
  bodyBytes: number,
): string {
  const body = JSON.stringify({
    model,
    max_tokens: 256,
    messages: [{ role: 'user', content: 'word '.repeat(Math.ceil(bodyBytes / 5)) }],
  })
  const path = join(folder, `${name}-${bodyBytes}.lua`)
  const lines = Object.entries({ 'Content-Type': 'application/json', ...headers }).map(
    ([header, value]) => `wrk.headers[${JSON.stringify(header)}] = ${JSON.stringify(value)}`,
  )
  writeFileSync(path, `wrk.method = "POST"\n${lines.join('\n')}\nwrk.body = [==[${body}]==]\n`)
  return path
}

type Target = { readonly name: string; readonly url: string; readonly script: string }

type Figures = {
  readonly perSecond: number
  readonly p50: string
  readonly p99: string
  readonly failed: number
}

async function measure({ url, script }: Target, count: number): Promise<Figures> {
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

/** 256 bodies of 1 MB at once are more than the default leaves one key: here the pace is measured, not the bound. */
function writeSettings(): string {
  const path = join(folder, 'fairgate.yaml')
  const room = 'key_mebibytes: 1024, door_mebibytes: 1024, process_mebibytes: 1024'
  const models = JSON.stringify(join(root, 'config/models.yaml'))
  writeFileSync(path, `models_file: ${models}\nlimits: { bodies: { ${room} } }\n`)
  return path
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

/** Any OpenAI-compatible program: BENCH_PEER is its chat address, BENCH_PEER_HEADERS a JSON object, BENCH_PEER_MODEL its model. */
function findPeer(bodyBytes: number): Target[] {
  const {
    BENCH_PEER: url,
    BENCH_PEER_HEADERS: headers = '{}',
    BENCH_PEER_MODEL: model = 'mm-2.5-flash',
  } = process.env
  if (url === undefined) return []
  return [
    {
      name: 'peer',
      url,
      script: loadScript('peer', JSON.parse(headers) as Record<string, string>, model, bodyBytes),
    },
  ]
}

async function run() {
  const [upstreamPort, proxyPort] = findFreePorts(2)
  const upstream = `server { listen 127.0.0.1:${upstreamPort} backlog=4096; location / { default_type application/json; return 200 '${vendorReply}'; } }`
  start(['nginx', '-c', nginxConfig('upstream', upstream), '-p', folder])
  const proxy = `upstream vendor { server 127.0.0.1:${upstreamPort}; keepalive 512; keepalive_requests 1000000; }
  server { listen 127.0.0.1:${proxyPort} backlog=4096; location / { proxy_pass http://vendor; proxy_http_version 1.1; proxy_set_header Connection ""; } }`
  start(['nginx', '-c', nginxConfig('proxy', proxy), '-p', folder])
  await Promise.all([waitFor(`http://127.0.0.1:${proxyPort}`), waitFor(`http://127.0.0.1:${upstreamPort}`)])
  const fairgate = await runFairgate(`http://127.0.0.1:${upstreamPort}`, 'bench-key', {
    FAIRGATE_CONFIG: writeSettings(),
  })
  stops.push(fairgate.stop)
  const rows: object[] = []
  console.log('body bytes  connections  program        requests/s  of nginx  p50       p99       refused')
  for (const bodyBytes of bodySizes) {
    const script = loadScript('chat', { Authorization: `Bearer ${fairgate.key}` }, 'mm-2.5-flash', bodyBytes)
    const nginx = { name: 'nginx', url: `http://127.0.0.1:${proxyPort}/v1/chat/completions`, script }
    const ours = { name: 'fairgate', url: `${fairgate.gatewayUrl}/v1/chat/completions`, script }
    rows.push(...(await compare(bodyBytes, [nginx, ours, ...findPeer(bodyBytes)])))
  }
  recordResults('chat-throughput', { seconds, rounds }, rows)
}

/** The first target is what the others are compared with. */
async function compare(bodyBytes: number, targets: readonly [Target, ...Target[]]): Promise<object[]> {
  const rows: object[] = []
  const [nginx, ...others] = targets
  // Compiled code is what runs on the day.
  for (const target of others) for (let time = 0; time < 4; time += 1) await measure(target, 64)
  for (const count of connections) {
    const seen = new Map<Target, Figures[]>(targets.map(target => [target, []]))
    for (let round = 0; round < rounds; round += 1) {
      // Taken in turns, so that a disturbance of the machine meets all.
      for (const target of targets) seen.get(target)?.push(await measure(target, count))
    }
    const perSecondOf = (target: Target) => median((seen.get(target) ?? []).map(({ perSecond }) => perSecond))
    for (const [target, figures] of seen) {
      const refused = figures.reduce((sum, { failed }) => sum + failed, 0)
      if (refused > 0 && target !== nginx)
        console.log(`${target.name}: ${refused} calls were refused; its figures mean nothing.`)
      const perSecond = perSecondOf(target)
      const ratio = perSecond / perSecondOf(nginx)
      const { p50 = '', p99 = '' } = figures.at(-1) ?? {}
      console.log(
        `${String(bodyBytes).padStart(10)}  ${String(count).padStart(11)}  ${target.name.padEnd(12)}  ${perSecond.toFixed(0).padStart(11)}  ${ratio.toFixed(2).padStart(8)}  ${p50.padEnd(8)}  ${p99.padEnd(8)}  ${refused}`,
      )
      rows.push({
        bodyBytes,
        connections: count,
        program: target.name,
        perSecond: Math.round(perSecond),
        ofNginx: ratio,
        p50,
        p99,
        refused,
      })
    }
  }
  return rows
}

try {
  await run()
} finally {
  for (const stop of stops) await stop()
  for (const child of started) child.kill()
  await Bun.sleep(300)
  rmSync(folder, { recursive: true, force: true })
}
