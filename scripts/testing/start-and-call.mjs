// Starts a Fairgate server on free ports and a temporary data folder, makes a chat call with the key of its demo team, and loads a page.
// Plain JavaScript, because it must run on a machine that has only Node.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** Enough for a first start on a slow machine. */
const longestStartMs = 120_000

/** `command`: the program and its arguments. If the server does not become ready, rejects with its output as the cause. */
export async function startServer([program, ...args], cwd) {
  const data = mkdtempSync(join(tmpdir(), 'fairgate-smoke-'))
  const own = Object.entries(process.env).filter(([name]) => !/^(FAIRGATE_|VENDOR_|DATABASE_)/.test(name))
  const ports = { FAIRGATE_GATEWAY_PORT: '0', FAIRGATE_LOGBOOK_PORT: '0', FAIRGATE_ADMIN_PORT: '0' }
  const server = spawn(program, args, {
    cwd,
    env: { ...Object.fromEntries(own), ...ports, FAIRGATE_DATA_DIR: data },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [server.stdout, server.stderr]) stream.on('data', chunk => (output += chunk))
  let isOver = false
  const ended = new Promise(resolve => server.on('close', resolve).on('error', resolve)).then(reason => {
    isOver = true
    if (reason instanceof Error) output += reason.message
  })
  const read = pattern => pattern.exec(output)?.[1]

  async function stop() {
    server.kill('SIGTERM')
    await ended
    // Windows ends the launcher at once; the server still has its files open for a moment.
    rmSync(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
  }

  const deadline = Date.now() + longestStartMs
  while (Date.now() < deadline && !isOver) {
    const gateway = read(/^ {2}gateway +(http\S+)/m)
    const key = read(/^ {2}gateway key +(sk-\S+)/m)
    if (gateway && key && (await isReady(gateway))) {
      const [logbook, admin] = [read(/^ {2}logbook +(http\S+)/m), read(/^ {2}admin +(http\S+)/m)]
      return { gateway, logbook, admin, key, stop }
    }
    await setTimeout(100)
  }
  await stop()
  throw new Error('The server did not become ready.', { cause: output.trim() })
}

async function isReady(gateway) {
  return await fetch(`${gateway}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** Makes one chat call. Returns its cost in dollars, from the reply's header. Rejects if the reply has no text or no cost. */
export async function callModel({ gateway, key }) {
  const reply = await fetch(`${gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Say hello.' }] }),
  })
  const body = await reply.text()
  const cost = Number(reply.headers.get('x-gateway-response-cost') ?? 0)
  if (reply.status !== 200 || !JSON.parse(body).choices?.[0]?.message?.content || !(cost > 0))
    throw new Error(`The chat call returned ${reply.status} at cost ${cost}: ${body.slice(0, 500)}`)
  return cost
}

/** Loads a page with all its scripts, style sheets and fonts. Rejects if one is missing. */
export async function loadPage(address) {
  const page = await get(address)
  const files = [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css|woff2))"/g)].map(([, path]) => path)
  for (const ending of ['.js', '.css'])
    if (!files.some(path => path.endsWith(ending))) throw new Error(`${address} loads no ${ending} file.`)
  for (const path of files) await get(new URL(path, address))
}

/** The text at an address. Rejects unless the status is 200. */
export async function get(address) {
  const reply = await fetch(address)
  if (reply.status !== 200) throw new Error(`${address} returned ${reply.status}.`)
  return await reply.text()
}
