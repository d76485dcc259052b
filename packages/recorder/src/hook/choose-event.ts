// Decides whether an event is recorded, and for which tool: once, for the tool that had it, and only if the specification lists it.
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
  /** Whether the host has our hooks itself. */
  readonly isHostHooked: boolean
}

/**
 * null: the event is not recorded. Cursor runs the hooks of Claude Code under its own event names. Such an event counts as Cursor's
 * unless Cursor has our hooks itself. Any other guest has its own hooks and is skipped.
 */
export function chooseEvent({ called, event, payload, host, isHostHooked }: HookCall): ChosenEvent | null {
  if (host.name === called.name) return called.events.includes(event) ? { tool: called, event } : null
  if (host.name !== 'cursor' || isHostHooked) return null
  const own = textOf(payload, 'hook_event_name') ?? ''
  return host.events.includes(own) ? { tool: host, event: own } : null
}
