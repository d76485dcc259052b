// One command for many teams: its requests, and refusals before any request.
import { describe, expect, test } from 'bun:test'
import { runCli } from './testing/run-cli.ts'

const preview = {
  applied: false,
  preview_id: `pv_${'0'.repeat(32)}`,
  bulk_id: null,
  changes: [{ what: 'max_budget_nano', subject: 'red', from: 1, to: 2, count: 1 }],
  warnings: [],
  meets: { teams: 2, running_calls: 0, open_streams: 0 },
  as_of: '2026-11-21T12:00:00.000Z',
  version: 7,
}
const done = { ...preview, applied: true, bulk_id: 'bulk_1' }

describe('many teams', () => {
  test.each([
    [['team', 'update', '--all', '--budget', '30'], 'update', { teams: 'all', max_budget: 30 }],
    [['team', 'block', '--team', 'red, blue'], 'block', { teams: ['red', 'blue'] }],
    [['team', 'unblock', '--where', 'tag=final'], 'unblock', { teams: 'all', where: { tag: 'final' } }],
    [['team', 'block', 'red', '--reason', 'shared keys'], 'block', { teams: ['red'], reason: 'shared keys' }],
    [
      ['board', 'lock', '--all', '--at', '2026-11-21T18:00Z'],
      'lock',
      { teams: 'all', lock_at: '2026-11-21T18:00Z' },
    ],
    [['board', 'unlock', '--team', 'red'], 'unlock', { teams: ['red'] }],
    [['team', 'lock', '--all'], 'lock', { teams: 'all' }],
  ])('%j previews and then makes the change', async (given, path, body) => {
    const { exitCode, requests, stdout } = await runCli(given, [preview, done])
    expect(exitCode).toBe(0)
    const address = `http://127.0.0.1:4002/teams/${path}`
    expect(requests).toMatchObject([
      { method: 'POST', address, body: { ...body, dry_run: true } },
      { method: 'POST', address, body: { ...body, preview_id: preview.preview_id } },
    ])
    expect(stdout).toContain('Done.')
  })

  test('money is shown in USD', async () => {
    const changes = [{ what: 'max_budget_nano', subject: 'red', from: null, to: 12_500_000_000, count: 1 }]
    const { stdout } = await runCli(
      ['team', 'update', '--all', '--budget', '12.5', '--dry-run'],
      [{ ...preview, changes }],
    )
    expect(stdout).toContain('max_budget of red: none → 12.50 USD')
  })

  test('--dry-run only previews', async () => {
    const { requests, stdout } = await runCli(
      ['team', 'update', '--all', '--rpm', '3', '--dry-run'],
      [preview],
    )
    expect(requests).toHaveLength(1)
    expect(stdout).toContain('This would change:')
  })

  test('a change that was probably not intended needs confirmation, and --now of a lock gives it', async () => {
    const past = { ...preview, warnings: ['It lies in the past.'] }
    const given = ['board', 'lock', '--all', '--at', '2020-01-01T00:00Z']
    const asked = await runCli(given, [past])
    expect(asked.exitCode).toBe(1)
    expect(asked.requests).toHaveLength(1)
    expect((await runCli([...given, '--now'], [past, done])).exitCode).toBe(0)
  })

  test.each([
    [['team', 'block'], 'name a team, or many'],
    [['team', 'block', 'red', '--all'], 'in one way'],
    [['team', 'update', '--all', '--team', 'red', '--rpm', '1'], 'in one way'],
    [['team', 'update', '--all'], 'nothing to change'],
    [['team', 'block', '--where', 'color=red'], 'tag=NAME'],
  ])('%j is refused', async (given, said) => {
    const { exitCode, stderr, requests } = await runCli(given)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(said)
    expect(requests).toEqual([])
  })
})
