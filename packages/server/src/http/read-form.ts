// Reads multipart/form-data within a limit into a plain object, so that a schema can check it.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { type BodyReading, readBounded, refuseEncoded, refuseType } from './read-body.ts'

const formType = /^multipart\/form-data\s*;.*\bboundary=/i

/**
 * Field → its text, or a File; fields called `name[]` are collected in an array called `name`. Throws ApiError
 * `unsupported_media_type`, `payload_too_large`, and `invalid_request` for a body that is not such a form or repeats a field.
 */
export async function readForm(
  request: Request,
  limit?: number,
  reading?: BodyReading,
): Promise<Record<string, unknown>> {
  requireForm(request.headers)
  const type = request.headers.get('content-type') ?? ''
  const bytes = await readBounded(request, limit, reading)
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData().catch(cause => {
    throw new ApiError('invalid_request', { message: 'The body is not a complete multipart form.', cause })
  })
  const fields = new Map<string, unknown>()
  for (const [name, value] of form.entries()) {
    if (name.endsWith('[]')) {
      const list = fields.get(name.slice(0, -2))
      if (Array.isArray(list)) list.push(value)
      else fields.set(name.slice(0, -2), [value])
    } else if (fields.has(name)) {
      throw invalidRequest(name, `${name} is given twice.`)
    } else fields.set(name, value)
  }
  return Object.fromEntries(fields)
}

/** Throws ApiError `unsupported_media_type` unless the body is declared as an uncompressed form. */
export function requireForm(headers: Headers): void {
  const type = headers.get('content-type')
  if (!formType.test(type ?? '')) throw refuseType(type, 'multipart/form-data, with its boundary')
  refuseEncoded(headers)
}
