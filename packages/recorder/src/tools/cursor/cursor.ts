// Cursor, the editor and its command line: its events, where its hooks are configured, and how its payloads become entries.
import { join } from 'node:path'
import { asInput, asText, objectOf, textOf, textsOf } from '../../json/members.ts'
import { endFields, toolCallFields } from '../event-fields.ts'
import type { EventFields, Payload, Surroundings, Tool } from '../tool.ts'

export const cursor: Tool = {
  name: 'cursor',
  events: ['beforeSubmitPrompt', 'postToolUse', 'postToolUseFailure', 'afterAgentResponse', 'stop'],
  hookFiles: (root, home) => [join(root, '.cursor', 'hooks.json'), join(home, '.cursor', 'hooks.json')],
  projectVariable: 'CURSOR_PROJECT_DIR',
  findFolders: findCursorFolders,
  mapEvent: (event, payload, { now }) => ({
    ts: now,
    sessionId: textOf(payload, 'conversation_id', 'session_id') ?? '',
    fields: mapFields(event, payload),
  }),
}

function mapFields(event: string, payload: Payload): EventFields {
  const model = textOf(payload, 'model')
  switch (event) {
    case 'beforeSubmitPrompt':
      return { model, prompt: textOf(payload, 'prompt') }
    case 'postToolUse':
    case 'postToolUseFailure':
      return toolCallFields(model, {
        name: textOf(payload, 'tool_name'),
        input: asInput(payload.tool_input),
        response: asText(payload.tool_output),
        error: textOf(payload, 'error_message'),
      })
    case 'afterAgentResponse':
      return endFields(model, textOf(payload, 'text'), null)
    default:
      // The answer is in the entries of afterAgentResponse. We do not guess which of them was the last.
      return endFields(model, null, textOf(payload, 'status'))
  }
}

/** A Cursor window can have several workspace roots. An event belongs to the one that contains its folder or file. */
function findCursorFolders(payload: Payload, surroundings: Surroundings): string[] {
  const roots = textsOf(payload, 'workspace_roots').map(toNativePath)
  const input = objectOf(payload, 'tool_input')
  const places = [
    textOf(payload, 'cwd'),
    textOf(input, 'cwd', 'working_directory'),
    textOf(input, 'file_path', 'path'),
  ]
    .filter(place => place !== null)
    .map(toNativePath)
  const holding = places.flatMap(place => roots.filter(root => isInside(place, root)))
  const { environment, workingFolder } = surroundings
  return [...holding, ...roots, environment.CURSOR_PROJECT_DIR ?? workingFolder, workingFolder]
}

/** On Windows roots look like `/c:/Users/…`. */
function toNativePath(path: string): string {
  return /^\/[a-z]:[/\\]/i.test(path) ? path.slice(1) : path
}

export function isInside(path: string, root: string): boolean {
  const [inner, outer] = [path, root].map(place => place.replace(/[/\\]+/g, '/').replace(/\/$/, ''))
  return inner === outer || (inner ?? '').startsWith(`${outer}/`)
}
