// A streamed reply for tests: a text that arrives a few bytes at a time.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { UpstreamStream } from '../exchange.ts'

/** `size`: bytes that arrive at a time. */
export function openStream(text: string, size = 64, more: Partial<UpstreamStream> = {}): UpstreamStream {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return {
    upstreamKey: null,
    contentType: null,
    read: async () => {
      if (at >= bytes.length) return { done: true }
      at += size
      return { done: false, value: bytes.slice(at - size, at) }
    },
    endWithin: () => undefined,
    redact: said => said,
    mapError: () => new ApiError('upstream_error'),
    explain: cause => (cause instanceof ApiError ? cause : new ApiError('upstream_error', { cause })),
    close: () => undefined,
    ...more,
  }
}
