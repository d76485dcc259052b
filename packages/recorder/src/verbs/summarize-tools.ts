// Summarizes each tool: whether it calls its hooks, its last event, counts, and events that should have come but never did.
import { readManifest } from '../install/files/changes.ts'
import { judgeTool, listInstalledTools, type ToolHealth } from '../install/inspect/judge-tool.ts'
import { launcherPath } from '../install/program/launcher.ts'
import type { Spool } from '../spool/spool.ts'
import { tools } from '../tools/find-tool.ts'
import type { Tool, ToolName } from '../tools/tool.ts'
import type { VerbContext } from './verb.ts'

export type ToolSummary = Omit<ToolHealth, 'file'> & {
  readonly tool: ToolName
  /** The file with our hooks; null when none was found. */
  readonly installedIn: string | null
  /** Entries by event. */
  readonly counts: Readonly<Record<string, number>>
  /** `ts` of the newest entry, as written. */
  readonly lastEventAt: string | null
  readonly lastEvent: string | null
  /** Events of a tool in use that have never been recorded. */
  readonly neverSeen: readonly string[]
}

type Entry = Readonly<Record<string, unknown>>

/** With fewer entries it is unclear what is missing, because a session has a prompt, calls and an end. */
const enoughEntries = 3

export function summarizeTools(
  entries: readonly Entry[],
  root: string,
  spool: Spool,
  { home, readText, environment }: Pick<VerbContext, 'home' | 'readText' | 'environment'>,
): ToolSummary[] {
  const expected = listInstalledTools(readManifest(spool), root)
  const launcher = launcherPath(spool.layout.folder)
  const { modifiedAt } = spool.files
  return Object.values(tools).map(tool => {
    const own = entries.filter(entry => entry.tool === tool.name)
    const counts = Object.fromEntries(tool.events.map(event => [event, countEvent(own, event)]))
    const last = own.reduce<Entry | null>(
      (newest, entry) => (newest === null || timeOf(entry) >= timeOf(newest) ? entry : newest),
      null,
    )
    const { file, ...health } = judgeTool(
      tool.name,
      { root, home, readText, environment },
      {
        launcher,
        isExpected: expected.includes(tool.name),
        lastEventAt: last === null ? null : timeOf(last),
        modifiedAt,
      },
    )
    return {
      tool: tool.name,
      installedIn: file,
      ...health,
      counts,
      lastEventAt: last === null ? null : String(last.ts),
      lastEvent: last === null ? null : String(last.event),
      neverSeen: own.length < enoughEntries ? [] : listExpected(tool).filter(event => counts[event] === 0),
    }
  })
}

/** A session may have no failures and use no subagents. */
function listExpected(tool: Tool): string[] {
  return tool.events.filter(event => !/Failure$|^Subagent/.test(event))
}

function countEvent(entries: readonly Entry[], event: string): number {
  return entries.filter(entry => entry.event === event).length
}

function timeOf(entry: Entry): number {
  return Date.parse(String(entry.ts)) || 0
}
