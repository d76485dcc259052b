// Refusals of Anthropic's API as errors of ours, and what they say about the key that was used.
import { expect, test } from 'bun:test'
import { isAnthropicKeyInvalid, judgeAnthropicKey, mapAnthropicError } from './map-anthropic-error.ts'

const secret = 'sk-ant-very-secret'
const refusal = (status: number, type: string, message: string, headers: Record<string, string> = {}) => ({
  status,
  body: { type: 'error', error: { type, message }, request_id: 'req_1' },
  headers: new Headers(headers),
})
const broke = 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.'

test.each<[number, string, string, string, string | null]>([
  [400, 'invalid_request_error', 'max_tokens: Field required', 'upstream_rejected', null],
  [400, 'invalid_request_error', broke, 'upstream_error', 'exhausted'],
  [401, 'authentication_error', 'invalid x-api-key', 'upstream_auth', 'refused'],
  [402, 'billing_error', 'Pay first.', 'upstream_error', 'exhausted'],
  [403, 'permission_error', 'Your API key does not have permission.', 'upstream_auth', 'refused'],
  [403, 'permission_error', 'No access to this model.', 'upstream_auth', null],
  [404, 'not_found_error', 'model: claude-none', 'model_not_found', null],
  [404, 'not_found_error', 'Not Found', 'upstream_error', null],
  [413, 'request_too_large', 'Request exceeds the maximum size', 'upstream_rejected', null],
  [429, 'rate_limit_error', 'Slow down.', 'upstream_rate_limited', 'busy'],
  [500, 'api_error', 'Internal server error', 'upstream_error', null],
  [504, 'timeout_error', 'Request timed out.', 'upstream_timeout', null],
  [529, 'overloaded_error', 'Overloaded', 'upstream_overloaded', null],
])('%d %s: %s', (status, type, message, code, fault) => {
  const said = refusal(status, type, message)
  expect(mapAnthropicError(said, secret).code as string).toBe(code)
  expect(judgeAnthropicKey(said) as string | null).toBe(fault)
})

test('a rejection of the request keeps its words, but never the key', () => {
  const { message } = mapAnthropicError(
    refusal(400, 'invalid_request_error', `tools: too many for ${secret}`),
    secret,
  )
  expect(message).toBe('The model provider refused the request: tools: too many for [key]')
})

test('a rate limit says how long to wait', () => {
  const { headers } = mapAnthropicError(
    refusal(429, 'rate_limit_error', 'No.', { 'retry-after': '7' }),
    secret,
  )
  expect(headers['retry-after']).toBe('7')
})

test('only words about the key itself make it invalid', () => {
  expect(isAnthropicKeyInvalid(refusal(401, 'authentication_error', 'invalid x-api-key'))).toBe(true)
  expect(isAnthropicKeyInvalid(refusal(401, 'authentication_error', 'OAuth is not supported'))).toBe(false)
})

test('a proxy in front may answer with anything', () => {
  expect(mapAnthropicError({ status: 502, body: '<html>', headers: new Headers() }, '').code as string).toBe(
    'upstream_error',
  )
})
