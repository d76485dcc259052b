// suite: 18 s
// Draining: health shows it before the server stops listening; after Ctrl-C it starts at once.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createManagement } from './testing/management.ts'
import { spawnFairgate } from './testing/spawn-fairgate.ts'
import { adminKey, createSurroundings, type Surroundings } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

let place: Surroundings
beforeEach(async () => {
  place = await createSurroundings({ settings: 'drain_announce_seconds: 600\ndrain_seconds: 600' })
})
afterEach(() => place.remove())

const chat = (gatewayUrl: string, key: string) =>
  fetch(`${gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Hello.' }] }),
  })

// Shown to fail on a build that stops listening at SIGTERM: the request to /health/ready gets no answer.
test('SIGTERM is announced while calls are still accepted; a second one ends the process at once', async () => {
  const server = await spawnFairgate({ variables: place.variables })
  const key = await createManagement(server.adminUrl, adminKey).team('announced')
  const ready = () => fetch(`${server.gatewayUrl}/health/ready`)
  const before = await chat(server.gatewayUrl, key)
  expect([before.status, before.headers.get('connection')?.toLowerCase()]).not.toContain('close')
  server.kill('SIGTERM')
  while ((await ready()).status === 200) await Bun.sleep(5)
  for (const door of ['gateway', 'logbook', 'admin'] as const) {
    const url = server[`${door}Url`]
    const answer = await fetch(`${url}/health/ready`)
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { status: 'unavailable', door, reason: 'draining' },
    ])
    expect(answer.headers.get('connection')?.toLowerCase()).toBe('close')
  }
  expect((await fetch(`${server.gatewayUrl}/health/live`)).status).toBe(200)
  const during = await chat(server.gatewayUrl, key)
  expect([during.status, during.headers.get('connection')?.toLowerCase()]).toEqual([200, 'close'])
  expect(await readCharges(place, 'announced')).toHaveLength(2)
  let code: number | null = null
  void server.exited.then(ended => {
    code = ended
  })
  while (code === null) {
    server.kill('SIGTERM')
    await Bun.sleep(20)
  }
  expect(code as number | null).toBe(1)
}, 300_000)

// Shown to fail on a build without `isEcho` in cli/serve.ts: the signal arrives twice, and the second one ended the process.
test('one Ctrl-C at a terminal, which reaches launcher and server, drains without announcement', async () => {
  const server = await spawnFairgate({
    variables: place.variables,
    throughLauncher: true,
    ownGroup: true,
  })
  const key = await createManagement(server.adminUrl, adminKey).team('pressed')
  place.sandbox.setSwitches({ firstByteDelayMs: 1 })
  const release = place.holdUpstream()
  const running = chat(server.gatewayUrl, key)
  while (place.sandbox.counters().running < 1) await Bun.sleep(1)
  process.kill(-server.pid, 'SIGINT')
  const isOpen = () =>
    fetch(`${server.gatewayUrl}/health/live`, { keepalive: false }).then(
      () => true,
      () => false,
    )
  while (await isOpen()) await Bun.sleep(5)
  release()
  expect((await running).status).toBe(200)
  expect(await server.exited).toBe(0)
  expect(await readCharges(place, 'pressed')).toHaveLength(1)
}, 300_000)

// Shown to fail if SIGUSR2 counts as the first of two signals: the running call was cut off.
test('a stop while the server makes room for its successor still lets running calls end', async () => {
  const server = await spawnFairgate({ variables: place.variables })
  const key = await createManagement(server.adminUrl, adminKey).team('replaced')
  place.sandbox.setSwitches({ firstByteDelayMs: 1 })
  const release = place.holdUpstream()
  const running = chat(server.gatewayUrl, key)
  while (place.sandbox.counters().running < 1) await Bun.sleep(1)
  process.kill(server.pid, 'SIGUSR2')
  const isOpen = () =>
    fetch(`${server.gatewayUrl}/health/live`, { keepalive: false }).then(
      () => true,
      () => false,
    )
  while (await isOpen()) await Bun.sleep(5)
  server.kill('SIGTERM')
  release()
  expect((await running).status).toBe(200)
  expect(await server.exited).toBe(0)
}, 300_000)

// Shown to fail without 'disconnect' in cli/serve.ts: the server keeps running, and nothing can signal it.
test('a server whose launcher is killed drains and frees its addresses', async () => {
  const server = await spawnFairgate({ variables: place.variables, throughLauncher: true, ownGroup: true })
  const key = await createManagement(server.adminUrl, adminKey).team('left')
  place.sandbox.setSwitches({ firstByteDelayMs: 1 })
  const release = place.holdUpstream()
  const running = chat(server.gatewayUrl, key)
  while (place.sandbox.counters().running < 1) await Bun.sleep(1)
  server.kill('SIGKILL')
  const isOpen = () =>
    fetch(`${server.gatewayUrl}/health/live`, { keepalive: false }).then(
      () => true,
      () => false,
    )
  while (await isOpen()) await Bun.sleep(5)
  release()
  expect((await running).status).toBe(200)
  await server.exited
  expect(await readCharges(place, 'left')).toHaveLength(1)
}, 300_000)
