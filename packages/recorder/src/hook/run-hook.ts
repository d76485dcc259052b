// `hook <tool> <event>`: whatever happens, it prints nothing, exits with 0 and does not keep the tool waiting.
import { join } from 'node:path'
import { appendLog } from '../spool/append-log.ts'
import { layOut } from '../spool/layout.ts'
import { noteSkip } from '../spool/skips.ts'
import { findTool } from '../tools/find-tool.ts'
import type { Payload } from '../tools/tool.ts'
import { readStandardInput } from './read-stdin.ts'
import { type HookDependencies, recordEvent } from './record-event.ts'

/** A busy tool may need a moment to write. It gives up on a hook after ten seconds. */
const limits = { lookMs: 1000, silentMs: 5000, isWhole: (text: string) => parsePayload(text) !== null }

/** Never rejects. An event that is not recorded is noted with the reason. */
export async function runHook(
  [toolName = '', event = '']: readonly string[],
  dependencies: HookDependencies,
): Promise<void> {
  const { home, now, calledFolder } = dependencies
  /** Notes the skip in the repository's own folder, where `status` finds it, or else in the user's log. */
  const skip = (reason: string, folder = calledFolder) => {
    if (folder !== null) noteSkip(layOut(folder), now, { tool: toolName || '-', event: event || '-', reason })
    else appendLog(join(home, '.fairgate', 'recorder.log'), now, `hook ${toolName} ${event}: ${reason}`)
  }
  try {
    const tool = findTool(toolName)
    if (tool === null) return skip('this recorder does not know the tool')
    const { text, isClosed } = await readStandardInput(limits)
    const payload = parsePayload(text)
    if (payload === null)
      return skip(
        isClosed ? 'what the tool sent was not a JSON object' : 'the tool did not finish sending in time',
      )
    const result = await recordEvent(tool, event, payload, dependencies)
    if (result.kind === 'skipped') skip(result.reason, result.folder ?? calledFolder)
  } catch (thrown) {
    skip(thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : 'failed')
  }
}

/** null when it is no JSON object. Some tools put a byte order mark before it. */
function parsePayload(text: string): Payload | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}
