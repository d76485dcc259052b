// Checks the status and code for clients of the Responses endpoint: the same as from chat, except for agents that retry by rules of their own.
import { expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'
import { describeFailure, writeResponsesError } from './write-responses-error.ts'

const codex = { originator: 'codex_exec', 'user-agent': 'codex_exec/0.169.0 (Debian)' }
const opencode = { 'user-agent': 'opencode/1.18.33 ai-sdk/provider-utils/4.0.40' }
const sdk = { 'user-agent': 'OpenAI/JS 6.49.0' }

async function show(error: ApiError, headers: Record<string, string>) {
  const response = writeResponsesError(error, new Request('http://a', { headers }))
  const { error: said } = Object(await response.json())
  return [response.status, said.code, response.headers.get('retry-after')]
}

test.each<[ErrorCode, unknown[]]>([
  ['budget_exceeded', [400, 'budget_exceeded', null]],
  ['budget_held', [429, 'budget_held', '2']],
  ['rpm_exceeded', [429, 'rpm_exceeded', '2']],
  ['model_not_allowed', [404, 'model_not_allowed', null]],
  ['model_not_found', [404, 'model_not_found', null]],
  ['upstream_error', [503, 'server_is_overloaded', null]],
  ['upstream_timeout', [503, 'server_is_overloaded', null]],
  ['internal', [503, 'server_is_overloaded', null]],
  ['invalid_api_key', [401, 'invalid_api_key', null]],
])('an agent that gets %s', async (code, expected) => {
  for (const agent of [codex, opencode]) expect(await show(new ApiError(code), agent)).toEqual(expected)
})

test('other clients get the same as from chat', async () => {
  expect(await show(new ApiError('budget_exceeded'), sdk)).toEqual([429, 'budget_exceeded', null])
  expect(await show(new ApiError('upstream_error'), sdk)).toEqual([502, 'upstream_error', null])
  expect(await show(new ApiError('model_not_allowed'), {})).toEqual([403, 'model_not_allowed', null])
})

test('a known wait is unchanged', async () => {
  const error = new ApiError('tpm_exceeded', { headers: { 'retry-after': '17' } })
  expect(await show(error, codex)).toEqual([429, 'tpm_exceeded', '17'])
})

const tooLong =
  'The model provider refused the request: The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).'

test('a conversation that is too long has the code that makes agents shorten it', async () => {
  const error = new ApiError('upstream_rejected', { message: tooLong })
  expect(await show(error, codex)).toEqual([400, 'context_length_exceeded', null])
  expect(describeFailure(error)).toEqual({ code: 'context_length_exceeded', message: tooLong })
})

test.each<[ErrorCode, string]>([
  ['upstream_rate_limited', 'rate_limit_exceeded'],
  ['upstream_rejected', 'invalid_prompt'],
  ['content_policy_violation', 'invalid_prompt'],
  ['upstream_overloaded', 'server_error'],
])('%s within a stream is %s', (code, expected) => {
  expect(describeFailure(new ApiError(code)).code).toBe(expected)
})
