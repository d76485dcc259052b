// Decides as what an event is recorded, if at all: under the tool that had it, once, and only when the specification lists it.
import { textOf } from '../tools/payload.ts'
import type { Payload, Tool } from '../tools/tool.ts'

export type ChosenEvent = { readonly tool: Tool; readonly event: string }

export type HookCall = {
  /** The tool whose hook was run. */
  readonly called: Tool
  readonly event: string
  readonly payload: Payload
  /** The tool that ran it. */
  readonly host: Tool
  /** Whether the host has hooks of ours itself. */
  readonly isHostHooked: boolean
}

/**
 * null: not to be recorded. Cursor runs the hooks of Claude Code under its own event names; such an event counts as Cursor's
 * unless Cursor has hooks of ours itself. Any other guest has its own hooks and is passed over.
 */
export function chooseEvent({ called, event, payload, host, isHostHooked }: HookCall): ChosenEvent | null {
  if (host.name === called.name) return called.events.includes(event) ? { tool: called, event } : null
  if (host.name !== 'cursor' || isHostHooked) return null
  const own = textOf(payload, 'hook_event_name') ?? ''
  return host.events.includes(own) ? { tool: host, event: own } : null
}
