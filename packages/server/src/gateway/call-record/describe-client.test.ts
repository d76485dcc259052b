// Checks which program a call is attributed to, by the headers that coding agents of the pinned versions send.
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
    'Copilot CLI, with the user agent of an SDK',
    { 'user-agent': 'OpenAI/JS 5.20.1', 'x-initiator': 'agent' },
    { tool: 'copilot' },
  ],
  ['Qwen Code', { 'user-agent': 'QwenCode/0.24.4 (linux; x64)' }, { tool: 'qwen' }],
  [
    'Qwen Code by Messages',
    { 'user-agent': 'claude-cli/0.24.4 (external, cli)', 'x-app': 'cli' },
    { tool: 'qwen' },
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
  const reported = describeClient(new Headers(headers), null, null)
  expect(reported).toEqual({ ...none, userAgent: headers['user-agent'] ?? null, ...expected })
})

const uuid = '5c695e77-29b9-47cb-8b35-d3b8a9f700e1'
const claude = { 'user-agent': 'claude-cli/2.1.330' }
const codex = { 'user-agent': 'codex_exec/0.169.0' }
const copilot = { 'user-agent': 'OpenAI/JS 5.20.1', 'x-initiator': 'agent' }
const folder = `Save plans to /home/me/.copilot/session-state/${uuid}/plan.md.`
const copilotTools = ['bash', 'read_bash', 'stop_bash', 'fetch_copilot_cli_documentation']

const bodies: readonly [string, Record<string, string>, unknown, object][] = [
  [
    'Claude Code, JSON in the user id',
    claude,
    { metadata: { user_id: JSON.stringify({ device_id: 'd', session_id: uuid }) } },
    { tool: 'claude', sessionId: uuid },
  ],
  [
    'Claude Code, an older user id',
    claude,
    { metadata: { user_id: `user_1_account__session_${uuid}` } },
    { tool: 'claude', sessionId: uuid },
  ],
  [
    'Codex, its metadata',
    codex,
    { client_metadata: { session_id: uuid } },
    { tool: 'codex', sessionId: uuid },
  ],
  ['Codex, its cache key', codex, { prompt_cache_key: uuid }, { tool: 'codex', sessionId: uuid }],
  [
    'Codex, a sub-agent',
    codex,
    { client_metadata: { session_id: uuid, 'x-codex-parent-thread-id': 't-1' } },
    { tool: 'codex', sessionId: uuid, parentSession: 't-1' },
  ],
  [
    'Copilot CLI by chat',
    copilot,
    { messages: [{ role: 'system', content: folder }] },
    { tool: 'copilot', sessionId: uuid },
  ],
  ['Copilot CLI by Responses', copilot, { instructions: folder }, { tool: 'copilot', sessionId: uuid }],
  [
    'Copilot CLI by Messages, on Windows',
    copilot,
    {
      system: [
        { type: 'text', text: 'Hi' },
        { type: 'text', text: folder.replaceAll('/', '\\') },
      ],
    },
    { tool: 'copilot', sessionId: uuid },
  ],
  [
    'Copilot CLI by its tools',
    { 'user-agent': 'OpenAI/JS 5.20.1' },
    { tools: copilotTools.map(name => ({ type: 'function', function: { name } })), instructions: folder },
    { tool: 'copilot', sessionId: uuid },
  ],
  [
    'Copilot CLI by its tools in another dialect',
    { 'user-agent': 'Anthropic/JS 0.94.0' },
    { tools: copilotTools.map(name => ({ name })) },
    { tool: 'copilot' },
  ],
  [
    'an SDK with a cache key and one of these tools',
    { 'user-agent': 'OpenAI/JS 5.20.1' },
    { prompt_cache_key: 'k', tools: [{ name: 'bash' }], instructions: folder },
    {},
  ],
  [
    'opencode',
    { 'user-agent': 'opencode/1.18.33' },
    { prompt_cache_key: 'ses_1' },
    { tool: 'opencode', sessionId: 'ses_1' },
  ],
  [
    'Qwen Code by Messages, by its tools',
    { 'user-agent': 'claude-cli/1.2.3 (external, cli)' },
    { tools: ['run_shell_command', 'notebook_edit', 'update_goal'].map(name => ({ name })) },
    { tool: 'qwen' },
  ],
  ['malformed user ids and metadata', claude, { metadata: { user_id: '{' } }, { tool: 'claude' }],
  ['a body that is not an object', codex, 'text', { tool: 'codex' }],
]

test.each(bodies)('in the body: %s', (_, headers, body, expected) => {
  const reported = describeClient(new Headers(headers), '10.1.1.1', body)
  const sessionSource = 'sessionId' in expected ? 'body' : null
  const userAgent = headers['user-agent'] ?? null
  expect(reported).toEqual({ ...none, userAgent, address: '10.1.1.1', sessionSource, ...expected })
})

test('a session in a header takes precedence over one in the body', () => {
  const headers = new Headers({ ...codex, 'session-id': 'h-1' })
  expect(describeClient(headers, null, { prompt_cache_key: 'b-1' }).sessionId).toBe('h-1')
})

test('unprintable characters are removed, and long texts are cut', () => {
  const reported = describeClient(new Headers({ 'user-agent': `codex_\u00adb${'x'.repeat(1000)}` }), null, {
    prompt_cache_key: '\u202e',
  })
  expect(reported.userAgent?.startsWith('codex_bx')).toBe(true)
  expect(reported.userAgent?.length).toBeLessThanOrEqual(300)
  expect(reported.sessionId).toBeNull()
})
