// `fairgate coverage`: the number of each team, and the sessions to ask about.
import { expect, test } from 'bun:test'
import { runCli } from '../testing/run-cli.ts'

const share = (calls: number, cost: number) => ({ calls, cost_nano: cost * 1e9, cost })
const none = share(0, 0)
const team = {
  team_id: 'team-01',
  as_of: '2026-11-21T09:00:00.000Z',
  coverage: 0.9999,
  coverage_with_probable: 1,
  judged: share(40, 2.5),
  classes: {
    session: share(38, 2),
    text: none,
    ambiguous: none,
    probable: none,
    unexplained: share(2, 0.5),
    pending: share(1, 0.125),
    before_setup: none,
    side: none,
    app: share(3, 0.25),
  },
  unexplained_by: {},
  logged_sessions: 4,
  logged_only: { sessions: 0, entries: 0 },
  sessions_without_entries: [
    {
      session_id: 's-9',
      tool: 'codex',
      class: 'unexplained',
      ...share(2, 0.5),
      first_at: '2026-11-21T08:00:00.000Z',
      last_at: '2026-11-21T08:30:00.000Z',
    },
  ],
}

test('shows each team, rounded down, and the sessions without entries', async () => {
  const young = {
    ...team,
    team_id: 'team-02',
    coverage: null,
    coverage_with_probable: null,
    sessions_without_entries: [],
  }
  const { stdout, requests, exitCode } = await runCli(
    ['coverage'],
    [
      { teams: [team], next: 'team-01' },
      { teams: [young], next: null },
    ],
  )
  expect(exitCode).toBe(0)
  expect(requests.map(({ method, address }) => `${method} ${address}`)).toEqual([
    'GET http://127.0.0.1:4002/coverage',
    'GET http://127.0.0.1:4002/coverage?after=team-01',
  ])
  expect(stdout).toMatch(/team-01 +99\.9 % +100\.0 % +40 +2\.50 +0\.50 +0\.125 +0\.25/)
  expect(stdout).toMatch(/team-02 +- +- +40/)
  expect(stdout).toMatch(/team-01 +codex +s-9 +unexplained +2 +0\.50 +2026-11-21T08:30:00\.000Z/)
  expect(stdout).toContain('no proof of anything')
})

test('asks for one team, and says when there are none', async () => {
  const { requests, stdout } = await runCli(['coverage', 'team-01'], [{ teams: [], next: null }])
  expect(requests[0]?.address).toBe('http://127.0.0.1:4002/coverage?team_id=team-01')
  expect(stdout).toContain('there are no teams yet')
})
