// `npm run bench`: compares chat through Fairgate with plain nginx `proxy_pass`, to the same upstream, in the same run. Only ratios count.
//
// BENCH_CONNECTIONS, BENCH_BODY_BYTES, BENCH_SECONDS and BENCH_ROUNDS change the load; BENCH_PEER adds another program.
// Needs nginx and wrk (Debian: apt-get install nginx-light wrk). Everything runs on loopback and ends by itself.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { recordResults } from './lib/record-results.ts'
import { runFairgate } from './lib/run-fairgate.ts'
import { runPlainProxy, runScriptedUpstream } from './lib/run-nginx.ts'
import { type LoadFigures, requirePrograms, runWrk, type Target, writeLoadScript } from './lib/run-wrk.ts'

console.log(`Compares chat calls through Fairgate with the same calls through plain nginx, which checks and records nothing:
the ratio shows the cost of keys, limits, budget and the charge on disk. Calls per second depend on the machine.
`)

const root = fileURLToPath(new URL('..', import.meta.url))
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const bodySizes = (process.env.BENCH_BODY_BYTES ?? '1000,100000,1000000').split(',').map(Number)
const connections = (process.env.BENCH_CONNECTIONS ?? '1,16,64,256').split(',').map(Number)

requirePrograms('nginx', 'wrk')

const folder = mkdtempSync(join(tmpdir(), 'fairgate-bench-'))
const stops: (() => void | Promise<void>)[] = []

/** Raises the body limits: 256 bodies of 1 MB at once exceed the default for one key, and this measures the pace, not the limit. */
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
      script: writeLoadScript(
        folder,
        'peer',
        JSON.parse(headers) as Record<string, string>,
        model,
        bodyBytes,
      ),
    },
  ]
}

async function run() {
  const upstream = await runScriptedUpstream(folder)
  stops.push(upstream.stop)
  const proxy = await runPlainProxy(folder, upstream)
  stops.push(proxy.stop)
  const fairgate = await runFairgate(upstream.url, 'bench-key', { FAIRGATE_CONFIG: writeSettings() })
  stops.push(fairgate.stop)
  const rows: object[] = []
  console.log('body bytes  connections  program        requests/s  of nginx  p50       p99       refused')
  for (const bodyBytes of bodySizes) {
    const script = writeLoadScript(
      folder,
      'chat',
      { Authorization: `Bearer ${fairgate.key}` },
      'mm-2.5-flash',
      bodyBytes,
    )
    const nginx = { name: 'nginx', url: `${proxy.url}/v1/chat/completions`, script }
    const ours = { name: 'fairgate', url: `${fairgate.gatewayUrl}/v1/chat/completions`, script }
    rows.push(...(await compare(bodyBytes, [nginx, ours, ...findPeer(bodyBytes)])))
  }
  recordResults('chat-throughput', { seconds, rounds }, rows)
}

/** The other targets are compared with the first. */
async function compare(bodyBytes: number, targets: readonly [Target, ...Target[]]): Promise<object[]> {
  const rows: object[] = []
  const [nginx, ...others] = targets
  // An event runs compiled code.
  for (const target of others) for (let time = 0; time < 4; time += 1) await runWrk(target, 64, seconds)
  for (const count of connections) {
    const seen = new Map<Target, LoadFigures[]>(targets.map(target => [target, []]))
    for (let round = 0; round < rounds; round += 1) {
      // Takes turns, so that a disturbance of the machine affects all targets.
      for (const target of targets) seen.get(target)?.push(await runWrk(target, count, seconds))
    }
    const perSecondOf = (target: Target) => median((seen.get(target) ?? []).map(({ perSecond }) => perSecond))
    for (const [target, figures] of seen) {
      const refused = figures.reduce((sum, { failed }) => sum + failed, 0)
      if (refused > 0 && target !== nginx)
        console.log(`${target.name}: ${refused} calls were refused, so its figures are not valid.`)
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
  for (const stop of stops.reverse()) await stop()
  await Bun.sleep(300)
  rmSync(folder, { recursive: true, force: true })
}
