// The vendor's function calls → tool calls, whose ids carry the thought signatures.
import type { ToolCall } from '@fairgate/contracts/chat/response.ts'
import type { FunctionCall } from './read-parts.ts'
import { writeToolCallId } from './tool-call-id.ts'

/** `newId`: a fresh id of letters and digits. */
export function buildToolCall(call: FunctionCall, newId: () => string): ToolCall {
  return {
    id: writeToolCallId(newId(), call.signature),
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.args) },
  }
}
