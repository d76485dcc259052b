// Turns an error reply of the admin door into the lines that a person reads.
import { showLine } from '@fairgate/contracts/text/show-hidden.ts'
import Type from 'typebox'
import { Value } from 'typebox/value'

/** Only what is printed, and any code: a newer server may know more of them. */
const errorBodySchema = Type.Object({
  error: Type.Object({
    message: Type.String(),
    code: Type.String(),
    param: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
})

/** Null when the reply is not an error of the door. */
export function describeRefusal(reply: unknown): string | null {
  if (!Value.Check(errorBodySchema, reply)) return null
  const { code, message, param = null } = reply.error
  const refusal = showLine(`${code}: ${message}`)
  return param === null ? refusal : `${refusal}\nparam: ${showLine(param)}`
}
