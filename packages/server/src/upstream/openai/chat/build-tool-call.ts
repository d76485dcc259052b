// A tool call as servers send it → as we give it on: with an id, and with arguments that can be parsed.
import type { ToolCall } from '@fairgate/contracts/chat/response.ts'

export type CallParts = {
  readonly id: string | null
  readonly name: string
  /** Text in JSON; some servers send the object itself. */
  readonly args: unknown
}

/** `newId`: a fresh id of letters and digits, for servers that give none. */
export function buildToolCall({ id, name, args }: CallParts, newId: () => string): ToolCall {
  const text = typeof args === 'string' ? args : JSON.stringify(args ?? {})
  return {
    id: id || `call_${newId()}`,
    type: 'function',
    function: { name, arguments: text.trim() === '' ? '{}' : text },
  }
}
