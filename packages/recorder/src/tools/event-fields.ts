// Gives each kind of event the members that spec 2.10 requires.

import { asInput, memberAt, objectOf, textOf } from '../json/members.ts'
import type { EventFields, Payload } from './tool.ts'

type ToolCall = {
  readonly name: string | null
  readonly input: string | object | null
  readonly response?: string | null
  readonly error?: string | object | null
}

export function toolCallFields(model: string | null, call: ToolCall): EventFields {
  return {
    model,
    tool_name: call.name,
    tool_input: call.input,
    tool_response: call.response ?? null,
    tool_error: call.error ?? null,
  }
}

export function endFields(
  model: string | null,
  summary: string | null,
  stopReason: string | null,
): EventFields {
  return { model, response_summary: summary, stop_reason: stopReason }
}

/** Tool calls whose result has not come in the transcript yet, kept from one scan to the next. */
export type OpenCall = { readonly name: string | null; readonly input: string | object | null }

/** A call may never get a result. Only so many run at once. */
const maxOpen = 64

export function readOpenCalls(state: Payload): Map<string, OpenCall> {
  return new Map(
    Object.entries(objectOf(state, 'open')).map(([id, call]) => [
      id,
      { name: textOf(call, 'name'), input: asInput(memberAt(call, 'input')) },
    ]),
  )
}

/** The newest ones. */
export function keepOpenCalls(calls: ReadonlyMap<string, OpenCall>): Record<string, OpenCall> {
  return Object.fromEntries([...calls].slice(-maxOpen))
}
