// The commands of the rehearsed past: what they ask the admin door, and how people read the answers.
import { expect, test } from 'bun:test'
import { runCli } from '../testing/run-cli.ts'

const moment = { as_of: '2026-11-21T09:00:00.000Z', version: 7 }
const counts = {
  applied: true,
  why_not: null,
  teams: 12,
  members: 36,
  calls: 1500,
  refused: 90,
  entries: 2000,
}

test('fill asks for it, and says how it goes away again', async () => {
  const link = 'http://127.0.0.1:4000/sign-in#once=once_x'
  const { stdout, requests } = await runCli(['demo', 'fill'], [{ ...counts, team_page: link, ...moment }])
  expect(requests).toMatchObject([{ method: 'POST', address: 'http://127.0.0.1:4002/demo/fill', body: {} }])
  expect(stdout).toContain('12 teams with 36 members, 1500 calls (90 of them refused) and 2000 log entries.')
  expect(stdout).toContain('delete its data folder')
  expect(stdout).toContain(`  ${link}\n`)
})

test('show says whether it can be filled', async () => {
  const state = { filled: false, can_fill: false, why_not: 'This server has teams already.', ...moment }
  expect((await runCli(['demo', 'show'], [state])).stdout).toBe('This server has teams already.\n')
  const filled = await runCli(['demo', 'show'], [{ ...state, filled: true }])
  expect(filled.stdout).toBe('This server has a rehearsed past.\n')
  const free = await runCli(['demo', 'show'], [{ ...state, can_fill: true, why_not: null }])
  expect(free.stdout).toContain('fairgate demo fill')
})
