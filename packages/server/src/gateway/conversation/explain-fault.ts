// What an agent is told of an answer that is none: its upstream calls it complete, but there is nothing in it to go on with.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { AnswerFault } from '../../upstream/port.ts'

const messages: Readonly<Record<AnswerFault, string>> = {
  malformed_call: 'The model made a tool call that cannot be read. Send the request again.',
  empty: 'The model gave an empty answer. Send the request again.',
}

/** What the answer cost is charged all the same. Chat shows such an answer as it is, as it always did. */
export function explainFault(fault: AnswerFault): ApiError {
  return new ApiError('upstream_error', { message: messages[fault] })
}
