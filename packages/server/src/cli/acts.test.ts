// Acts on keys, log tokens and calls: --dry-run asks what would change and shows it, --reason goes into the audit.
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
