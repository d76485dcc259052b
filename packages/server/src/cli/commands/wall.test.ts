// The commands of walls: what they ask the admin door, and how people read the answers.
import { expect, test } from 'bun:test'
import { runCli } from '../testing/run-cli.ts'

const moment = { as_of: '2026-11-21T09:00:00.000Z', version: 7 }
const link = {
  wall_token_id: 'wt_1',
  name: 'Hall 1',
  shows_budgets: true,
  freeze_at: '2026-11-21T17:00:00.000Z',
  frozen_at: null,
  created_at: '2026-11-21T09:00:00.000Z',
  created_by: 'Lena',
}

test('new sends what is asked for, and prints the address alone on its line', async () => {
  const made = { ...link, url: 'http://127.0.0.1:4000/wall/wall_x', token: 'wall_x', ...moment }
  const line = ['wall', 'new', 'Hall 1', '--budgets', '--freeze-at', '2026-11-21T17:00']
  const { stdout, requests } = await runCli(line, [made])
  const body = { name: 'Hall 1', shows_budgets: true, freeze_at: '2026-11-21T17:00' }
  expect(requests).toMatchObject([{ method: 'POST', address: 'http://127.0.0.1:4002/wall_tokens', body }])
  expect(stdout).toStartWith(`${made.url}\n\n`)
  expect(stdout).toContain('From 2026-11-21T17:00:00.000Z on its figures stand still.')
})

test('list and remove', async () => {
  const list = { items: [link], next: null, total: { count: 1 }, ...moment }
  expect((await runCli(['wall', 'list'], [list])).stdout).toMatch(/wt_1 +Hall 1 +shown +2026-11-21T17/)
  const none = await runCli(['wall', 'list'], [{ ...list, items: [], total: { count: 0 } }])
  expect(none.stdout).toContain('fairgate wall new')
  const removed = await runCli(['wall', 'remove', 'wt_1', '--reason', 'over'], [{ ...link, ...moment }])
  expect(removed.requests).toMatchObject([
    { method: 'DELETE', address: 'http://127.0.0.1:4002/wall_tokens/wt_1?reason=over' },
  ])
  expect(removed.stdout).toBe('The link of the wall "Hall 1" does not work any more.\n')
})
