// The request header that names a call so that it can be repeated safely: how it is shown and read.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import Type from 'typebox'

const name = 'Idempotency-Key'
const printable = /^[\x20-\x7e]{1,255}$/

export const idempotencyHeaders = Type.Object({
  [name]: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Makes the call safe to repeat for 24 hours: the first answer is given again (`idempotent-replayed: true`) and charged once. One key for one path and body.',
    }),
  ),
})

/** Null without the header. Throws ApiError `invalid_request` unless it has 1 to 255 printable ASCII characters. */
export function readIdempotencyKey(headers: Headers): string | null {
  const key = headers.get(name)
  if (key === null || printable.test(key)) return key
  throw new ApiError('invalid_request', {
    param: name,
    message: `${name} must have 1 to 255 printable ASCII characters.`,
  })
}
