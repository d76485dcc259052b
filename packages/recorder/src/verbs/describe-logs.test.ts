// How sessions look: grouped by session and prompt, in lines that fit a terminal and are complete in a pipe.
import { expect, test } from 'bun:test'
import type { StoredEntry } from '@fairgate/contracts/logbook/entries-page.ts'
import { displayWidth } from '../terminal/display-width.ts'
import { paintLine } from '../terminal/paint.ts'
import { describeLogs } from './describe-logs.ts'

/** A given minute of a day, in this machine's time. */
const entry = (
  minute: number,
  tool: string,
  session_id: string,
  more: Partial<StoredEntry>,
): StoredEntry => ({
  ts: new Date(2026, 2, 1, 14, minute, 7).toISOString(),
  tool,
  event: 'Event',
  session_id,
  repo: 'project',
  branch: 'main',
  commit: 'abc1234',
  student: 's@example.org',
  model: 'model-large',
  prompt: null,
  tool_name: null,
  tool_input: null,
  tool_response: null,
  tool_error: null,
  response_summary: null,
  stop_reason: null,
  received_at: '2026-03-01T05:00:00.000Z',
  ...more,
})

/** Newest first, as the logbook gives them. */
const entries = [
  entry(9, 'claude', 'one', { response_summary: '다 됐습니다. '.repeat(30), stop_reason: 'end_turn' }),
  entry(8, 'claude', 'one', {
    tool_name: 'Bash',
    tool_input: { command: 'npm test\n--all' },
    tool_error: 'exit code 1',
  }),
  entry(7, 'codex', 'two', { response_summary: 'Done.' }),
  entry(6, 'claude', 'one', { prompt: 'And the tests?' }),
  entry(5, 'codex', 'two', { prompt: 'Draw a map' }),
  entry(4, 'claude', 'one', {
    tool_name: 'Edit',
    tool_input: { old_string: 'a', file_path: 'a.ts' },
    branch: 'topic',
  }),
  entry(3, 'claude', 'one', { prompt: 'Add a\ntest' }),
  entry(2, 'claude', 'one', { event: 'SessionStart', stop_reason: null }),
]
const write = (look: Parameters<typeof describeLogs>[1]) =>
  describeLogs(entries, look).map(line => paintLine(line, false))

test('in a pipe: each session once, the one that was last at work first; each prompt with what followed it', () => {
  expect(write({ isTerminal: false, width: 80, isFull: false })).toEqual([
    'claude  one  project on main, topic, s@example.org, model-large',
    '2026-03-01, 6 entries',
    '  14:02:07   SessionStart',
    '',
    '  14:03:07 > Add a test',
    '  14:04:07   Edit  a.ts',
    '',
    '  14:06:07 > And the tests?',
    '  14:08:07 ! Bash  npm test --all: exit code 1',
    `  14:09:07 < ${'다 됐습니다. '.repeat(30).trim()} (end_turn)`,
    '',
    'codex  two  project on main, s@example.org, model-large',
    '2026-03-01, 2 entries',
    '  14:05:07 > Draw a map',
    '  14:07:07 < Done.',
  ])
})

test('on a terminal every line fits, and a long answer takes three', () => {
  const lines = write({ isTerminal: true, width: 60, isFull: false })
  expect(lines.filter(line => displayWidth(line) > 60)).toEqual([])
  const answer = lines.findIndex(line => line.includes('< '))
  expect(lines.slice(answer, answer + 3).at(-1)).toEndWith('…')
  expect(lines[answer + 3]).toBe('')
})

test('--full shows inputs, outputs and line breaks', () => {
  const page = write({ isTerminal: false, width: 80, isFull: true }).join('\n')
  expect(page).toContain('> Add a\n             test\n')
  expect(page).toContain('"file_path": "a.ts"')
  expect(page).toContain('error\n               exit code 1')
})

test('a prompt that the tool wrote itself is marked as automatic', () => {
  const own = entry(1, 'claude', 's', { prompt: '<task-notification> done' })
  const page = describeLogs([own], { isTerminal: false, width: 80, isFull: false })
  expect(page.map(line => paintLine(line, false)).at(-1)).toBe(
    '  14:01:07   automatic  <task-notification> done',
  )
})

test('a session over midnight names the new day', () => {
  const late = entry(1, 'codex', 's', { prompt: 'late', ts: new Date(2026, 2, 1, 23, 59, 0).toISOString() })
  const early = entry(1, 'codex', 's', {
    response_summary: 'early',
    ts: new Date(2026, 2, 2, 0, 1, 0).toISOString(),
  })
  const page = describeLogs([early, late], { isTerminal: false, width: 80, isFull: false })
  expect(page.map(line => paintLine(line, false)).slice(1)).toEqual([
    '2026-03-01, 2 entries',
    '  23:59:00 > late',
    '2026-03-02',
    '  00:01:00 < early',
  ])
})
