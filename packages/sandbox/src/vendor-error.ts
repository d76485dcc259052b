// Errors in the vendor's shape: `{"error": {"code", "message", "status", "details"}}`.

const statusNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

const messages: Readonly<Record<number, string>> = {
  400: 'Request contains an invalid argument.',
  403: "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
  429: 'You exceeded your current quota, please check your plan and billing details.',
  500: 'Internal error encountered.',
  503: 'The model is overloaded. Please try again later.',
  504: 'Deadline expired before operation could complete.',
}

export class VendorError extends Error {
  readonly code: number
  readonly details: readonly object[]
  /** Some of the vendor's endpoints wrap their errors in an array. */
  readonly isInArray: boolean
  constructor(code: number, message?: string, details: readonly object[] = [], isInArray = false) {
    super(message ?? messages[code] ?? 'The sandbox was set to fail.')
    this.name = 'VendorError'
    this.code = code
    this.details = details
    this.isInArray = isInArray
  }
}

export function buildErrorBody({ code, message, details }: VendorError): object {
  const status = statusNames[code] ?? 'UNKNOWN'
  return { error: { code, message, status, ...(details.length === 0 ? {} : { details }) } }
}

/** `RetryInfo`, which the vendor sends instead of a `retry-after` header. */
export function retryInfo(retryDelay: string): object {
  return { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }
}

/** The same for dialects with that header: `3s` becomes `3`. Null without a delay in whole seconds. */
export function retrySeconds({ details }: VendorError): string | null {
  const delays = details.map(detail => ('retryDelay' in detail ? String(detail.retryDelay) : ''))
  return delays.map(delay => /^(\d+)s$/.exec(delay)?.[1]).find(seconds => seconds !== undefined) ?? null
}

export function invalidKeyError(): VendorError {
  return new VendorError(400, 'API key not valid. Please pass a valid API key.', [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'API_KEY_INVALID',
      domain: 'googleapis.com',
      metadata: { service: 'generativelanguage.googleapis.com' },
    },
  ])
}
