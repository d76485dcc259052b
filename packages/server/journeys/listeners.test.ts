// suite: 7 s
// Listener settings: a subset of the doors, a certificate, proxies in front, and a settings file copied anywhere.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startServer } from '../src/main.ts'
import type { RunningServer } from '../src/process/running-server.ts'
import { createSurroundings, type Surroundings } from './testing/start-fairgate.ts'

const shipped = resolve(import.meta.dir, '../../../config/fairgate.yaml')
const fixtures = resolve(import.meta.dir, '../src/config/__fixtures__')
const ca = readFileSync(join(fixtures, 'localhost-cert.pem'), 'utf8')

let place: Surroundings
let server: RunningServer
beforeAll(async () => {
  place = await createSurroundings()
  const copy = join(place.folder, 'copied.yaml')
  writeFileSync(copy, readFileSync(shipped, 'utf8').replace('log_level: info', 'log_level: silent'))
  server = await startServer({
    ...place.variables,
    FAIRGATE_CONFIG: copy,
    FAIRGATE_DOORS: 'gateway,admin',
    FAIRGATE_TLS_CERT: join(fixtures, 'localhost-cert.pem'),
    FAIRGATE_TLS_KEY: join(fixtures, 'localhost-key.pem'),
    FAIRGATE_TRUSTED_PROXIES: '127.0.0.0/8',
    FAIRGATE_METRICS_PORT: '0',
  })
})
afterAll(async () => {
  await server.stop()
  await place.remove()
})

test('the gateway uses TLS with that certificate; the local admin door does not', async () => {
  expect(server.gatewayUrl).toStartWith('https://127.0.0.1:')
  expect(server.adminUrl).toStartWith('http://127.0.0.1:')
  const ready = await fetch(`${server.gatewayUrl}/health/ready`, { tls: { ca } })
  expect(ready.status).toBe(200)
  expect((await fetch(`${server.adminUrl}/health/ready`)).status).toBe(200)
})

test('a settings file copied elsewhere without a catalog uses the shipped one', async () => {
  expect(await (await fetch(`${server.gatewayUrl}/docs`, { tls: { ca } })).text()).toContain('Fairgate')
  expect(server.announcement).toContain(server.gatewayUrl)
})

test('a door that is not configured stays closed, and the start says so', () => {
  expect(server.logbookUrl).toBe('')
  expect(server.announcement).toMatch(/logbook +not opened \(FAIRGATE_DOORS\)/)
})

test('metrics have their own address with nothing else on it', async () => {
  const at = (path: string, init?: RequestInit) => fetch(`${server.metricsUrl}${path}`, init)
  expect(await (await at('/metrics')).text()).toContain('fairgate_holds 0')
  expect((await at('/health/ready')).status).toBe(200)
  expect((await at('/metrics', { headers: { host: 'fairgate.internal' } })).status).toBe(200)
  expect((await at('/team/list')).status).toBe(404)
  expect((await at('/metrics', { method: 'POST' })).status).toBe(405)
  expect(server.announcement).toContain(`${server.metricsUrl}/metrics`)
})

test('failed attempts count for the client named by our proxy, not for the proxy', async () => {
  const attempt = (client: string) => {
    const begun = performance.now()
    return fetch(`${server.gatewayUrl}/key/info`, {
      tls: { ca },
      headers: { authorization: 'Bearer sk-wrong', 'x-forwarded-for': client },
    }).then(({ status }) => ({ status, milliseconds: performance.now() - begun }))
  }
  await Promise.all(Array.from({ length: 40 }, () => attempt('203.0.113.9')))
  // One after the other: a slowed client waits 2 s by now.
  const other = await attempt('203.0.113.10')
  const same = await attempt('203.0.113.9')
  expect([other.status, same.status]).toEqual([401, 401])
  expect(same.milliseconds).toBeGreaterThan(1900)
  expect(other.milliseconds).toBeLessThan(same.milliseconds)
})
