// Cursor, the editor and its command line: its events, where its hooks are configured, and how its payloads become entries.
import { join } from 'node:path'
import { asInput, asText, textOf } from '../../json/members.ts'
import { endFields, promptFields, toolCallFields } from '../event-fields.ts'
import type { EventFields, Payload, Tool } from '../tool.ts'
import { findCursorFolders } from './find-folders.ts'

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
      return promptFields(model, textOf(payload, 'prompt'))
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
