// The common parts of the Anthropic dialect's routes: their credential, and the format of their errors.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import {
  type MessagesErrorBody,
  type MessagesErrorType,
  messagesErrorSchema,
} from '@fairgate/contracts/messages/response.ts'
import type { Authenticate, RouteFamily } from '../../../http/route-family.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { type KeyPlaces, keySchemes, usualPlaces } from '../../flow/read-key.ts'

export const messagesPlaces: KeyPlaces = {
  ...usualPlaces,
  wanted: '"x-api-key: sk-…" or "Authorization: Bearer sk-…"',
}

const { 'x-api-key': ownScheme, ...otherSecuritySchemes } = keySchemes

export function createMessagesFamily(authenticate: Authenticate<Caller>): RouteFamily<Caller> {
  return {
    prefix: '/v1/messages',
    otherPrefixes: ['/messages'],
    authenticate,
    writeError: (error, _request, callId) => writeMessagesError(error, callId),
    name: 'messages',
    securityScheme: { ...ownScheme, description: 'A gateway key, `sk-…`' },
    otherSecuritySchemes,
    takesDoorCredential: () => true,
    description:
      "Anthropic's Messages, for Claude Code and other clients of that API. Send your gateway key (`sk-…`) in the header `x-api-key` or as bearer " +
      'token (or in `api-key` or `x-goog-api-key`); two different keys are refused. The query `beta` has no effect, nor have headers `anthropic-*`, except that models of Anthropic get the betas of `anthropic-beta` that cost nothing. Errors have the form ' +
      '`{"type": "error", "error": {"type", "message", "code", "param"}, "request_id"}`; the codes in the tables below are in `error.code`.',
    errorSchema: messagesErrorSchema,
    errorReplyHeaders: ['request-id', 'x-should-retry'],
  }
}

const types: Readonly<Record<number, MessagesErrorType>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
}

/** Claude Code waits for 20 s and gives up before 90 (measured with 2.1.330). A refused call does not count, so it may retry sooner. */
const longestWait = 20

export function writeMessagesError(error: ApiError, callId: string): Response {
  const headers = new Headers({ ...error.headers, 'request-id': callId })
  const wait = headers.get('retry-after')
  if (error.status === 429 && wait !== null && Number(wait) > longestWait)
    headers.set('retry-after', String(longestWait))
  // Retrying does not fix a credential or a spent budget; without this header clients retry ten times.
  if (error.status === 401) headers.set('x-should-retry', 'false')
  if (error.code === 'budget_exceeded') headers.delete('retry-after')
  // RFC 9110, 11.6.1: a 401 shows how to authenticate.
  if (error.status === 401 && !headers.has('www-authenticate')) headers.set('www-authenticate', 'Bearer')
  return Response.json(buildMessagesError(error, callId), { status: error.status, headers })
}

export function buildMessagesError(error: ApiError, callId: string): MessagesErrorBody {
  const { status, code, param } = error
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  return { type: 'error', error: { type, message: describe(error), code, param }, request_id: callId }
}

/** Claude Code shortens a conversation when it reads this sentence. */
function describe({ code, message }: ApiError): string {
  if (code !== 'upstream_rejected') return message
  const prompt = /prompt is too long: \d+ tokens > \d+ maximum/.exec(message)
  if (prompt !== null) return prompt[0]
  const sizes = /input token count \(?(\d+)\)? exceeds .*?\(?(\d+)\)?\.?$/i.exec(message)
  return sizes === null ? message : `prompt is too long: ${sizes[1]} tokens > ${sizes[2]} maximum`
}
