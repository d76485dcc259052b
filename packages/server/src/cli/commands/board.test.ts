// Board commands: locks now and at a given time, and the list of all boards.
import { expect, test } from 'bun:test'
import { buildBoard } from '../testing/build-replies.ts'
import { runCli } from '../testing/run-cli.ts'

const time = '2026-11-21T18:00:00+09:00'
const lockAt = '2026-11-21T09:00:00.000Z'

test('board list shows lock, entries and head', async () => {
  const reply = { boards: [buildBoard(), buildBoard({ team_id: 'team-02', locked: true, lock_at: lockAt })] }
  const { stdout, requests } = await runCli(['board', 'list'], [reply])
  expect(requests).toMatchObject([{ method: 'GET', address: 'http://127.0.0.1:4002/logs/boards' }])
  expect(stdout).toMatch(/team-01 +open +- +7 +c0ffee00c0ffee00 /)
  expect(stdout).toMatch(/team-02 +locked +2026-11-21T09:00:00.000Z +7 /)
  const one = await runCli(['board', 'list', 'team-02'], [reply])
  expect(one.requests[0]?.address).toBe('http://127.0.0.1:4002/logs/boards?team_id=team-02')
  const json = await runCli(['board', 'list', '--json'], [reply])
  expect(JSON.parse(json.stdout)).toEqual({ items: reply.boards, next: null })
})

test.each([
  {
    given: ['lock', 'team-01'],
    body: { team_id: 'team-01' },
    board: buildBoard({ locked: true }),
    says: 'locked',
  },
  {
    given: ['lock', 'team-01', '--at', time],
    body: { team_id: 'team-01', lock_at: time },
    board: buildBoard({ lock_at: lockAt }),
    says: `is open and locks at ${lockAt}`,
  },
  {
    given: ['lock', 'team-01', '--at', '2020-01-01T00:00:00Z', '--now'],
    body: { team_id: 'team-01', lock_at: '2020-01-01T00:00:00Z', now: true },
    board: buildBoard({ locked: true }),
    says: 'locked',
  },
  { given: ['unlock', 'team-01'], body: { team_id: 'team-01' }, board: buildBoard(), says: 'is open.' },
])('board $given', async ({ given, body, board, says }) => {
  const { exitCode, stdout, requests } = await runCli(['board', ...given], [board])
  expect(exitCode).toBe(0)
  expect(requests).toMatchObject([{ method: 'POST', address: `http://127.0.0.1:4002/team/${given[0]}` }])
  expect(requests[0]?.body).toEqual(body)
  expect(stdout).toContain(says)
})
