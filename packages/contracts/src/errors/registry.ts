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

const row = (status: number, type: ErrorType, message: string): ErrorRow => ({ status, type, message })

/** code → HTTP status, type, and default message. */
export const errorRegistry = {
  invalid_api_key: row(
    401,
    'authentication_error',
    'No valid gateway key. Send "Authorization: Bearer sk-…".',
  ),
  key_blocked: row(401, 'authentication_error', 'Key is blocked. Ask the organisers.'),
  key_expired: row(401, 'authentication_error', 'Expired Key: this key is past its expiry time.'),
  team_blocked: row(401, 'authentication_error', 'The team of this key is blocked. Ask the organisers.'),
  unauthorized: row(401, 'authentication_error', 'No valid log token. Send "Authorization: Bearer aitc_…".'),
  admin_unauthorized: row(
    401,
    'authentication_error',
    'No valid admin key. Send "Authorization: Bearer <FAIRGATE_ADMIN_KEY>".',
  ),
  admin_forbidden: row(403, 'permission_error', 'The role of this admin key does not allow this.'),
  cross_site: row(
    403,
    'permission_error',
    'With a session cookie, only pages of this door can make changes.',
  ),
  model_not_allowed: row(403, 'permission_error', 'This key may not call that model.'),
  files_exceeded: row(403, 'permission_error', 'Your team may not keep more files.'),
  route_not_allowed: row(403, 'permission_error', 'This key may not call that route.'),
  other_team: row(403, 'permission_error', 'A key can view only its own team.'),
  contest_closed: row(
    403,
    'permission_error',
    'The gateway is closed in this part of the event. Paid calls are not accepted.',
  ),
  event_paused: row(
    403,
    'permission_error',
    'The event is paused. Paid calls are not accepted until it resumes.',
  ),
  locked: row(
    403,
    'permission_error',
    "The team's board is locked: no new entries are accepted. Reading still works.",
  ),
  submissions_closed: row(
    403,
    'permission_error',
    'Submissions are closed. What your team has handed in stays as it is.',
  ),
  scores_closed: row(403, 'permission_error', 'Scores cannot be written now.'),
  not_found: row(404, 'not_found_error', 'There is nothing at this path.'),
  not_offered: row(
    404,
    'not_found_error',
    'This gateway does not offer that. /docs says what to use instead.',
  ),
  model_not_found: row(404, 'not_found_error', 'No such model. GET /v1/models lists what this key can call.'),
  video_not_found: row(404, 'not_found_error', 'No such video.'),
  file_not_found: row(404, 'not_found_error', 'No such file.'),
  team_not_found: row(404, 'not_found_error', 'No such team.'),
  member_not_found: row(404, 'not_found_error', 'No such member.'),
  judge_not_found: row(404, 'not_found_error', 'No such judge.'),
  announcement_not_found: row(404, 'not_found_error', 'No such announcement.'),
  question_not_found: row(404, 'not_found_error', 'No such question.'),
  webhook_not_found: row(404, 'not_found_error', 'No such webhook.'),
  admin_key_not_found: row(404, 'not_found_error', 'No such admin key.'),
  wall_token_not_found: row(
    404,
    'not_found_error',
    'This wall link does not work. Ask the organisers for a new one.',
  ),
  case_not_found: row(404, 'not_found_error', 'There is no such case.'),
  results_not_published: row(404, 'not_found_error', 'The results are not published yet.'),
  submission_not_found: row(404, 'not_found_error', 'This team has not handed in such a version.'),
  note_not_found: row(404, 'not_found_error', 'No such note.'),
  key_not_found: row(404, 'not_found_error', 'No such key.'),
  log_token_not_found: row(404, 'not_found_error', 'No such log token.'),
  entry_not_found: row(404, 'not_found_error', 'This team has no such entry.'),
  session_not_found: row(404, 'not_found_error', 'This team has no such session.'),
  call_not_found: row(404, 'not_found_error', 'No such call.'),
  claim_not_found: row(404, 'not_found_error', 'No such claim.'),
  join_not_found: row(404, 'not_found_error', 'No such code or ticket.'),
  join_ended: row(410, 'not_found_error', 'This code or ticket no longer works.'),
  join_refused: row(403, 'permission_error', 'No one can join this team now. Ask the organisers.'),
  method_not_allowed: row(405, 'invalid_request_error', 'This path does not support that method.'),
  video_not_ready: row(409, 'invalid_request_error', 'This video is still being generated.'),
  video_failed: row(
    409,
    'invalid_request_error',
    'This video could not be generated, so there is nothing to download. The charge was refunded.',
  ),
  video_expired: row(410, 'not_found_error', 'This video is no longer kept.'),
  image_expired: row(410, 'not_found_error', 'The address of this image no longer works.'),
  conflict: row(409, 'invalid_request_error', 'It already exists, or other requests keep changing it.'),
  preview_outdated: row(
    409,
    'invalid_request_error',
    'The changes no longer match their preview. Nothing was changed. Review a new preview.',
  ),
  idempotency_running: row(
    409,
    'invalid_request_error',
    'The first call with this Idempotency-Key is still running. Try again when it has ended.',
  ),
  idempotency_lost: row(
    409,
    'invalid_request_error',
    'The first call with this Idempotency-Key was charged, but its answer could not be kept. Use another key to call again.',
  ),
  idempotency_conflict: row(
    422,
    'invalid_request_error',
    'This Idempotency-Key was first used with another path or body. Use another key.',
  ),
  invalid_request: row(400, 'invalid_request_error', 'The request is not valid.'),
  invalid_json: row(400, 'invalid_request_error', 'The body is not valid JSON.'),
  unsupported_media_type: row(
    415,
    'invalid_request_error',
    'The body has the wrong Content-Type, or is compressed.',
  ),
  host_not_allowed: row(421, 'invalid_request_error', 'This door does not answer requests for this host.'),
  payload_too_large: row(413, 'invalid_request_error', 'The body is too large.'),
  too_many_entries: row(413, 'invalid_request_error', 'At most 500 entries per request.'),
  rpm_exceeded: row(429, 'rate_limit_error', 'Rate limit exceeded: requests per minute.'),
  tpm_exceeded: row(429, 'rate_limit_error', 'Rate limit exceeded: tokens per minute.'),
  parallel_exceeded: row(429, 'rate_limit_error', 'Rate limit exceeded: simultaneous requests of this key.'),
  too_many_streams: row(429, 'rate_limit_error', 'Too many live streams are open. Close some of your pages.'),
  body_bytes_exceeded: row(
    429,
    'rate_limit_error',
    'Too many bytes of large requests are in progress with this credential. Try again when they have finished.',
  ),
  budget_exceeded: row(429, 'budget_exceeded', 'Budget has been exceeded!'),
  budget_held: row(
    429,
    'budget_exceeded',
    'The rest of the budget is held by running calls. Try again when they have ended.',
  ),
  upstream_rate_limited: row(429, 'rate_limit_error', 'Rate limit exceeded at the model provider.'),
  upstream_rejected: row(400, 'invalid_request_error', 'The model provider refused the request.'),
  content_policy_violation: row(
    400,
    'invalid_request_error',
    'The model refused to generate this. Change the prompt. The refusal is charged as reported by the model.',
  ),
  upstream_error: row(502, 'upstream_error', 'The model provider failed.'),
  upstream_auth: row(
    502,
    'upstream_error',
    'The model provider refused our credential. Your key is not at fault. The organisers have been notified.',
  ),
  upstream_overloaded: row(503, 'upstream_error', 'The model provider is overloaded.'),
  upstream_timeout: row(504, 'upstream_error', 'The model provider did not answer in time.'),
  unavailable: row(503, 'internal_error', 'The service cannot do this now. Try again shortly.'),
  internal: row(500, 'internal_error', 'Something failed inside the gateway.'),
} satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorRegistry

/** Body of every error reply outside the vendor pass-through. */
export type ErrorBody = {
  readonly error: {
    readonly message: string
    readonly type: ErrorType
    readonly param: string | null
    readonly code: ErrorCode
  }
}
