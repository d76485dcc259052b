// Checks the mapping of the vendor's errors to ours, and that none reveals our key or address.
import { describe, expect, test } from 'bun:test'
import rateLimited from './__fixtures__/rate-limited.json'
import { isGeminiKeyInvalid, judgeGeminiKey, mapGeminiError } from './map-gemini-error.ts'

const key = 'upstream-key-0123456789'
const error = (status: string, message: string, details?: unknown[]) => ({
  error: { status, message, details },
})
const keyFault = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }]

describe('status and code', () => {
  const rows: readonly [string, number, unknown, string, number][] = [
    ['a wrong key', 400, error('INVALID_ARGUMENT', 'Bad key', keyFault), 'upstream_auth', 502],
    [
      'a wrong key, no details',
      400,
      error('INVALID_ARGUMENT', 'API key not valid. Please…'),
      'upstream_auth',
      502,
    ],
    ['a wrong key in an array', 400, [error('INVALID_ARGUMENT', 'x', keyFault)], 'upstream_auth', 502],
    ['a bearer problem', 401, error('UNAUTHENTICATED', 'x'), 'upstream_auth', 502],
    ['a blocked key', 403, error('PERMISSION_DENIED', 'x'), 'upstream_auth', 502],
    ['a bad field', 400, error('INVALID_ARGUMENT', 'topP is wrong'), 'upstream_rejected', 400],
    ['no billing', 400, error('FAILED_PRECONDITION', 'Enable billing on project 1'), 'upstream_error', 502],
    ['unprocessable', 422, error('INVALID_ARGUMENT', 'x'), 'upstream_rejected', 400],
    ['too large', 413, null, 'upstream_rejected', 400],
    [
      'a retired model',
      404,
      error('NOT_FOUND', 'models/x-1 is not found for API version v1beta, or is not supported.'),
      'model_not_found',
      404,
    ],
    ['something else is missing', 404, error('NOT_FOUND', 'No such cache'), 'upstream_rejected', 404],
    ['quota', 429, rateLimited, 'upstream_rate_limited', 429],
    ['a failure', 500, error('INTERNAL', 'x'), 'upstream_error', 502],
    ['not implemented', 501, error('UNIMPLEMENTED', 'x'), 'upstream_error', 502],
    ['overload', 503, error('UNAVAILABLE', 'x'), 'upstream_overloaded', 503],
    ['overload, otherwise', 529, error('UNKNOWN', 'x'), 'upstream_overloaded', 503],
    ['its time-out', 504, error('DEADLINE_EXCEEDED', 'x'), 'upstream_timeout', 504],
    ['a redirect', 302, null, 'upstream_error', 502],
    ['HTML', 502, null, 'upstream_error', 502],
    ['JSON of another shape', 500, { detail: 5 }, 'upstream_error', 502],
    ['odd members', 400, { error: { message: 5, details: 'x' } }, 'upstream_rejected', 400],
  ]
  test.each(rows)('%s', (_name, status, body, code, ours) => {
    const mapped = mapGeminiError({ status: status, body: body }, key)
    expect([mapped.code as string, mapped.status]).toEqual([code, ours])
  })
})

describe('retry-after', () => {
  test.each([
    ['21.38s', '22'],
    ['0.1s', '1'],
    ['31s', '31'],
    ['soon', '5'],
    ['99999999999999999999s', '3600'],
    [`${'9'.repeat(400)}s`, '3600'],
    ['0s', '1'],
    ['-31s', '5'],
    ['NaNs', '5'],
    [undefined, '5'],
  ])('%p → %s', (retryDelay, seconds) => {
    const body = error('RESOURCE_EXHAUSTED', 'x', [{ retryDelay }])
    expect(mapGeminiError({ status: 429, body: body }, key).headers['retry-after']).toBe(seconds)
  })
})

test('shows what the vendor found wrong with the request', () => {
  expect(mapGeminiError({ status: 400, body: error('INVALID_ARGUMENT', 'topP is wrong') }, key).message).toBe(
    'The model provider refused the request: topP is wrong',
  )
})

test('keys and addresses appear neither in the reply nor in the cause', () => {
  const message = `Consumer api_key:${key} or AIzaSyA0123456789012345678901234567890 at https://vendor.example/v1?key=1 is bad`
  for (const status of [400, 403, 404, 429, 500, 503]) {
    const mapped = mapGeminiError({ status: status, body: error('X', message) }, key)
    const reported = `${mapped.message} ${mapped.cause}`
    expect(reported).not.toContain(key)
    expect(reported).not.toContain('AIza')
    expect(reported).not.toContain('vendor.example')
  }
})

const violation = (quotaId: string) => [
  { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] },
]

test.each<[string, number, unknown, ReturnType<typeof judgeGeminiKey>]>([
  ['a wrong key', 400, error('INVALID_ARGUMENT', 'Bad key', keyFault), 'refused'],
  ['an expired key', 400, [error('INVALID_ARGUMENT', 'API key expired. Please renew it.')], 'refused'],
  ['a bearer problem', 401, null, 'refused'],
  ['a leaked key', 403, error('PERMISSION_DENIED', 'Your API key was reported as leaked.'), 'refused'],
  ['a file of someone else', 403, error('PERMISSION_DENIED', 'You may not access the File x.'), null],
  ['a model that we may not use', 403, error('PERMISSION_DENIED', 'No permission for models/x.'), null],
  ['a quota per minute', 429, rateLimited, 'busy'],
  ['a quota that is not named', 429, error('RESOURCE_EXHAUSTED', 'You exceeded your current quota.'), 'busy'],
  ['a quota per day', 429, error('x', 'x', violation('RequestsPerDayPerProject-FreeTier')), 'exhausted'],
  ['credit that is used up', 429, error('x', 'Your prepayment credits are depleted.'), 'exhausted'],
  ['no billing', 400, error('FAILED_PRECONDITION', 'Enable billing on project 1'), 'exhausted'],
  ['a region', 400, error('FAILED_PRECONDITION', 'User location is not supported.'), null],
  ['a bad field', 400, error('INVALID_ARGUMENT', 'topP is wrong'), null],
  ['an overload', 503, error('UNAVAILABLE', 'x'), null],
  ['odd members', 429, { error: { details: [{ violations: 'x' }, null] } }, 'busy'],
])('a key error: %s', (_name, status, body, fault) => {
  expect(judgeGeminiKey({ status, body })).toBe(fault)
})

test.each<[string, unknown, boolean]>([
  ['a wrong key', error('INVALID_ARGUMENT', 'Bad key', keyFault), true],
  ['a leaked key', error('PERMISSION_DENIED', 'Your API key was reported as leaked.'), true],
  ['something that is not allowed', error('PERMISSION_DENIED', 'The caller does not have permission'), false],
  ['a file of someone else', error('PERMISSION_DENIED', 'You may not access the File x.'), false],
  ['a login that this method asks for', error('UNAUTHENTICATED', 'Expected OAuth 2 access token'), false],
  ['a page of a firewall', null, false],
])('the key itself is not valid: %s', (_name, body, isInvalid) => {
  expect(isGeminiKeyInvalid({ body })).toBe(isInvalid)
})
