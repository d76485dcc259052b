// The commands of webhooks: what they ask the admin door, and how people read the answers.
import { expect, test } from 'bun:test'
import { runCli } from '../testing/run-cli.ts'

const moment = { as_of: '2026-11-21T09:00:00.000Z', version: 7 }
const hook = {
  webhook_id: 'wh_1',
  url: 'https://hooks.example/…path',
  kind: 'slack',
  events: ['budget_spent'],
  created_at: '2026-11-21T09:00:00.000Z',
  created_by: 'admin',
}

test('add sends address, form and events, and shows the secret', async () => {
  const line = ['webhook', 'add', 'https://hooks.example/x', '--kind', 'slack', '--events', 'budget_spent']
  const { stdout, requests } = await runCli(line, [{ ...hook, secret: 'whsec_1', ...moment }])
  const body = { url: 'https://hooks.example/x', kind: 'slack', events: ['budget_spent'] }
  expect(requests).toMatchObject([{ method: 'POST', address: 'http://127.0.0.1:4002/webhooks', body }])
  expect(stdout).toContain('whsec_1 (it is not shown again)')
})

test('list and remove', async () => {
  const counts = { fault: null, waiting: 2, sent: 1, given_up: 0, last_sent_at: null }
  const listed = await runCli(
    ['webhook', 'list'],
    [{ items: [{ ...hook, ...counts }], next: null, total: { count: 1 }, ...moment }],
  )
  expect(listed.stdout).toMatch(/wh_1 +https:\/\/hooks\.example\/…path +slack +on +budget_spent +2 +1 +0/)
  const removed = await runCli(['webhook', 'remove', 'wh_1'], [{ ...hook, ...moment }])
  expect(removed.requests).toMatchObject([
    { method: 'DELETE', address: 'http://127.0.0.1:4002/webhooks/wh_1' },
  ])
})

test('test ends with 1 when the receiver did not take the message', async () => {
  const tested = { webhook_id: 'wh_1', took_ms: 5, ...moment }
  const taken = await runCli(['webhook', 'test', 'wh_1'], [{ ...tested, ok: true, status: 204, error: null }])
  expect([taken.exitCode, taken.stdout]).toEqual([0, 'It took the message (204, 5 ms).\n'])
  const refused = await runCli(
    ['webhook', 'test', 'wh_1'],
    [{ ...tested, ok: false, status: 500, error: 'it answered 500' }],
  )
  expect([refused.exitCode, refused.stdout]).toEqual([1, 'It did not take the message: it answered 500.\n'])
})
