// Commands for admin keys and the console: their requests and output.
import { expect, test } from 'bun:test'
import { runCli } from '../testing/run-cli.ts'

const moment = { as_of: '2026-11-21T09:00:00.000Z', version: 7 }
const key = {
  key_id: 'ak_1',
  key_name: 'adm-...9xYz',
  name: 'Jiwoo Han',
  role: 'judge',
  blocked: false,
  created_at: '2026-11-21T09:00:00.000Z',
  created_by: 'admin',
}

test('create asks for a role, and shows the key once', async () => {
  const made = { key: 'adm-secret', ...key, ...moment }
  const { stdout, requests } = await runCli(['admin-key', 'create', 'Jiwoo Han', '--role', 'judge'], [made])
  const body = { name: 'Jiwoo Han', role: 'judge' }
  expect(requests).toMatchObject([{ method: 'POST', address: 'http://127.0.0.1:4002/admin_keys', body }])
  expect(stdout).toContain('not shown again:\n\n  adm-secret\n')
  const without = await runCli(['admin-key', 'create', 'Jiwoo Han'], [])
  expect([without.exitCode, without.requests.length]).toEqual([2, 0])
  const wrong = await runCli(['admin-key', 'create', 'Jiwoo Han', '--role', 'king'], [])
  expect(wrong.stderr).toContain('organiser, head_judge, judge, operator')
})

test('list, and the actions on one key', async () => {
  const listed = await runCli(
    ['admin-key', 'list'],
    [{ items: [key], next: null, total: { count: 1 }, ...moment }],
  )
  expect(listed.stdout).toMatch(/ak_1 +adm-\.\.\.9xYz +Jiwoo Han +judge +works/)
  const none = await runCli(
    ['admin-key', 'list'],
    [{ items: [], next: null, total: { count: 0 }, ...moment }],
  )
  expect(none.stdout).toContain('No named admin keys.')
  const at = 'http://127.0.0.1:4002/admin_keys/ak_1'
  const ask = async (words: readonly string[], reply: object = { ...key, ...moment }) =>
    (await runCli(['admin-key', ...words], [reply])).requests
  expect(await ask(['block', 'ak_1', '--reason', 'left'])).toMatchObject([
    { method: 'POST', address: at, body: { blocked: true, reason: 'left' } },
  ])
  expect(await ask(['unblock', 'ak_1'])).toMatchObject([{ address: at, body: { blocked: false } }])
  expect(await ask(['update', 'ak_1', '--role', 'operator'])).toMatchObject([
    { address: at, body: { role: 'operator' } },
  ])
  expect(await ask(['regenerate', 'ak_1'], { key: 'adm-new', ...key, ...moment })).toMatchObject([
    { method: 'POST', address: `${at}/regenerate`, body: {} },
  ])
  expect(await ask(['delete', 'ak_1'])).toMatchObject([{ method: 'DELETE', address: at }])
})
