// What the plays of all agents have in common.
import { join } from 'node:path'
import type { Call, Script } from '../model-server/script.ts'
import type { ExpectedEntry, PlayedCall } from './agent.ts'

export function call(tool: string, input: Call['input'], namespace?: string): Call {
  return { kind: 'call', tool, input, ...(namespace === undefined ? {} : { namespace }) }
}

/** A tool call with the entry that it must leave; its tool is the entry's if that names no other. */
export function played(step: Call, entry: ExpectedEntry): PlayedCall {
  return { step, entry: { toolName: step.tool, ...entry } }
}

/** What a subagent is asked, runs and answers. */
export const helper = {
  task: 'You are the helper: look into it.',
  command: 'echo the helper looks',
  output: 'the helper looks',
  finding: 'The helper has found it.',
}

/** `end`: how a subagent ends. */
export function helperScript(shell: Call, end: Script['steps'][number]): Script {
  return { prompt: helper.task, steps: [shell, end] }
}

export const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4z8BAEmIY1TCqYfhqAACQ+f8B8u7oVwAAAABJRU5ErkJggg==',
  'base64',
)
/** In the middle, because some programs write it anew. */
export const pictureText = 'iVBORw0KGgo'

/** The MCP server `weather`. */
export const weatherServer = {
  command: process.execPath,
  args: [join(import.meta.dir, 'weather-server.ts')],
}
