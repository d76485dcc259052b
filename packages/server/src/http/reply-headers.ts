// Defines every header that our replies carry beyond plain HTTP: routes name theirs, OpenAPI and the reference page describe them.
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'

/** Any JSON Schema, as the document shows it. */
export type ShownSchema = { readonly [keyword: string]: unknown }

type HeaderRow = { readonly description: string; readonly schema: ShownSchema }

const text = { type: 'string' }
const count = { type: 'integer', minimum: 0 }

const window = (what: string, value: string): HeaderRow => ({
  description: `${what} in the tightest window that applies; absent if no limit applies`,
  schema: value === 'count' ? count : { type: 'string', examples: ['12s'] },
})

export const replyHeaders = {
  'x-gateway-call-id': { description: 'Identifies this request in logs and support', schema: text },
  'request-id': { description: "The same id, in the header that Anthropic's clients read", schema: text },
  'x-content-type-options': { description: 'Always `nosniff`', schema: { type: 'string', const: 'nosniff' } },
  'x-gateway-response-cost': {
    description:
      'Cost of the call in US dollars, as a plain decimal; not on streams, which start before it is known',
    schema: { type: 'string', examples: ['0.0000155'] },
  },
  'x-gateway-team': { description: 'The team that the log token belongs to', schema: text },
  'x-gateway-output-cap': {
    description: 'The output cap in tokens, if the remaining budget reduced it',
    schema: count,
  },
  'x-goog-upload-status': {
    description: 'State of the upload: `active`, `final` or `cancelled`',
    schema: { type: 'string', enum: ['active', 'final', 'cancelled'] },
  },
  'x-goog-upload-url': { description: 'Address for the pieces of the upload; it needs no key', schema: text },
  'x-goog-upload-chunk-granularity': {
    description: 'Pieces but the last are a multiple of it',
    schema: count,
  },
  'x-goog-upload-size-received': { description: 'Bytes received so far', schema: count },
  'x-ratelimit-limit-requests': window('Requests per minute', 'count'),
  'x-ratelimit-remaining-requests': window('Requests left', 'count'),
  'x-ratelimit-reset-requests': window('Time until all requests are available again', 'seconds'),
  'x-ratelimit-limit-tokens': window('Tokens per minute', 'count'),
  'x-ratelimit-remaining-tokens': window('Tokens left', 'count'),
  'x-ratelimit-reset-tokens': window('Time until all tokens are available again', 'seconds'),
  'retry-after': {
    description: 'Seconds to wait before trying again',
    schema: { type: 'integer', minimum: 1 },
  },
  'x-should-retry': {
    description: '`false` if trying again cannot help; OpenAI clients read it',
    schema: { type: 'string', const: 'false' },
  },
  'x-gateway-limit-level': {
    description: 'Level of the limit that refused the call',
    schema: { type: 'string', enum: ['service_model', 'team', 'team_model', 'key', 'key_model', 'event'] },
  },
  'x-gateway-limit': { description: 'The limit: US dollars for a budget, else a number', schema: text },
  'x-gateway-limit-used': { description: 'How much of it is used, in the same unit', schema: text },
  'x-gateway-limit-held': {
    description: 'How much of it running calls hold, in the same unit',
    schema: text,
  },
  'x-gateway-limit-reset': {
    description: 'When the limit resets; absent if it never resets by itself',
    schema: { type: 'string', format: 'date-time' },
  },
  deprecation: {
    description: 'When the end of the model was announced: `@` and Unix time (RFC 9745)',
    schema: { type: 'string', examples: ['@1775347200'] },
  },
  sunset: {
    description: 'The day the model ends, as an HTTP date (RFC 8594)',
    schema: { type: 'string', examples: ['Fri, 02 Oct 2026 00:00:00 GMT'] },
  },
  'idempotent-replayed': {
    description: 'This is the answer to an earlier call with this Idempotency-Key; nothing was charged again',
    schema: { type: 'string', const: 'true' },
  },
  'x-gateway-original-call-id': { description: 'The call that the repeated answer belongs to', schema: text },
  'www-authenticate': { description: 'How to authenticate', schema: text },
  'cache-control': { description: 'Which caches may store the reply', schema: text },
  'x-accel-buffering': {
    description: '`no`: proxies pass each event on at once',
    schema: { type: 'string', const: 'no' },
  },
  'accept-ranges': { description: '`bytes`: range requests are supported', schema: text },
  'content-range': { description: 'Which bytes of the file these are, and its size', schema: text },
  'set-cookie': { description: 'The session of the page', schema: text },
  'cross-origin-resource-policy': {
    description: '`cross-origin`: pages of any origin may show it',
    schema: { type: 'string', const: 'cross-origin' },
  },
  'content-disposition': { description: 'The name of the file', schema: text },
} as const satisfies Record<string, HeaderRow>

export type ReplyHeader = keyof typeof replyHeaders

/** On every reply of a door, open pages included. */
export const everyReply: readonly ReplyHeader[] = ['x-gateway-call-id', 'x-content-type-options']

export const rateHeaderNames: readonly ReplyHeader[] = [
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
]

const refusal: readonly ReplyHeader[] = [
  ...rateHeaderNames,
  'retry-after',
  'x-gateway-limit-level',
  'x-gateway-limit',
  'x-gateway-limit-used',
  'x-gateway-limit-held',
  'x-gateway-limit-reset',
]
const wait: readonly ReplyHeader[] = ['retry-after']
const challenge: readonly ReplyHeader[] = ['www-authenticate']

/** Code → headers that its replies can carry besides `everyReply`. */
export const errorHeaders: Readonly<Partial<Record<ErrorCode, readonly ReplyHeader[]>>> = {
  invalid_api_key: challenge,
  key_blocked: challenge,
  key_expired: challenge,
  team_blocked: challenge,
  unauthorized: challenge,
  admin_unauthorized: challenge,
  rpm_exceeded: refusal,
  tpm_exceeded: refusal,
  parallel_exceeded: refusal,
  budget_held: refusal,
  budget_exceeded: [...refusal, 'x-should-retry'],
  body_bytes_exceeded: wait,
  too_many_streams: wait,
  upstream_rate_limited: wait,
  upstream_overloaded: wait,
  unavailable: wait,
  video_not_ready: wait,
  idempotency_running: wait,
  idempotency_lost: ['x-should-retry'],
}
