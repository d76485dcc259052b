// Readiness at the admin door: findings, their start, and checks on demand.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { ok, warning } from '../operate/readiness/finding.ts'
import { openAdminDoor } from './testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
beforeEach(async () => {
  door = await openAdminDoor()
})
afterEach(() => door.close())

const item = (part: string, reply: { body: unknown }) =>
  Object(reply.body).items.find((found: { part: string }) => found.part === part)

test('shows each part, and repeats checks older than a minute', async () => {
  door.findings.push(ok('within 1 ms'))
  const first = await door.get('/readiness')
  expect(first).toMatchObject({
    status: 200,
    body: {
      version: 2,
      key_trial: { calls: 2, cost_nano: 1234 },
      items: [
        { part: 'clock', state: 'ok', text: 'within 1 ms', fix: null },
        { part: 'upstreams', state: 'ok', text: 'not tried' },
      ],
    },
  })
  const since = item('clock', first).since
  door.findings.unshift(warning('far off', 'set it'))
  expect(item('clock', await door.get('/readiness')).state).toBe('ok')
  door.time.now += 60_000
  const later = await door.get('/readiness')
  expect(item('clock', later)).toMatchObject({
    state: 'warning',
    text: 'far off',
    fix: 'set it',
    findings: [{ text: 'far off' }, { text: 'within 1 ms' }],
  })
  expect(item('clock', later).since > since).toBe(true)
  expect(item('upstreams', later).since).toBe(item('upstreams', first).since)
  expect(later.body).toMatchObject({ version: 3 })
})

test('checks one part now; upstreams are called only on request', async () => {
  const check = (part: string, body: object = {}) => door.post(`/readiness/${part}/check`, body)
  door.findings.push(warning('far off', 'set it'))
  expect(await check('clock', { calls: true })).toMatchObject({
    status: 200,
    body: { item: { part: 'clock', state: 'warning' } },
  })
  expect(await check('upstreams')).toMatchObject({ body: { item: { text: 'not tried' } } })
  expect(await check('upstreams', { calls: true })).toMatchObject({ body: { item: { text: 'tried' } } })
  expect(door.liftedTimeouts).toContain('/readiness/clock/check')
  expect(await check('nothing')).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
  expect(await check('clock', { calls: 1 })).toMatchObject({
    status: 400,
    body: { error: { param: 'calls' } },
  })
})
