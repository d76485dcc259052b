// Items of a session as a person reads them.
import { expect, test } from 'bun:test'
import type { SessionItem } from '@fairgate/contracts/console/session-view.ts'
import { gapBefore, readItem } from './read-item.ts'

const item = (entry: object, at = '2026-11-21T10:00:00.000Z'): SessionItem => ({
  kind: 'entry',
  at,
  ref: 'red#1',
  call: null,
  entry: {
    seq: 1,
    ts: at,
    received_at: at,
    is_late: false,
    token_id: null,
    member_id: null,
    event: 'x',
    entry,
    more: false,
  },
})

test('prompts, answers and tools are told apart', () => {
  expect(readItem(item({ prompt: 'Why?' }))).toMatchObject({ kind: 'prompt', text: 'Why?' })
  expect(readItem(item({ response_summary: 'Because.', stop_reason: 'end_turn' }))).toMatchObject({
    kind: 'answer',
    text: 'Because.',
    stopReason: 'end_turn',
  })
  expect(readItem(item({ stop_reason: 'idle' }))).toMatchObject({ kind: 'other', text: 'idle' })
})

test('a tool at work is one line, and open where it failed', () => {
  const input = { command: 'npm test\nsecond line' }
  expect(
    readItem(item({ tool_name: 'Bash', tool_input: input, tool_response: { exit_code: 0 } })),
  ).toMatchObject({
    kind: 'tool',
    name: 'Bash',
    gist: 'npm test',
    isOpen: false,
  })
  expect(
    readItem(item({ tool_name: 'Bash', tool_input: input, tool_response: { exit_code: 1 } })),
  ).toMatchObject({ isOpen: true })
  expect(readItem(item({ tool_name: 'Read', tool_input: 'a.ts', tool_error: 'No such file' }))).toMatchObject(
    {
      gist: 'a.ts',
      error: 'No such file',
      isOpen: true,
    },
  )
  expect(readItem(item({ tool_name: 'Shell', tool_input: { command: ['ls', '-l'] } }))).toMatchObject({
    gist: 'ls -l',
  })
})

test('members with the names of an object harm nobody', () => {
  expect(
    readItem(item(JSON.parse('{"tool_name":"x","tool_input":{"__proto__":{"command":"y"}}}'))),
  ).toMatchObject({
    kind: 'tool',
    gist: '',
  })
})

test('a gap is told from five minutes on', () => {
  const first = item({ prompt: 'a' })
  expect(gapBefore(item({ prompt: 'b' }, '2026-11-21T10:04:59.000Z'), first)).toBeNull()
  expect(gapBefore(item({ prompt: 'b' }, '2026-11-21T10:06:00.000Z'), first)).toBe(360_000)
  expect(gapBefore(first, undefined)).toBeNull()
})
