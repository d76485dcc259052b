// Errors of an OpenAI-compatible upstream: `{"error": {"message", "type", "param", "code"}}`.
import { retrySeconds, type VendorError } from '../vendor-error.ts'

const types: Readonly<Record<number, readonly [type: string, code: string | null]>> = {
  401: ['invalid_request_error', 'invalid_api_key'],
  403: ['permission_error', null],
  404: ['invalid_request_error', 'model_not_found'],
  429: ['requests', 'rate_limit_exceeded'],
}

export function refuseOpenai(error: VendorError): Response {
  const seconds = retrySeconds(error)
  const headers = seconds === null ? {} : { 'retry-after': seconds }
  return Response.json(buildOpenaiError(error), { status: error.code, headers })
}

export function buildOpenaiError({ code: status, message, details }: VendorError): object {
  const isSpent = JSON.stringify(details).includes('PerDay')
  if (isSpent)
    return { error: { message, type: 'insufficient_quota', param: null, code: 'insufficient_quota' } }
  const usual = status >= 500 ? 'server_error' : 'invalid_request_error'
  const [type, code] = types[status] ?? [usual, null]
  return { error: { message, type, param: null, code } }
}
