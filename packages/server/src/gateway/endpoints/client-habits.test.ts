// Clients are recognised by the headers that they really send, and no others are.
import { expect, test } from 'bun:test'
import { clientHabits } from './client-habits.ts'

const sdk = { 'user-agent': 'OpenAI/JS 6.49.0' }

test.each<[keyof typeof clientHabits, Record<string, string>]>([
  ['pollHelper', { 'user-agent': 'OpenAI/Python 3.54.0', 'x-stainless-poll-helper': 'true' }],
  ['langChainJs', { 'user-agent': 'langchainjs-openai/1.0.0 ((node/v20.20.2; linux; x64))' }],
  ['retryingAgents', { originator: 'codex_exec', 'user-agent': 'codex_exec/0.169.0 (Debian)' }],
  ['retryingAgents', { 'user-agent': 'opencode/1.18.33 ai-sdk/provider-utils/4.0.40' }],
])('%s', (name, sent) => {
  expect(clientHabits[name].fits(new Headers(sent))).toBeTrue()
  for (const others of [sdk, {}]) expect(clientHabits[name].fits(new Headers(others))).toBeFalse()
})
