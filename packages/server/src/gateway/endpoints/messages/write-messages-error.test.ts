// Every error of the registry in Anthropic's format, and the hints that decide how often an agent retries.
import { expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { type ErrorCode, errorRegistry } from '@fairgate/contracts/errors/registry.ts'
import { messagesErrorSchema } from '@fairgate/contracts/messages/response.ts'
import { Compile } from 'typebox/compile'
import { writeMessagesError } from './messages-family.ts'

const compiled = Compile(messagesErrorSchema)
const wait = (seconds: number) => ({ headers: { 'retry-after': String(seconds) } })

test('all codes fit the schema, under their own status and id', async () => {
  for (const code of Object.keys(errorRegistry) as ErrorCode[]) {
    const response = writeMessagesError(new ApiError(code), 'call-1')
    const body: unknown = await response.json()
    expect(compiled.Errors(body)).toEqual([])
    expect(body).toMatchObject({ type: 'error', error: { code }, request_id: 'call-1' })
    expect(response.status).toBe(errorRegistry[code].status)
    expect(response.headers.get('request-id')).toBe('call-1')
  }
})

test.each<[ErrorCode, string]>([
  ['invalid_request', 'invalid_request_error'],
  ['key_blocked', 'authentication_error'],
  ['model_not_allowed', 'permission_error'],
  ['model_not_found', 'not_found_error'],
  ['payload_too_large', 'request_too_large'],
  ['unsupported_media_type', 'invalid_request_error'],
  ['budget_exceeded', 'rate_limit_error'],
  ['internal', 'api_error'],
  ['upstream_auth', 'api_error'],
  ['upstream_overloaded', 'overloaded_error'],
  ['unavailable', 'overloaded_error'],
  ['upstream_timeout', 'timeout_error'],
])('%s is of the type %s', async (code, type) => {
  expect(await writeMessagesError(new ApiError(code), 'c').json()).toMatchObject({ error: { type } })
})

test('a bad credential is not sent again', () => {
  for (const code of ['invalid_api_key', 'key_blocked', 'key_expired', 'team_blocked'] as const) {
    const { headers } = writeMessagesError(new ApiError(code), 'c')
    expect([headers.get('x-should-retry'), headers.get('www-authenticate')]).toEqual(['false', 'Bearer'])
  }
})

test('waits are no longer than agents accept; a spent budget has none', () => {
  const waitOf = (code: ErrorCode, seconds: number) =>
    writeMessagesError(new ApiError(code, wait(seconds)), 'c').headers.get('retry-after')
  expect(waitOf('rpm_exceeded', 7)).toBe('7')
  expect(waitOf('tpm_exceeded', 58)).toBe('20')
  expect(waitOf('unavailable', 60)).toBe('60')
  expect(waitOf('budget_exceeded', 3600)).toBeNull()
})

test('a prompt that is too long is reported in words that agents recognise', async () => {
  const said = 'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).'
  const messageOf = async (code: ErrorCode, message: string) => {
    const body = (await writeMessagesError(new ApiError(code, { message }), 'c').json()) as {
      error: { message: string }
    }
    return body.error.message
  }
  expect(await messageOf('upstream_rejected', `The model provider refused the request: ${said}`)).toBe(
    'prompt is too long: 1048577 tokens > 1048576 maximum',
  )
  expect(await messageOf('invalid_request', said)).toBe(said)
  expect(await messageOf('upstream_rejected', 'Bad.')).toBe('Bad.')
})
