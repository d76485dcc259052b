// Where the pass-through takes its key from: the header of the specification, or the one that the vendor's own clients send.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'

/**
 * Spec 5.1. Throws ApiError `invalid_request` for a key in the address, where logs and proxies would keep it, and
 * `invalid_api_key` without a key or with two different ones.
 */
export function readPassThroughKey({ headers, url }: Request): string {
  const start = url.indexOf('?')
  if (start >= 0 && new URLSearchParams(url.slice(start + 1)).has('key')) {
    throw new ApiError('invalid_request', {
      param: 'key',
      message: 'The key does not belong in the address: send it in the header x-vendor-api-key.',
    })
  }
  const ours = headers.get('x-vendor-api-key')
  const theirs = headers.get('x-goog-api-key')
  if (ours !== null && theirs !== null && ours !== theirs) {
    throw refuse('x-vendor-api-key and x-goog-api-key hold different keys: send one of them.')
  }
  const key = ours ?? theirs
  if (key !== null && key.trim() !== '') return key.trim()
  if (headers.has('authorization')) {
    throw refuse('The pass-through does not take Authorization: send the key in the header x-vendor-api-key.')
  }
  throw refuse('No gateway key. Send "x-vendor-api-key: sk-…".')
}

function refuse(message: string): ApiError {
  return new ApiError('invalid_api_key', { message })
}
