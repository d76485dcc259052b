// How a payload shows which tool runs a hook that was configured for Claude Code.
import { expect, test } from 'bun:test'
import { identifyHost } from './identify-host.ts'

const transcript = '/home/s/.claude/projects/p/s.jsonl'
const inCursor = { CURSOR_VERSION: '2.6.20' }

test.each([
  ['its own payload', { session_id: 's', transcript_path: transcript }, {}, 'claude'],
  ['its own payload without a transcript', { session_id: 's' }, {}, 'claude'],
  [
    'its own with a time, should it ever have one',
    { session_id: 's', timestamp: 1, transcript_path: transcript },
    {},
    'claude',
  ],
  [
    'on Windows',
    { session_id: 's', timestamp: 1, transcript_path: 'C:\\Users\\s\\.claude\\projects\\p\\s.jsonl' },
    {},
    'claude',
  ],
  ['in a terminal of Cursor', { session_id: 's', transcript_path: transcript }, inCursor, 'claude'],
  ['Cursor by its version', { session_id: 's', cursor_version: '2.6.20' }, {}, 'cursor'],
  ['Cursor by the environment', { session_id: 's', conversation_id: 'c' }, inCursor, 'cursor'],
  ['Copilot by its result', { session_id: 's', tool_result: {} }, {}, 'copilot'],
  ['Copilot by its time', { session_id: 's', timestamp: '2026-03-01T05:03:07Z' }, {}, 'copilot'],
  [
    'Copilot by its transcript',
    { session_id: 's', transcript_path: '/home/s/.copilot/x/events.jsonl' },
    {},
    'copilot',
  ],
  ['Copilot by its spelling', { sessionId: 's' }, {}, 'copilot'],
  ['Codex', { session_id: 's', turn_id: 't', model: 'm' }, {}, 'codex'],
  ['Antigravity', { conversationId: 'c' }, {}, 'antigravity'],
] as const)('%s', (_, payload, environment, host) => {
  expect(identifyHost('claude', payload, environment)).toBe(host)
})

test('the hooks of the others are believed', () => {
  expect(identifyHost('gemini', { session_id: 's', timestamp: '2026-03-01T05:03:07Z' }, inCursor)).toBe(
    'gemini',
  )
  expect(identifyHost('copilot', { sessionId: 's', timestamp: 1 }, {})).toBe('copilot')
})
