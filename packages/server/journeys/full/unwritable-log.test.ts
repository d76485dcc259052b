// suite: 24 s
// An unwritable log stops neither serving nor exit: a full disk, a closed pipe, a reader that never reads.
import { afterAll, expect, test } from 'bun:test'
import { closeSync, existsSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '../testing/find-free-port.ts'
import { createManagement } from '../testing/management.ts'
import { adminKey, createSurroundings, type Surroundings } from '../testing/start-fairgate.ts'
import { readCharges } from '../testing/stored-rows.ts'

const entry = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

const opened: Surroundings[] = []
afterAll(async () => {
  for (const surroundings of opened) await surroundings.remove()
})

type Output = 'pipe' | number

/** Its ports are chosen here, because its addresses cannot be read from its output. */
async function start(stdout: Output, stderr: Output) {
  const surroundings = await createSurroundings({ logLevel: 'info', settings: 'drain_seconds: 20' })
  opened.push(surroundings)
  const ports = [findFreePort(), findFreePort(), findFreePort()]
  const [gatewayUrl, , adminUrl] = ports.map(port => `http://127.0.0.1:${port}`)
  const { PATH = '', HOME = '' } = process.env
  const child = Bun.spawn([process.execPath, entry, 'serve'], {
    env: {
      PATH,
      HOME,
      ...surroundings.variables,
      FAIRGATE_GATEWAY_PORT: String(ports[0]),
      FAIRGATE_LOGBOOK_PORT: String(ports[1]),
      FAIRGATE_ADMIN_PORT: String(ports[2]),
    },
    stdout,
    stderr,
  })
  const isReady = () =>
    fetch(`${gatewayUrl}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}.`)
    await Bun.sleep(20)
  }
  return { child, surroundings, gatewayUrl, adminUrl: adminUrl ?? '' }
}

type Server = Awaited<ReturnType<typeof start>>

/** More lines than a pipe holds, and a charge among them. */
async function work({ surroundings, gatewayUrl, adminUrl }: Server): Promise<void> {
  const key = await createManagement(adminUrl, adminKey).team('quiet', { max_budget: 1 })
  for (let round = 0; round < 6; round += 1) {
    await Promise.all(
      Array.from({ length: 100 }, async () => (await fetch(`${gatewayUrl}/health/live`)).text()),
    )
  }
  const response = await fetch(`${gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'mm-2.5-flash',
      max_tokens: 16,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  })
  expect(response.status).toBe(200)
  await response.text()
  expect(await readCharges(surroundings, 'quiet')).toHaveLength(1)
}

async function droppedLines({ adminUrl }: Server): Promise<number> {
  const figures = await (await fetch(`${adminUrl}/metrics`)).text()
  return Number(/^fairgate_log_lines_dropped (\d+)$/m.exec(figures)?.[1])
}

// Shown to fail on the build before: the exit waited forever for the lines to be written, and a second signal changed nothing.
test.concurrent.skipIf(!existsSync('/dev/full'))(
  'a full disk',
  async () => {
    const full = openSync('/dev/full', 'w')
    const server = await start(full, full)
    closeSync(full)
    await work(server)
    while ((await droppedLines(server)) < 600) await Bun.sleep(20)
    server.child.kill('SIGTERM')
    expect(await server.child.exited).toBe(0)
  },
  300_000,
)

test.concurrent('a closed pipe', async () => {
  const server = await start('pipe', 'pipe')
  await (server.child.stdout as ReadableStream).cancel()
  await (server.child.stderr as ReadableStream).cancel()
  await work(server)
  server.child.kill('SIGTERM')
  expect(await server.child.exited).toBe(0)
}, 300_000)

test.concurrent('a second signal ends it at once', async () => {
  const full = existsSync('/dev/full') ? openSync('/dev/full', 'w') : 'pipe'
  const server = await start(full, full)
  await work(server)
  // A call that keeps it from ending.
  const release = server.surroundings.holdUpstream()
  const key = await createManagement(server.adminUrl, adminKey).team('held', { max_budget: 1 })
  const call = fetch(`${server.gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'mm-2.5-flash',
      messages: [{ role: 'user', content: '[[sandbox: firstByteDelayMs=1]]' }],
    }),
  }).catch(() => null)
  const { sandbox } = server.surroundings
  for (const before = sandbox.counters().calls; sandbox.counters().running === 0 && before >= 0; )
    await Bun.sleep(5)
  server.child.kill('SIGTERM')
  const isDraining = () =>
    fetch(`${server.gatewayUrl}/health/ready`).then(
      ({ ok }) => !ok,
      () => true,
    )
  while (!(await isDraining())) await Bun.sleep(5)
  server.child.kill('SIGTERM')
  expect(await server.child.exited).toBe(1)
  release()
  await call
}, 300_000)
