// What the routes of Anthropic's dialect have in common: their credential, and the shape of their errors.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { messagesErrorSchema } from '@fairgate/contracts/messages/response.ts'
import { readBearer } from '../../../http/read-bearer.ts'
import type { Authenticate, RouteFamily } from '../../../http/route-family.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { writeMessagesError } from './write-messages-error.ts'

export function createMessagesFamily(authenticate: Authenticate<Caller>): RouteFamily<Caller> {
  return {
    prefix: '/v1/messages',
    otherPrefixes: ['/messages'],
    authenticate,
    writeError: (error, _request, callId) => writeMessagesError(error, callId),
    name: 'messages',
    securityScheme: {
      type: 'apiKey',
      in: 'header',
      name: 'x-api-key',
      description: 'A gateway key, `sk-…`',
    },
    takesDoorCredential: () => true,
    description:
      "Anthropic's Messages, for Claude Code and other clients of that dialect. Send your gateway key (`sk-…`) in the header `x-api-key` or as bearer " +
      'token; two different keys are refused. Headers `anthropic-*` and the query `beta` have no effect. Errors have the shape ' +
      '`{"type": "error", "error": {"type", "message", "code", "param"}, "request_id"}`; the code of the tables below is `error.code`.',
    errorSchema: messagesErrorSchema,
    errorReplyHeaders: ['request-id', 'x-should-retry'],
  }
}

/** From `x-api-key` or `Authorization: Bearer`. Throws ApiError `invalid_api_key` without a key, or with two different ones. */
export function readMessagesKey({ headers }: Request): string {
  const bearer = readBearer(headers)
  const key = headers.get('x-api-key')?.trim() ?? ''
  if (bearer.kind === 'malformed')
    throw refuse('Malformed Authorization header. Send "x-api-key: sk-…" or "Authorization: Bearer sk-…".')
  if (bearer.kind === 'missing' && key === '')
    throw refuse('No gateway key. Send "x-api-key: sk-…" or "Authorization: Bearer sk-…".')
  if (bearer.kind === 'missing') return key
  if (key !== '' && key !== bearer.secret)
    throw refuse('x-api-key and Authorization hold different keys: send one of them.')
  return bearer.secret
}

function refuse(message: string): ApiError {
  return new ApiError('invalid_api_key', { message })
}
