// Errors of Anthropic's API: `{"type": "error", "error": {"type", "message"}, "request_id"}`.
import { retrySeconds, VendorError } from '../vendor-error.ts'

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/** Sentences of the statuses that switches and key states produce, in place of the vendor's. */
const sentences: Readonly<Record<number, string>> = {
  403: 'Your API key does not have permission to use the specified resource.',
  429: "This request would exceed your organization's rate limit. Please try again later.",
  500: 'Internal server error',
  503: 'Overloaded',
  504: 'Request timed out.',
  529: 'Overloaded',
}

/** Also the `data` of an `error` event within a stream. */
export function buildAnthropicError({ code, message }: VendorError, requestId: string) {
  const type = types[code] ?? (code >= 500 ? 'api_error' : 'invalid_request_error')
  return {
    type: 'error',
    error: { type, message: sentences[code] ?? message },
    request_id: requestId,
  } as const
}

export function refuseAnthropic(error: VendorError, requestId: string): Response {
  const seconds = retrySeconds(error)
  const headers = { 'request-id': requestId, ...(seconds === null ? {} : { 'retry-after': seconds }) }
  return Response.json(buildAnthropicError(error, requestId), { status: error.code, headers })
}

/** `place` as the API names it: `messages.0.content.1.text`. */
export function refuseMember(place: string, problem: string): VendorError {
  return new VendorError(400, `${place}: ${problem}`)
}
