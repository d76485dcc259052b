// How the vendor is addressed, and how it says no: what every exchange with it has in common.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Dialect } from '../exchange.ts'
import { mapGeminiError, readRetryDelay } from './map-gemini-error.ts'

export const geminiDialect: Dialect = {
  writeHeaders: secret => ({ 'x-goog-api-key': secret }),
  mapError: ({ status, body }, secret): ApiError => mapGeminiError(status, body, secret),
  readRetryDelay: ({ body }) => readRetryDelay(body),
}
