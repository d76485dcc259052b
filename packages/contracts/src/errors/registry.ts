// Every error a client can meet on the gateway, logbook and admin doors: one row per code, documented in docs/errors.md.

export type ErrorType =
  | 'authentication_error'
  | 'permission_error'
  | 'invalid_request_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'budget_exceeded'
  | 'upstream_error'
  | 'internal_error'

type ErrorRow = { readonly status: number; readonly type: ErrorType; readonly message: string }

/** code → HTTP status, type, and the message for errors that have none of their own. */
export const errorRegistry = {
  invalid_api_key: {
    status: 401,
    type: 'authentication_error',
    message: 'No valid gateway key. Send "Authorization: Bearer sk-…".',
  },
  key_blocked: { status: 401, type: 'authentication_error', message: 'Key is blocked. Ask the organisers.' },
  key_expired: {
    status: 401,
    type: 'authentication_error',
    message: 'Expired Key: this key is past its expiry time.',
  },
  team_blocked: {
    status: 401,
    type: 'authentication_error',
    message: 'The team of this key is blocked. Ask the organisers.',
  },
  unauthorized: {
    status: 401,
    type: 'authentication_error',
    message: 'No valid log token. Send "Authorization: Bearer aitc_…".',
  },
  admin_unauthorized: {
    status: 401,
    type: 'authentication_error',
    message: 'No valid admin key. Send "Authorization: Bearer <FAIRGATE_ADMIN_KEY>".',
  },
  model_not_allowed: { status: 403, type: 'permission_error', message: 'This key may not call that model.' },
  route_not_allowed: { status: 403, type: 'permission_error', message: 'This key may not call that route.' },
  other_team: { status: 403, type: 'permission_error', message: 'A key can view only its own team.' },
  locked: {
    status: 403,
    type: 'permission_error',
    message: "The team's board is locked: no new entries are accepted. Reading still works.",
  },
  not_found: { status: 404, type: 'not_found_error', message: 'There is nothing at this path.' },
  model_not_found: {
    status: 404,
    type: 'not_found_error',
    message: 'No such model. GET /v1/models lists what this key can call.',
  },
  video_not_found: { status: 404, type: 'not_found_error', message: 'No such video.' },
  team_not_found: { status: 404, type: 'not_found_error', message: 'No such team.' },
  key_not_found: { status: 404, type: 'not_found_error', message: 'No such key.' },
  log_token_not_found: { status: 404, type: 'not_found_error', message: 'No such log token.' },
  entry_not_found: { status: 404, type: 'not_found_error', message: 'No such entry of this team.' },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    message: 'This path does not take that method.',
  },
  video_not_ready: {
    status: 409,
    type: 'invalid_request_error',
    message: 'This video is still being made.',
  },
  video_failed: {
    status: 409,
    type: 'invalid_request_error',
    message: 'This video could not be made, so there is nothing to download. It was refunded.',
  },
  video_expired: {
    status: 410,
    type: 'not_found_error',
    message: 'This video is no longer kept.',
  },
  conflict: { status: 409, type: 'invalid_request_error', message: 'That already exists.' },
  idempotency_running: {
    status: 409,
    type: 'invalid_request_error',
    message: 'The first call with this Idempotency-Key is still running. Try again when it has ended.',
  },
  idempotency_lost: {
    status: 409,
    type: 'invalid_request_error',
    message:
      'The first call with this Idempotency-Key was charged, but its answer could not be kept. Use another key to call again.',
  },
  idempotency_conflict: {
    status: 422,
    type: 'invalid_request_error',
    message: 'This Idempotency-Key was first used with another path or body. Use another key.',
  },
  invalid_request: { status: 400, type: 'invalid_request_error', message: 'The request is not valid.' },
  invalid_json: { status: 400, type: 'invalid_request_error', message: 'The body is not valid JSON.' },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request_error',
    message: 'Send the body as application/json, not compressed.',
  },
  payload_too_large: { status: 413, type: 'invalid_request_error', message: 'The body is too large.' },
  too_many_entries: {
    status: 413,
    type: 'invalid_request_error',
    message: 'At most 500 entries per request.',
  },
  rpm_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    message: 'Rate limit exceeded: requests per minute.',
  },
  tpm_exceeded: { status: 429, type: 'rate_limit_error', message: 'Rate limit exceeded: tokens per minute.' },
  parallel_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    message: 'Rate limit exceeded: simultaneous requests of this key.',
  },
  body_bytes_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    message:
      'Too many bytes of large requests are under way with this credential. Try again when they have ended.',
  },
  budget_exceeded: { status: 429, type: 'budget_exceeded', message: 'Budget has been exceeded!' },
  budget_held: {
    status: 429,
    type: 'budget_exceeded',
    message: 'The rest of the budget is held by running calls. Try again when they have ended.',
  },
  upstream_rate_limited: {
    status: 429,
    type: 'rate_limit_error',
    message: 'Rate limit exceeded at the model provider.',
  },
  upstream_rejected: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The model provider refused the request.',
  },
  content_policy_violation: {
    status: 400,
    type: 'invalid_request_error',
    message:
      'The model refused to make this. Change the prompt; the refusal is charged as the model reports it.',
  },
  upstream_error: { status: 502, type: 'upstream_error', message: 'The model provider failed.' },
  upstream_auth: {
    status: 502,
    type: 'upstream_error',
    message:
      'The model provider refused our own credential. This is not about your key; the organisers have been told.',
  },
  upstream_overloaded: { status: 503, type: 'upstream_error', message: 'The model provider is overloaded.' },
  upstream_timeout: {
    status: 504,
    type: 'upstream_error',
    message: 'The model provider did not answer in time.',
  },
  unavailable: {
    status: 503,
    type: 'internal_error',
    message: 'The service cannot do this now. Try again shortly.',
  },
  internal: { status: 500, type: 'internal_error', message: 'Something failed inside the gateway.' },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorRegistry

/** The body of every error reply outside the vendor pass-through. */
export type ErrorBody = {
  readonly error: {
    readonly message: string
    readonly type: ErrorType
    readonly param: string | null
    readonly code: ErrorCode
  }
}
