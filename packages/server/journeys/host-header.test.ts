// suite: 4 s
// The Host header: only one, and on the admin door none that another site's page could have sent (DNS rebinding).
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { doorNames } from './testing/door-routes.ts'
import { connectRaw, statusesIn } from './testing/raw-connection.ts'
import { adminKey, type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
beforeAll(async () => {
  fairgate = await startFairgate({
    variables: { FAIRGATE_ADMIN_HOSTS: 'admin.example.org' },
  })
})
afterAll(() => fairgate.stop())

async function ask(url: string, path: string, hosts: readonly string[], method = 'GET'): Promise<string> {
  const { socket, closed } = connectRaw(url)
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...hosts.map(host => `Host: ${host}`),
    `Authorization: Bearer ${adminKey}`,
    'Connection: close',
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  return await closed
}
const statusOf = async (...request: Parameters<typeof ask>) => statusesIn(await ask(...request))[0]

// Shown to fail on the build before: the first Host decided, and every door answered.
test.each([...doorNames])('two Host headers are refused at the %s door', async door => {
  const url = { gateway: fairgate.gatewayUrl, logbook: fairgate.logbookUrl, admin: fairgate.adminUrl }[door]
  for (const path of ['/health/live', '/docs', '/nothing'])
    for (const hosts of [
      ['127.0.0.1', 'evil.example'],
      ['127.0.0.1', '127.0.0.1'],
    ])
      expect(await statusOf(url, path, hosts)).toBe(400)
  expect(await statusOf(url, '/health/live', ['127.0.0.1', 'evil.example'], 'FOO')).toBe(400)
  expect(await ask(url, '/docs', ['127.0.0.1', 'evil.example'])).toContain('more than one Host header')
  expect(await statusOf(url, '/health/live', ['127.0.0.1'])).toBe(200)
})

// Shown to fail on the build before: all of these were answered with 200.
test('the admin door answers only its own names; health is open to all', async () => {
  const paths = ['/team/list', '/metrics', '/console', '/docs', '/openapi.json']
  for (const path of paths) {
    const refused = await ask(fairgate.adminUrl, path, ['evil.example'])
    expect([statusesIn(refused)[0], refused.includes('FAIRGATE_ADMIN_HOSTS')]).toEqual([421, true])
    for (const host of ['127.0.0.1', '[::1]:4002', 'localhost:4002', 'demo.localhost', 'admin.example.org'])
      expect([path, host, await statusOf(fairgate.adminUrl, path, [host])]).toEqual([path, host, 200])
  }
  expect(await statusOf(fairgate.adminUrl, '/health/ready', ['evil.example'])).toBe(200)
  expect(await statusOf(fairgate.adminUrl, '/team/list', ['evil.example'], 'FOO')).toBe(421)
})

test('the other doors answer any name', async () => {
  for (const [url, path] of [
    [fairgate.gatewayUrl, '/docs'],
    [fairgate.logbookUrl, '/docs'],
  ] as const)
    expect(await statusOf(url, path, ['gateway.example.org'])).toBe(200)
})
