// Gives each kind of event the members that spec 2.10 requires.
import type { EventFields } from './tool.ts'

export function promptFields(model: string | null, prompt: string | null): EventFields {
  return { model, prompt }
}

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
