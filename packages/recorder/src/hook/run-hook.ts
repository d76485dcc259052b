// `hook <tool> <event>`: whatever happens, it prints nothing, exits with 0 and does not keep the tool waiting.

import { fstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseObject } from '../json/members.ts'
import { appendLog, noteSkip } from '../spool/append-log.ts'
import { layOut } from '../spool/layout.ts'
import { findTool } from '../tools/find-tool.ts'
import type { Payload } from '../tools/tool.ts'
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

/** Some tools put a byte order mark before it. */
function parsePayload(text: string): Payload | null {
  return parseObject(text.replace(/^\uFEFF/, ''))
}

// Reads what the tool sends, within limits: a tool that never closes the pipe must not block the hook.  `fs.read` would start five milliseconds sooner (measured), but Node does not exit while its thread waits.

type StandardInput = {
  readonly text: string
  /** False when the pipe was still open when we gave up. */
  readonly isClosed: boolean
}

type InputLimits = {
  /** How often (ms) we check whether the input is complete. If it is, we do not wait for the end of the pipe. */
  readonly lookMs: number
  /** We give up after this long (ms) without input. */
  readonly silentMs: number
  readonly isWhole: (text: string) => boolean
}

async function readStandardInput(limits: InputLimits): Promise<StandardInput> {
  // A thread would read the file, and on a busy machine it may not have run before the time is over.
  if (isFile()) return { text: readFileSync(0, 'utf8'), isClosed: true }
  return await readPipe(limits)
}

function isFile(): boolean {
  try {
    return process.platform !== 'win32' && fstatSync(0).isFile()
  } catch {
    return false
  }
}

function readPipe({ lookMs, silentMs, isWhole }: InputLimits): Promise<StandardInput> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let timer: ReturnType<typeof setTimeout>
    const read = () => Buffer.concat(chunks).toString('utf8')
    const end = (isClosed: boolean) => {
      clearTimeout(timer)
      resolve({ text: read(), isClosed })
    }
    const wait = (silent: number) => {
      const seen = chunks.length
      const judge = () => {
        const silence = chunks.length === seen ? silent + lookMs : 0
        if (isWhole(read()) || silence >= silentMs) end(false)
        else wait(silence)
      }
      // On a busy machine the time may be over before the first look at the pipe, so we look once more before giving up.
      timer = setTimeout(() => setImmediate(judge), lookMs)
    }
    process.stdin.on('data', (chunk: Buffer) => chunks.push(chunk))
    process.stdin.on('end', () => end(true))
    // Windows reports the end of a pipe as an error.
    process.stdin.on('error', () => end(true))
    wait(0)
  })
}
