// Member commands: their requests and output.
import { expect, test } from 'bun:test'
import type { PersonReply } from '@fairgate/contracts/management/people.ts'
import { runCli } from '../testing/run-cli.ts'

const moment = { as_of: '2026-11-21T09:00:00.000Z', version: 7 }
const ada = {
  member_id: 'mb_1',
  team_id: 'red',
  name: 'Ada',
  email: null,
  claimed_at: null,
  removed_at: null,
  created_at: '2026-11-20T09:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
  created_by: 'admin',
  updated_by: 'admin',
  keys: [],
  log_tokens: [],
}
const person = (changes: Partial<PersonReply> = {}): PersonReply => ({ ...ada, ...moment, ...changes })

test('member add sends the name and the other details', async () => {
  const line = ['member', 'add', 'red', 'Ada', '--email', 'ada@example.org', '--reason', 'late']
  const { stdout, requests } = await runCli(line, [person()])
  const body = { team_id: 'red', name: 'Ada', email: 'ada@example.org', reason: 'late' }
  expect(requests).toMatchObject([{ method: 'POST', address: 'http://127.0.0.1:4002/people', body }])
  expect(stdout).toMatch(/^seat +free$/m)
})

test('member list reads all pages', async () => {
  const page = (name: string, next: string | null) => ({
    items: [{ ...ada, name }],
    next,
    total: { count: 2 },
    ...moment,
  })
  const { stdout, requests } = await runCli(
    ['member', 'list', 'red', '--removed'],
    [page('Ada', 'mb_1'), page('Eve', null)],
  )
  expect(requests.map(({ address }) => address)).toEqual([
    'http://127.0.0.1:4002/people?team_id=red&removed=true&limit=500',
    'http://127.0.0.1:4002/people?team_id=red&removed=true&limit=500&after=mb_1',
  ])
  expect(stdout).toMatch(/Ada[\s\S]*Eve/)
  const nobody = await runCli(['member', 'list'], [{ items: [], next: null, total: { count: 0 }, ...moment }])
  expect(nobody.stdout).toContain('fairgate member add')
})

test('member update sends only given options, and refuses to change nothing', async () => {
  const { requests } = await runCli(
    ['member', 'update', 'mb_1', '--email', 'none', '--free-seat'],
    [person()],
  )
  expect(requests).toMatchObject([
    { address: 'http://127.0.0.1:4002/people/mb_1', body: { email: null, free_seat: true } },
  ])
  expect((await runCli(['member', 'update', 'mb_1', '--reason', 'x'], [])).exitCode).toBe(2)
})

test('member remove says what happens to the keys', async () => {
  const { stdout, requests } = await runCli(['member', 'remove', 'mb_1', '--keys', 'block'], [person()])
  expect(requests).toMatchObject([
    { method: 'DELETE', address: 'http://127.0.0.1:4002/people/mb_1?keys=block' },
  ])
  expect(stdout).toBe('Ada is no longer a member of team red.\n')
  expect((await runCli(['member', 'remove', 'mb_1', '--keys', 'burn'], [])).exitCode).toBe(2)
})

test('member show lists keys and log tokens', async () => {
  const keys = [
    { token: 'ab12', key_name: 'sk-...4Kq2', key_alias: 'laptop', blocked: true, expires_at: null },
  ]
  const log_tokens = [{ token_id: 'lt_1', token_name: 'aitc_...abcd', revoked_at: null }]
  const { stdout } = await runCli(
    ['member', 'show', 'mb_1'],
    [person({ keys, log_tokens, claimed_at: ada.created_at })],
  )
  expect(stdout).toMatch(/^key +sk-...4Kq2 laptop \(blocked\) ab12$/m)
  expect(stdout).toMatch(/^log token +aitc_...abcd lt_1 \(works\)$/m)
  expect(stdout).toMatch(/^seat +claimed 2026-11-20/m)
})

test('--dry-run of add and remove shows the changes', async () => {
  const change = { what: 'member.removed', subject: 'mb_1', from: false, to: true, count: 1 }
  const preview = { applied: false, preview_id: 'pv_1', changes: [change], warnings: [], ...moment }
  const removed = await runCli(['member', 'remove', 'mb_1', '--keys', 'keep', '--dry-run'], [preview])
  expect(removed.requests).toMatchObject([
    { method: 'DELETE', address: 'http://127.0.0.1:4002/people/mb_1?keys=keep&dry_run=true' },
  ])
  expect(removed.stdout).toBe('This would change:\n  member.removed of mb_1: false → true\n')
  const added = await runCli(['member', 'add', 'red', 'Ada', '--dry-run'], [preview])
  expect(added.requests).toMatchObject([{ body: { team_id: 'red', name: 'Ada', dry_run: true } }])
})
