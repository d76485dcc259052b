// The commands that look at one team: what they ask the admin door, and how people read the answers.
import { expect, test } from 'bun:test'
import { runCli } from '../testing/run-cli.ts'

const door = 'http://127.0.0.1:4002'
const at = '2026-11-21T09:00:00.000Z'
const moment = { as_of: at, version: 7 }

test('timeline shows what a team did, and where the page goes on', async () => {
  const call = {
    kind: 'refusal',
    at,
    text: 'The team has made 30 calls within a minute.',
    model: 'mm-2.5-flash',
    event: null,
    tool: 'opencode',
    session_id: null,
    cost_nano: null,
    duration_ms: 3,
    claimed_at: null,
    count: 4,
    ref: 'c_1',
  }
  const grant = { ...call, kind: 'grant', model: null, tool: null, cost_nano: 5e9, count: 1, text: 'network' }
  const line = ['timeline', 'red', '--kind', 'refusal', '--limit', '2', '--after', 'abc']
  const run = await runCli(line, [{ items: [call, grant], next: 'def', ...moment }])
  expect(run.requests.map(({ address }) => address)).toEqual([
    `${door}/timeline?team_id=red&kind=refusal&limit=2&after=abc`,
  ])
  expect(run.stdout).toMatch(/refusal × 4 +mm-2.5-flash +opencode +- +The team/)
  expect(run.stdout).toMatch(/grant +- +- +5.00 +network/)
  expect(run.stdout).toEndWith('More with --after def\n')
  expect((await runCli(['timeline', 'red', '--kind', 'wish'])).exitCode).toBe(2)
  expect((await runCli(['timeline'])).exitCode).toBe(2)
})

test('session list tells who worked, and what it cost; with or without entries, not both', async () => {
  const session = {
    team_id: 'red',
    session_id: 's-1',
    tool: 'claude-code',
    first_at: at,
    last_at: at,
    students: ['haeun@example.org'],
    members: [{ member_id: 'mb_1', name: 'Haeun Kim' }],
    repo: null,
    branch: null,
    prompts: 2,
    late: 0,
    entries: 9,
    calls: 3,
    cost_nano: 1_500_000_000,
  }
  const total = { count: 8, entries: 90, calls: 30, cost_nano: 2e9, exact: true }
  const reply = { items: [session, { ...session, members: [] }], next: null, total, ...moment }
  const run = await runCli(['session', 'list', 'red', '--unlogged', '--from', at], [reply])
  expect(run.requests.map(({ address }) => address)).toEqual([
    `${door}/sessions?team_id=red&from=${encodeURIComponent(at)}&logged=false`,
  ])
  expect(run.stdout).toMatch(/s-1 +claude-code .* Haeun Kim +2 +9 +3 +1.50/)
  expect(run.stdout).toContain('haeun@example.org')
  expect(run.stdout).toEndWith('All 8: 90 entries, 30 calls, 2.00 USD.\n')
  expect((await runCli(['session', 'list', 'red', '--logged', '--unlogged'])).exitCode).toBe(2)
})

test('recorder list tells what waits, and what is wrong', async () => {
  const recorder = {
    clone_id: 'clone-1',
    students: [],
    members: [{ member_id: 'mb_1', name: 'Haeun Kim' }],
    token_ids: ['lt_1'],
    version: '1.2.0',
    last_seen: at,
    last_event: null,
    last_received: at,
    entries: 12,
    missing: 1,
    unsent: null,
    spool_age_ms: null,
    tools: [],
    warnings: [{ code: 'numbers_missing', text: '1 number has no entry.' }],
  }
  const run = await runCli(['recorder', 'list', 'red'], [{ items: [recorder], next: null, ...moment }])
  expect(run.requests.map(({ address }) => address)).toEqual([`${door}/recorders?team_id=red`])
  expect(run.stdout).toMatch(/clone-1 +Haeun Kim +1.2.0 +\S+ +- +12 +1 +-/)
  expect(run.stdout).toEndWith('warning: clone-1: 1 number has no entry.\n')
  const none = await runCli(['recorder', 'list', 'red'], [{ items: [], next: null, ...moment }])
  expect(none.stdout).toBe('No recorders: none has sent an entry.\n')
})
