// suite: test on sqlite; 20 s
// Connections use up the server's file descriptors: open ones are served and charged, the database stays sound, and everything works again.
import { expect, test } from 'bun:test'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { KeepAliveClient } from './testing/keep-alive-client.ts'
import { createManagement } from './testing/management.ts'
import { connectRaw } from './testing/raw-connection.ts'
import { spawnFairgate } from './testing/spawn-fairgate.ts'
import { adminKey, createSurroundings } from './testing/start-fairgate.ts'
import { readCharges, sumCost } from './testing/stored-rows.ts'

const entry = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))
const limit = 256
const body = { model: 'mm-2.5-flash', max_tokens: 16, messages: [{ role: 'user', content: 'Hi' }] }

// Shown to fail on the build before: every call was answered 503 with `database_damaged` until a restart, and the exit code was 1.
test('400 idle connections at 256 descriptors', async () => {
  const place = await createSurroundings({ logLevel: 'error' })
  const server = await spawnFairgate({
    variables: place.variables,
    program: ['sh', '-c', `ulimit -n ${limit} && exec "$0" "$1" serve`, process.execPath, entry],
  })
  const manage = createManagement(server.adminUrl, adminKey)
  const key = await manage.team('team-a', { max_budget: 10 })
  const client = new KeepAliveClient(server.gatewayUrl)
  const organiser = new KeepAliveClient(server.adminUrl)
  const call = async () => (await client.send('/v1/chat/completions', key, body)).status
  const isHolding = async () =>
    /^fairgate_connections_held 1$/m.test((await organiser.send('/metrics', adminKey)).body)
  const checkDescriptors = async () =>
    JSON.parse((await organiser.send('/readiness/descriptors/check', adminKey, {})).body).item
  expect(await call()).toBe(200)
  expect(await checkDescriptors()).toMatchObject({ state: 'warning', text: expect.stringContaining('256') })

  const idle = Array.from({ length: 400 }, () => connectRaw(server.gatewayUrl))
  const statuses: number[] = []
  for (let index = 0; index < 40; index += 1) {
    // What another program writes is read again from the disk before the next commit.
    utimesSync(join(place.dataFolder, 'fairgate.db'), new Date(), new Date(index))
    statuses.push(await call())
  }
  expect(new Set(statuses)).toEqual(new Set([200]))
  while (!(await isHolding())) expect(await call()).toBe(200)
  expect(await checkDescriptors()).toMatchObject({
    state: 'fault',
    text: expect.stringContaining('new connections wait'),
  })

  for (const { socket } of idle) socket.destroy()
  while (await isHolding()) expect(await call()).toBe(200)
  expect([client.connections, organiser.connections]).toEqual([1, 1])
  expect((await fetch(`${server.gatewayUrl}/health/ready`)).status).toBe(200)
  const { spend, held } = (await manage.teamInfo('team-a')).team_info
  client.close()
  organiser.close()
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  const charges = await readCharges(place, 'team-a')
  expect(charges).toHaveLength(place.sandbox.counters().calls)
  expect([Math.round(spend * 1e9), held]).toEqual([sumCost(charges), 0])
  expect(server.output()).not.toContain('The database')
  await place.remove()
}, 300_000)
