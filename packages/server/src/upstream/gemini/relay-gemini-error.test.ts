// Checks which parts of the vendor's errors reach a client of the pass-through, and which do not.
import { describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { loadCatalog } from '../../catalog/load-catalog.ts'
import { RelayedError } from '../relay-port.ts'
import { relayGeminiError } from './map-gemini-error.ts'

const catalog = loadCatalog(fileURLToPath(new URL('../../../../../config/models.yaml', import.meta.url)))
const model = catalog.find('mm-2.5-flash')
if (model === undefined) throw new Error('The catalog has another model now.')
const relay = relayGeminiError(model)
const rpc = 'type.googleapis.com/google.rpc'

const errorOf = (code: number, status: string, message: string, details?: object[]) => ({
  error: { code, status, message, ...(details === undefined ? {} : { details }) },
})

test('about the request: in the words of the vendor, with our model name', () => {
  const body = errorOf(400, 'INVALID_ARGUMENT', 'models/gemini-2.5-flash does not take that.')
  const error = relay({ status: 400, body }, 'secret')
  expect(error).toBeInstanceOf(RelayedError)
  expect(error.status).toBe(400)
  expect((error as RelayedError).geminiError).toEqual({
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'models/mm-2.5-flash does not take that.',
  })
})

test('wrapped in an array', () => {
  expect(relay({ status: 503, body: [errorOf(503, 'UNAVAILABLE', 'Later.')] }, 'secret')).toMatchObject({
    status: 503,
    geminiError: { code: 503, message: 'Later.' },
  })
})

test('details about the request only: no quotas, no help pages, no keys, no addresses', () => {
  const details = [
    {
      '@type': `${rpc}.QuotaFailure`,
      violations: [{ quotaMetric: 'x', quotaDimensions: { model: 'gemini' } }],
    },
    { '@type': `${rpc}.Help`, links: [{ url: 'https://vendor.example/quota?project=ours' }] },
    {
      '@type': `${rpc}.BadRequest`,
      fieldViolations: [{ field: 'contents', description: 'secret-1234 https://x.y/z' }],
    },
    { '@type': `${rpc}.RetryInfo`, retryDelay: '31s' },
  ]
  const body = errorOf(
    429,
    'RESOURCE_EXHAUSTED',
    'Too much for secret-1234, see https://vendor.example/x',
    details,
  )
  const error = relay({ status: 429, body }, 'secret-1234')
  expect(error.headers['retry-after']).toBe('31')
  expect((error as RelayedError).geminiError).toEqual({
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    message: 'Too much for [key], see [link]',
    details: [
      { '@type': `${rpc}.BadRequest`, fieldViolations: [{ field: 'contents', description: '[key] [link]' }] },
      { '@type': `${rpc}.RetryInfo`, retryDelay: '31s' },
    ],
  })
})

describe('about our key or account: our own error, with a status that does not blame the caller', () => {
  test.each([
    [401, errorOf(401, 'UNAUTHENTICATED', 'No.'), 'upstream_auth'],
    [403, errorOf(403, 'PERMISSION_DENIED', 'No.'), 'upstream_auth'],
    [
      400,
      errorOf(400, 'INVALID_ARGUMENT', 'API key not valid.', [
        { '@type': `${rpc}.ErrorInfo`, reason: 'API_KEY_INVALID' },
      ]),
      'upstream_auth',
    ],
    [400, errorOf(400, 'FAILED_PRECONDITION', 'Enable billing.'), 'upstream_error'],
    [302, null, 'upstream_error'],
    [500, 'not JSON', 'upstream_error'],
    [502, {}, 'upstream_error'],
  ])('%i %j', (status, body, code) => {
    const error = relay({ status, body }, 'secret')
    expect(error).not.toBeInstanceOf(RelayedError)
    expect(error.code as string).toBe(code)
    expect(error.status).toBe(502)
  })
})
