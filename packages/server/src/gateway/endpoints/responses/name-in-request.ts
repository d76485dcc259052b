// Faults that are found in the chat turn are told to the client by the place in its own request.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'

const inMessage = /\bmessages\[(\d+)\]\.content/
const inMember = /\.(?:image_url\.url|file\.file_data|input_audio)\b/

/** `places`: of the content of each message of the turn; '' for one that the gateway put in. */
export function nameInRequest(thrown: unknown, places: readonly string[]): unknown {
  if (!(thrown instanceof ApiError) || thrown.param === null) return thrown
  const { code, status, headers, cause, message, param } = thrown
  const index = inMessage.exec(param)?.[1]
  if (index === undefined) return thrown
  const place = places[Number(index)] || 'input'
  const rename = (text: string) =>
    text.replaceAll(param, param.replace(inMessage, place).replace(inMember, ''))
  return new ApiError(code, { message: rename(message), param: rename(param), status, headers, cause })
}
