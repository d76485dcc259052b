// Actions on keys, log tokens and calls: --dry-run shows the changes, --reason goes into the audit.
import { expect, test } from 'bun:test'
import { runCli } from './testing/run-cli.ts'

const previewOf = (what: string, from: number | string | boolean, to: number | string | boolean) => ({
  ...{ applied: false, preview_id: `pv_${'0'.repeat(32)}`, warnings: [] },
  changes: [{ what, subject: 'it', from, to, count: 1 }],
  ...{ as_of: '2026-11-21T12:00:00.000Z', version: 7 },
})

test.each([
  [['key', 'block', 'laptop'], '/key/block', { key: 'laptop' }, previewOf('key.blocked', false, true)],
  [['key', 'unblock', 'laptop'], '/key/unblock', { key: 'laptop' }, previewOf('key.blocked', true, false)],
  [
    ['key', 'regenerate', 'laptop', '--grace', '15m'],
    '/key/laptop/regenerate',
    { grace: '15m' },
    previewOf('key.grace_ms', 0, 900_000),
  ],
  [
    ['key', 'delete', 'a1b2', 'c3d4'],
    '/key/delete',
    { keys: ['a1b2', 'c3d4'] },
    previewOf('key.deleted', false, true),
  ],
  [
    ['token', 'revoke', 'lt_1'],
    '/log_token/revoke',
    { token_id: 'lt_1' },
    previewOf('log_token.revoked', false, true),
  ],
  [['refund', 'call-1'], '/calls/call-1/refund', {}, previewOf('call.left_nano', 2_500_000_000, 0)],
  [
    ['adjust', 'call-1', '-1'],
    '/calls/call-1/adjust',
    { amount_nano: -1_000_000_000 },
    previewOf('call.left_nano', 2_500_000_000, 1_500_000_000),
  ],
  [
    ['announce', 'Demos at five.', '--team', 'red'],
    '/announcements',
    { text: 'Demos at five.', teams: ['red'] },
    previewOf('announcement.text', 'none', 'Demos at five.'),
  ],
  [
    ['question', 'answer', 'q_1', 'Yes.', '--all'],
    '/questions/q_1/answer',
    { text: 'Yes.', audience: 'all' },
    previewOf('question.answer', 'none', 'Yes.'),
  ],
  [
    ['admin-key', 'regenerate', 'ak_1'],
    '/admin_keys/ak_1/regenerate',
    {},
    previewOf('admin_key.key_name', 'adm-...abcd', 'a new secret'),
  ],
] as const)('%j --dry-run', async (given, path, body, preview) => {
  const run = await runCli([...given, '--reason', 'lost', '--dry-run'], [preview])
  expect(run.stderr).toBe('')
  expect(run.requests).toMatchObject([
    {
      method: 'POST',
      address: `http://127.0.0.1:4002${path}`,
      body: { ...body, reason: 'lost', dry_run: true },
    },
  ])
  const shown: Readonly<Record<string, string>> = {
    'key.grace_ms': 'key.grace of it: 0 s → 900 s',
    'call.left_nano': 'call.left of it: 2.50 USD → ',
  }
  const [change] = preview.changes
  const plain = `${change?.what} of it: ${change?.from} → ${change?.to}`
  expect(run.stdout).toStartWith('This would change:\n')
  expect(run.stdout).toContain(shown[change?.what ?? ''] ?? plain)
})

test.each([
  [['announcement', 'remove', 'an_1'], '/announcements/an_1'],
  [['admin-key', 'delete', 'ak_1'], '/admin_keys/ak_1'],
])('%j --dry-run, in the query', async (given, path) => {
  const preview = previewOf('it.name', 'Hall', 'none')
  const run = await runCli([...given, '--reason', 'over', '--dry-run'], [preview])
  expect([run.stderr, run.stdout]).toEqual(['', 'This would change:\n  it.name of it: Hall → none\n'])
  expect(run.requests).toMatchObject([
    { method: 'DELETE', address: `http://127.0.0.1:4002${path}?reason=over&dry_run=true` },
  ])
})

test('catalog reload --dry-run shows changed prices, and removed models that are still named', async () => {
  const preview = {
    ...previewOf('model.price', '{"song":0.06}', '{"song":0.07}'),
    warnings: ['models of the team "red" names unknown models: two'],
  }
  const run = await runCli(['catalog', 'reload', '--reason', 'dearer', '--dry-run'], [preview])
  expect(run.stderr).toBe('')
  expect(run.requests).toMatchObject([
    { method: 'POST', address: 'http://127.0.0.1:4002/catalog/reload?reason=dearer&dry_run=true' },
  ])
  expect(run.stdout).toContain('model.price of it: {"song":0.06} → {"song":0.07}')
  expect(run.stdout).toContain('warning: models of the team "red"')
})
