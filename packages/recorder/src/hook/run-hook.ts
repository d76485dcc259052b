// `hook <tool> <event>`: whatever happens, it prints nothing, ends with 0 and does not keep the tool waiting.
import { join } from 'node:path'
import { appendLog } from '../spool/append-log.ts'
import { findTool } from '../tools/find-tool.ts'
import { parsePayload } from './parse-payload.ts'
import { readStandardInput } from './read-stdin.ts'
import { type HookDependencies, recordEvent } from './record-event.ts'

/** A busy tool may take a moment to write, or to go on; it gives a hook up after ten seconds. */
const limits = { lookMs: 1000, silentMs: 5000, isWhole: (text: string) => parsePayload(text) !== null }

/** Never rejects. */
export async function runHook(
  [toolName = '', event = '']: readonly string[],
  dependencies: HookDependencies,
): Promise<void> {
  const log = (message: string) =>
    appendLog(
      join(dependencies.home, '.fairgate', 'recorder.log'),
      dependencies.now,
      `hook ${toolName} ${event}: ${message}`,
    )
  try {
    const tool = findTool(toolName)
    if (tool === null) return log('unknown tool')
    const { text, isClosed } = await readStandardInput(limits)
    const payload = parsePayload(text)
    if (payload === null)
      return log(`standard input ${isClosed ? 'was no JSON object' : 'was not closed in time'}`)
    await recordEvent(tool, event, payload, dependencies)
  } catch (thrown) {
    log(thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : 'failed')
  }
}
