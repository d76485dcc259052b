// Times in all commands: relative to now, or as the server reads them.
import { afterEach, beforeEach, expect, setSystemTime, test } from 'bun:test'
import { runCli } from './testing/run-cli.ts'

beforeEach(() => void setSystemTime(new Date('2026-11-21T12:00:00.000Z')))
afterEach(() => void setSystemTime())

test.each([
  ['now', '2026-11-21T12:00:00.000Z'],
  ['-2h', '2026-11-21T10:00:00.000Z'],
  ['+1h30m', '2026-11-21T13:30:00.000Z'],
  ['-1w', '2026-11-14T12:00:00.000Z'],
  ['2026-11-21T18:00', '2026-11-21T18:00'],
  ['noon', 'noon'],
])('%s is %s', async (typed, sent) => {
  const { requests } = await runCli(['call', 'list', '--from', typed], [{ items: [], next_before: null }])
  expect(new URL(requests[0]?.address ?? '').searchParams.get('from')).toBe(sent)
})

test.each(['-2', '+', '-2x', '+1h-5m', `+${'9'.repeat(30)}w`])('%s is refused', async typed => {
  const { exitCode, stderr, requests } = await runCli(['spend', 'top', '--until', typed])
  expect([exitCode, requests]).toEqual([2, []])
  expect(stderr).toContain("option '--until <time>' argument")
})

test.each([
  [['announce', 'Lunch.', '--until', '+2h'], 'until'],
  [['board', 'lock', 'red', '--at', '+2h'], 'lock_at'],
  [['refund-undelivered', '--from', '+2h', '--until', 'now', '--reason', 'x'], 'from'],
])('%j', async (given, member) => {
  const { requests } = await runCli(given, [{}])
  expect(requests[0]?.body).toMatchObject({ [member]: '2026-11-21T14:00:00.000Z' })
})
