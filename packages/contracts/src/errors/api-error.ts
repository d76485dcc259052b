// Error class for ending a request with a registry code. The doors' error handler writes the reply.
import { type ErrorBody, type ErrorCode, errorRegistry } from './registry.ts'

/** Details of a refusal by a limit, as reported in its 429. */
export type RefusalFigures = {
  readonly level: string
  readonly limit: string
  readonly used: string
  readonly held: string
  /** ISO 8601; null if waiting does not help. */
  readonly reset: string | null
}

export type ApiErrorDetails = {
  /** Replaces the registry's message. Never holds a secret or another team's data. */
  readonly message?: string
  /** The request member at fault, such as `messages[0].content`. */
  readonly param?: string
  /** Extra reply headers, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Overrides the registry's status when a client must see the upstream's own (404 instead of 400). */
  readonly status?: number
  /** Set when a limit refused the call. */
  readonly refusal?: RefusalFigures
  readonly cause?: unknown
}

export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly refusal: RefusalFigures | null

  constructor(code: ErrorCode, details: ApiErrorDetails = {}) {
    super(details.message ?? errorRegistry[code].message, { cause: details.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = details.status ?? errorRegistry[code].status
    this.param = details.param ?? null
    this.headers = details.headers ?? {}
    this.refusal = details.refusal ?? null
  }

  /** Returns the same error with additional reply headers. */
  withHeaders(headers: Readonly<Record<string, string>>): ApiError {
    const { message, status, cause } = this
    return new ApiError(this.code, {
      message,
      status,
      cause,
      ...(this.param === null ? {} : { param: this.param }),
      ...(this.refusal === null ? {} : { refusal: this.refusal }),
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
