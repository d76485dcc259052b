// Grants and corrections: their requests and output.
import { expect, test } from 'bun:test'
import { runCli } from '../testing/run-cli.ts'

const written = {
  adjustment_id: 'fix-1',
  team_id: 'red',
  amount_nano: 1,
  as_of: '2026-11-21T12:00:00.000Z',
  version: 7,
}
const granted = { ...written, granted_nano: 10_000_000_000 }
const corrected = { ...written, call_id: 'call-1', charged_nano: 2_500_000_000, left_nano: 0 }

test.each([
  [['grant', 'red', '10'], granted, '/team/red/grant', { amount_nano: 10_000_000_000 }],
  [['grant', 'red', '-0.5'], granted, '/team/red/grant', { amount_nano: -500_000_000 }],
  [['refund', 'call-1'], corrected, '/calls/call-1/refund', {}],
  [['refund', 'call-1', '--amount', '2'], corrected, '/calls/call-1/refund', { amount_nano: 2_000_000_000 }],
  [['adjust', 'call-1', '-0.25'], corrected, '/calls/call-1/adjust', { amount_nano: -250_000_000 }],
])('%j', async (given, reply, path, fields) => {
  const run = await runCli([...given, '--reason', 'why', '--id', 'fix-1'], [reply])
  expect(run.stderr).toBe('')
  expect(run.requests).toEqual([
    expect.objectContaining({
      method: 'POST',
      address: `http://127.0.0.1:4002${path}`,
      body: { ...fields, reason: 'why', adjustment_id: 'fix-1' },
    }),
  ])
  expect(run.stdout).toContain(reply === granted ? '10.00 USD on top' : 'charged 2.50 USD; 0.00 USD')
})

test('refund-undelivered takes a range and shows the refunds', async () => {
  const reply = { bulk_id: 'bulk_1', calls: 3, amount_nano: -2_500_000_000, as_of: written.as_of, version: 7 }
  const range = { from: '2026-11-21T10:02:00+09:00', until: '2026-11-21T10:04:00+09:00' }
  const given = ['--from', range.from, '--until', range.until, '--reason', 'why']
  const run = await runCli(['refund-undelivered', ...given], [reply])
  expect(run.stderr).toBe('')
  const address = 'http://127.0.0.1:4002/calls/refund_undelivered'
  expect(run.requests).toMatchObject([{ method: 'POST', address, body: { ...range, reason: 'why' } }])
  expect(run.stdout).toContain('3 calls refunded, 2.50 USD')
})

const preview = {
  ...{ applied: false, preview_id: `pv_${'0'.repeat(32)}`, bulk_id: null, warnings: [] },
  changes: [{ what: 'granted_nano', subject: 'red', from: 0, to: 10_000_000_000, count: 1 }],
  meets: { teams: 2, running_calls: 0, open_streams: 0 },
  ...{ as_of: '2026-11-21T12:00:00.000Z', version: 7 },
}

test.each([
  [['--all', '10'], { teams: 'all' }],
  [['--team', 'red,blue', '10'], { teams: ['red', 'blue'] }],
  [['--where', 'tag=final', '10'], { teams: 'all', where: { tag: 'final' } }],
  [['red', '10', '--yes'], { teams: ['red'] }],
])('grant %j previews and then grants', async (given, chosen) => {
  const done = { ...preview, applied: true, bulk_id: 'bulk_1' }
  const run = await runCli(['grant', ...given, '--reason', 'an hour more', '--id', 'more-1'], [preview, done])
  expect(run.stderr).toBe('')
  const body = { ...chosen, amount_nano: 10_000_000_000, reason: 'an hour more', adjustment_id: 'more-1' }
  const address = 'http://127.0.0.1:4002/teams/grant'
  expect(run.requests).toMatchObject([
    { method: 'POST', address, body: { ...body, dry_run: true } },
    { method: 'POST', address, body: { ...body, preview_id: preview.preview_id } },
  ])
  expect(run.stdout).toContain('Done.')
})

test.each([
  [['grant', 'red', '10']],
  [['grant', '--all', '10']],
  [['grant', '10', '--reason', 'why']],
  [['grant', 'red', '--all', '10', '--reason', 'why']],
  [['grant', '--reason', 'why']],
  [['grant', '--all', 'x', '--reason', 'why']],
  [['grant', 'red', '0', '--reason', 'why']],
  [['adjust', 'call-1', 'x', '--reason', 'why']],
])('%j is refused', async given => {
  const { exitCode, requests } = await runCli(given)
  expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] })
})
