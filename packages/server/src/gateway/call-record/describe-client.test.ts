// Who a call says it comes from: the headers that coding agents of the pinned versions send.
import { expect, test } from 'bun:test'
import { describeClient } from './describe-client.ts'

const none = {
  sessionId: null,
  sessionSource: null,
  parentSession: null,
  tool: null,
  userAgent: null,
  address: null,
}

const rows: readonly [string, Record<string, string>, object][] = [
  ['nothing at all', {}, {}],
  [
    'Claude Code',
    { 'user-agent': 'claude-cli/2.1.330 (external, sdk-cli)', 'x-claude-code-session-id': 'c-1' },
    { tool: 'claude', sessionId: 'c-1', sessionSource: 'x-claude-code-session-id' },
  ],
  [
    'a sub-agent of Codex',
    {
      'user-agent': 'codex_exec/0.169.0 (Debian 12.0.0; x86_64)',
      'session-id': 's-1',
      'thread-id': 't-2',
      'x-codex-parent-thread-id': 't-1',
    },
    { tool: 'codex', sessionId: 's-1', sessionSource: 'session-id', parentSession: 't-1' },
  ],
  ['Gemini CLI', { 'user-agent': 'GeminiCLI-tui/0.61.0/mm-2.5-flash (linux)' }, { tool: 'gemini' }],
  [
    'Copilot CLI, whose user agent is that of an SDK',
    { 'user-agent': 'OpenAI/JS 5.20.1', 'x-initiator': 'agent' },
    { tool: 'copilot' },
  ],
  [
    'opencode',
    { 'user-agent': 'opencode/1.18.33 ai-sdk', 'x-session-id': 'ses_1', 'x-session-affinity': 'ses_1' },
    { tool: 'opencode', sessionId: 'ses_1', sessionSource: 'x-session-id' },
  ],
  ['an SDK', { 'user-agent': 'OpenAI/Python 2.20.0' }, {}],
  [
    'another program with a session',
    { 'user-agent': 'mine/1', 'x-session-id': 'mine-1' },
    { sessionId: 'mine-1', sessionSource: 'x-session-id' },
  ],
  ['an empty session', { 'x-claude-code-session-id': '  ' }, { tool: 'claude' }],
]

test.each(rows)('%s', (_, headers, expected) => {
  const told = describeClient(new Headers(headers), null)
  expect(told).toEqual({ ...none, userAgent: headers['user-agent'] ?? null, ...expected })
})

test('a session in the body counts where no header names one', () => {
  expect(describeClient(new Headers(), '10.1.1.1', 'b-1')).toMatchObject({
    sessionId: 'b-1',
    sessionSource: 'body',
    address: '10.1.1.1',
  })
  expect(describeClient(new Headers({ 'x-session-id': 'h-1' }), null, 'b-1').sessionId).toBe('h-1')
})

test('what cannot be shown is taken out, and what is too long is cut', () => {
  const told = describeClient(new Headers({ 'user-agent': `a\u00adb${'x'.repeat(1000)}` }), null, '\u202e')
  expect(told.userAgent?.startsWith('abx')).toBe(true)
  expect(told.userAgent?.length).toBeLessThanOrEqual(300)
  expect(told.sessionId).toBeNull()
})
