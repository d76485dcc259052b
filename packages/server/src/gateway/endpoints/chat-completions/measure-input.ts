// The size of a request's text, for the estimates.
import { type ChatRequest, textOf } from '@fairgate/contracts/chat/request.ts'

export function measureInput(request: ChatRequest): {
  readonly utf8Bytes: number
  readonly messages: number
} {
  let utf8Bytes = 0
  for (const message of request.messages) utf8Bytes += Buffer.byteLength(textOf(message))
  return { utf8Bytes, messages: request.messages.length }
}
