// Errors of the Responses endpoint. Agents that retry by their own rules get the status and code that stops or paces them, and shows
// our message (docs/decisions/021-dialects.md). Other clients get the same errors as from chat.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { type ErrorCode, errorRegistry } from '@fairgate/contracts/errors/registry.ts'
import type { OpenPage } from '../../../http/open-pages.ts'
import { toApiError, writeError } from '../../../http/write-error.ts'
import { clientHabits } from '../client-habits.ts'

type Shown = { readonly status: number; readonly code: string }

/** Codex tries five times. With 500 and 502 it tries thirty times. */
const trouble: Shown = { status: 503, code: 'server_is_overloaded' }

/** The error for agents instead. */
const forAgents: Readonly<Partial<Record<ErrorCode, Shown>>> = {
  // The only status that stops at once and shows our message. With OpenAI's code `insufficient_quota` Codex shows its own.
  budget_exceeded: { status: 400, code: 'budget_exceeded' },
  // One attempt and our message; 403 means six attempts.
  contest_closed: { status: 404, code: 'contest_closed' },
  event_paused: { status: 404, code: 'event_paused' },
  model_not_allowed: { status: 404, code: 'model_not_allowed' },
  route_not_allowed: { status: 404, code: 'route_not_allowed' },
  upstream_error: trouble,
  upstream_auth: trouble,
  upstream_overloaded: trouble,
  upstream_timeout: trouble,
  unavailable: trouble,
  internal: trouble,
}

/** Without the header Codex gives up at once and does not show the text. */
const leastWait = '2'

export function writeResponsesError(error: ApiError, request: Request): Response {
  if (!clientHabits.retryingAgents.fits(request.headers)) return writeError(error)
  const { message, param } = error
  const { status, code } = showToAgent(error)
  const response = writeError(error)
  const headers = new Headers(response.headers)
  if (status === 429 && !headers.has('retry-after')) headers.set('retry-after', leastWait)
  const type = errorRegistry[error.code].type
  return Response.json({ error: { message, type, param, code } }, { status, headers })
}

function showToAgent(error: ApiError): Shown {
  if (isTooLong(error)) return { status: 400, code: 'context_length_exceeded' }
  return forAgents[error.code] ?? { status: error.status, code: error.code }
}

/** The upstream's own words for a conversation that does not fit the model. */
function isTooLong({ code, message }: ApiError): boolean {
  return (
    code === 'upstream_rejected' &&
    /token count .*exceeds|context (?:length|window)|(?:prompt|input) is too long/i.test(message)
  )
}

/** `error` of a response that failed after it had started. */
export function describeFailure(thrown: unknown): { readonly code: string; readonly message: string } {
  const error = toApiError(thrown)
  return { code: failureCode(error), message: error.message }
}

function failureCode(error: ApiError): string {
  if (isTooLong(error)) return 'context_length_exceeded'
  switch (error.code) {
    case 'upstream_rate_limited':
      return 'rate_limit_exceeded'
    case 'upstream_rejected':
    case 'content_policy_violation':
      return 'invalid_prompt'
    default:
      return 'server_error'
  }
}

// Faults found in the chat turn are reported to the client at the place in its own request.

const inMessage = /\bmessages\[(\d+)\]\.content/
const inMember = /\.(?:image_url\.url|file\.file_data|input_audio)\b/

/** `places`: of the content of each message of the turn; '' for one that the gateway added. */
export function nameInRequest(thrown: unknown, places: readonly string[]): unknown {
  if (!(thrown instanceof ApiError) || thrown.param === null) return thrown
  const { code, status, headers, cause, message, param } = thrown
  const index = inMessage.exec(param)?.[1]
  if (index === undefined) return thrown
  const place = places[Number(index)] || 'input'
  const rename = (text: string) =>
    text.replaceAll(param, param.replace(inMessage, place).replace(inMember, ''))
  return new ApiError(code, { message: rename(message), param: rename(param), status, headers, cause })
}

// Requests of clients besides a turn, for things that do not exist: a websocket, a list, a stored response.

const notStored = 'Responses are not stored here'

/** Path → the reply to a GET of it. The replies reveal nothing about a team, so they need no key. */
export const absentResponses: Readonly<Record<string, OpenPage>> = {
  '/v1/responses': refuseListing,
  '/responses': refuseListing,
  '/v1/responses/:id': refuseReading,
  '/responses/:id': refuseReading,
}

function refuseListing({ headers }: Request): Response {
  // Codex asks for a websocket first. On this status it falls back to POST at once; on 404 only after seven attempts.
  if (headers.get('upgrade')?.toLowerCase() === 'websocket') return new Response(null, { status: 426 })
  throw new ApiError('method_not_allowed', {
    message: `${notStored}, so there is no list of them. Create one with POST /v1/responses.`,
    headers: { allow: 'POST' },
  })
}

function refuseReading(): never {
  throw new ApiError('not_found', {
    message: `${notStored}: only the reply to POST /v1/responses has this one.`,
  })
}
