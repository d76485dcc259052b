// Checks the mapping of an OpenAI-compatible server's errors to ours, and that none reveals our key or the server's address.
import { describe, expect, test } from 'bun:test'
import { isOpenaiKeyInvalid, judgeOpenaiKey, mapOpenaiError } from './map-openai-error.ts'

const key = 'sk-upstream-key-0123456789'
const map = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  mapOpenaiError({ status, body, headers: new Headers(headers) }, key)
const error = (message: string, more: object = {}) => ({
  error: { message, type: 'x', param: null, ...more },
})

describe('status and code', () => {
  test.each<[string, number, unknown, string, number]>([
    ['a wrong key', 401, error('Incorrect API key provided'), 'upstream_auth', 502],
    ['a forbidden region', 403, error('Country not supported'), 'upstream_auth', 502],
    ['a key missing, as 400', 400, [error('Missing or invalid Authorization header.')], 'upstream_auth', 502],
    ['a wrong key, as 400', 400, error('x', { code: 'invalid_api_key' }), 'upstream_auth', 502],
    ['no money', 402, error('Insufficient credits'), 'upstream_error', 502],
    ['no money, as 429', 429, error('You exceeded…', { code: 'insufficient_quota' }), 'upstream_error', 502],
    ['its limit', 429, error('Slow down'), 'upstream_rate_limited', 429],
    ['a bad field', 400, error('temperature is too high'), 'upstream_rejected', 400],
    [
      'a prompt too long',
      400,
      error('Too long', { code: 'context_length_exceeded' }),
      'upstream_rejected',
      400,
    ],
    ['a body too large', 413, null, 'upstream_rejected', 400],
    ['FastAPI', 422, { detail: 'field required' }, 'upstream_rejected', 400],
    ['its filter', 400, error('No', { code: 'content_policy_violation' }), 'content_policy_violation', 400],
    ['a filter of images', 400, error('No', { code: 'moderation_blocked' }), 'content_policy_violation', 400],
    ['no such model', 404, error('x', { code: 'model_not_found' }), 'model_not_found', 404],
    [
      'no such model (vLLM)',
      404,
      { object: 'error', message: 'The model `x` does not exist.' },
      'model_not_found',
      404,
    ],
    [
      'no such model (Ollama)',
      404,
      { error: 'model "x" not found, try pulling it first' },
      'model_not_found',
      404,
    ],
    ['a wrong address', 404, error('Invalid URL (POST /chat/completions)'), 'upstream_error', 502],
    ['HTML', 404, null, 'upstream_error', 502],
    ['a redirect', 302, null, 'upstream_error', 502],
    ['a failure', 500, error('x'), 'upstream_error', 502],
    ['overload', 503, error('x'), 'upstream_overloaded', 503],
    ['overload, otherwise', 529, error('x'), 'upstream_overloaded', 503],
    ['its time-out', 504, error('x'), 'upstream_timeout', 504],
    ['odd members', 400, { error: { message: 5, code: {} } }, 'upstream_rejected', 400],
  ])('%s', (_, status, body, code, ours) => {
    const mapped = map(status, body)
    expect([mapped.code as string, mapped.status]).toEqual([code, ours])
  })
})

test.each<[string, Record<string, string>, string]>([
  ['seconds', { 'retry-after': '12' }, '12'],
  ['a fraction', { 'retry-after': '0.2' }, '1'],
  ['milliseconds come first', { 'retry-after': '12', 'retry-after-ms': '2500' }, '3'],
  ['a date', { 'retry-after': 'Sat, 21 Nov 2026 10:00:30 GMT', date: 'Sat, 21 Nov 2026 10:00:00 GMT' }, '30'],
  ['nothing', {}, '5'],
  ['nonsense', { 'retry-after': 'soon' }, '5'],
])('retry-after: %s', (_, headers, seconds) => {
  expect(map(429, error('Slow down'), headers).headers).toEqual({ 'retry-after': seconds })
})

test('neither our key nor an address is revealed, to clients or in the log', () => {
  const said = `Incorrect key ${key}, sk-other-0123456789, see https://platform.example.org/keys?x=1 now`
  for (const status of [400, 401, 404, 429, 500]) {
    const mapped = map(status, error(said, { code: key }))
    const text = `${mapped.message} ${mapped.cause}`
    expect(text).not.toContain(key)
    expect(text).not.toContain('sk-other')
    expect(text).not.toContain('example.org')
  }
  expect(map(400, error(said)).message).toContain('Incorrect key [key], [key], see [link] now')
})

test.each<[string, number, unknown, ReturnType<typeof judgeOpenaiKey>]>([
  ['a wrong key', 401, error('Incorrect API key provided'), 'refused'],
  ['a wrong key, as 400', 400, error('x', { code: 'invalid_api_key' }), 'refused'],
  ['a blocked key', 403, error('Your key is disabled'), 'refused'],
  ['a model that we may not use', 403, error('x', { code: 'model_not_found' }), null],
  ['a forbidden region', 403, error('Country not supported'), null],
  ['no money', 402, null, 'exhausted'],
  ['no money, as 429', 429, error('You exceeded…', { code: 'insufficient_quota' }), 'exhausted'],
  ['its limit', 429, error('Slow down'), 'busy'],
  ['a bad field', 400, error('temperature is too high'), null],
  ['an overload', 503, null, null],
])('a key error: %s', (_name, status, body, fault) => {
  expect(judgeOpenaiKey({ status, body })).toBe(fault)
})

test.each<[string, number, unknown, boolean]>([
  ['a wrong key', 401, error('Incorrect API key provided'), true],
  ['a wrong key, as 400', 400, error('x', { code: 'invalid_api_key' }), true],
  ['a model that the key does not have', 401, error('x', { code: 'key_model_access_denied' }), false],
  ['words of a firewall', 403, error('Incorrect API key'), false],
])('the key itself is not valid: %s', (_name, status, body, isInvalid) => {
  expect(isOpenaiKeyInvalid({ status, body })).toBe(isInvalid)
})
