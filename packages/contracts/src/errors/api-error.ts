// The one error class that code throws to end a request with a registry code; the doors' error handler writes the reply.
import { type ErrorBody, type ErrorCode, errorRegistry } from './registry.ts'

export type ApiErrorDetails = {
  /** Replaces the registry's message. Never holds a secret or another team's data. */
  readonly message?: string
  /** The request member at fault, such as `messages[0].content`. */
  readonly param?: string
  /** Extra reply headers, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Overrides the registry's status where a client must see the upstream's own (404 instead of 400). */
  readonly status?: number
  readonly cause?: unknown
}

export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, details: ApiErrorDetails = {}) {
    super(details.message ?? errorRegistry[code].message, { cause: details.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = details.status ?? errorRegistry[code].status
    this.param = details.param ?? null
    this.headers = details.headers ?? {}
  }

  /** The same error, with further reply headers. */
  withHeaders(headers: Readonly<Record<string, string>>): ApiError {
    const { message, status, cause } = this
    const param = this.param === null ? {} : { param: this.param }
    return new ApiError(this.code, {
      message,
      status,
      cause,
      ...param,
      headers: { ...this.headers, ...headers },
    })
  }

  toBody(): ErrorBody {
    return {
      error: {
        message: this.message,
        type: errorRegistry[this.code].type,
        param: this.param,
        code: this.code,
      },
    }
  }
}
