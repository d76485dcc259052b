// What each tool has shown of itself: hooks found, last event, counts, and events that ought to have come and never did.
import { recipes } from '../install/settings/find-recipe.ts'
import { tools } from '../tools/find-tool.ts'
import { findInstallation } from '../tools/is-installed.ts'
import type { Tool, ToolName } from '../tools/tool.ts'
import type { VerbContext } from './verb.ts'

export type ToolSummary = {
  readonly tool: ToolName
  /** The file that configures our hooks; null when none was found. */
  readonly installedIn: string | null
  /** Whether the tool may run them; null: that cannot be known, or there are none. */
  readonly isTrusted: boolean | null
  /** A setting that keeps the tool from running any hook. */
  readonly switchedOff: string | null
  /** Entries by event. */
  readonly counts: Readonly<Record<string, number>>
  /** `ts` of the newest entry, as it was written. */
  readonly lastEventAt: string | null
  readonly lastEvent: string | null
  /** Events of a tool in use that have never been recorded. */
  readonly neverSeen: readonly string[]
}

/** Fewer entries say nothing about what is missing: a session has a prompt, calls and an end. */
const enoughEntries = 3

export function summarizeTools(
  entries: readonly Readonly<Record<string, unknown>>[],
  root: string,
  { home, readText }: Pick<VerbContext, 'home' | 'readText'>,
): ToolSummary[] {
  return Object.values(tools).map(tool => {
    const own = entries.filter(entry => entry.tool === tool.name)
    const counts = Object.fromEntries(tool.events.map(event => [event, countEvent(own, event)]))
    const last = own.reduce<Readonly<Record<string, unknown>> | null>(
      (newest, entry) => (newest === null || timeOf(entry) >= timeOf(newest) ? entry : newest),
      null,
    )
    const installedIn = findInstallation(tool, root, home, readText)
    const { isTrusted, findSwitchedOff } = recipes[tool.name]
    const places = { root, home, readText }
    return {
      tool: tool.name,
      installedIn,
      isTrusted: installedIn === null ? null : isTrusted(places),
      switchedOff: installedIn === null ? null : findSwitchedOff(places),
      counts,
      lastEventAt: last === null ? null : String(last.ts),
      lastEvent: last === null ? null : String(last.event),
      neverSeen: own.length < enoughEntries ? [] : listExpected(tool).filter(event => counts[event] === 0),
    }
  })
}

/** A failure need never happen, nor a subagent be used. */
function listExpected(tool: Tool): string[] {
  return tool.events.filter(event => !/Failure$|^Subagent/.test(event))
}

function countEvent(entries: readonly Readonly<Record<string, unknown>>[], event: string): number {
  return entries.filter(entry => entry.event === event).length
}

function timeOf(entry: Readonly<Record<string, unknown>>): number {
  return Date.parse(String(entry.ts)) || 0
}
