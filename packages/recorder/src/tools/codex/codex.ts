// OpenAI Codex CLI: its events, where its hooks are configured, and how its payloads become entries.
import { join } from 'node:path'
import { asInput, asText, textOf } from '../../json/members.ts'
import { endFields, promptFields, toolCallFields } from '../event-fields.ts'
import {
  callKey,
  type EventFields,
  type MappedEvent,
  type Payload,
  type Surroundings,
  type Tool,
} from '../tool.ts'
import { codexCalls } from './find-calls.ts'

export const codex: Tool = {
  name: 'codex',
  events: ['UserPromptSubmit', 'PostToolUse', 'Stop'],
  hookFiles: (root, home) => [join(root, '.codex', 'hooks.json'), join(home, '.codex', 'hooks.json')],
  projectVariable: null,
  findFolders: (payload, { workingFolder }) => [textOf(payload, 'cwd') ?? workingFolder, workingFolder],
  mapEvent,
  unreported: codexCalls,
}

function mapEvent(event: string, payload: Payload, { now, transcripts }: Surroundings): MappedEvent {
  const sessionId = textOf(payload, 'session_id') ?? ''
  const [call, transcript] = [textOf(payload, 'tool_use_id'), textOf(payload, 'transcript_path')]
  return {
    ts: now,
    sessionId,
    fields: mapFields(event, payload),
    ...(call === null ? {} : { once: { key: callKey('codex', sessionId, call), otherwise: null } }),
    ...(transcript === null
      ? {}
      : {
          session: {
            transcript,
            model: textOf(payload, 'model'),
            isTurnEnd: event === 'Stop',
            begin: () => ({ from: transcripts.sizeOf(transcript), notedAt: now.getTime() }),
          },
        }),
  }
}

function mapFields(event: string, payload: Payload): EventFields {
  const model = textOf(payload, 'model')
  switch (event) {
    case 'UserPromptSubmit':
      return promptFields(model, textOf(payload, 'prompt'))
    case 'PostToolUse':
      // A failed command looks like any other. We do not guess an error from its output.
      return toolCallFields(model, {
        name: textOf(payload, 'tool_name'),
        input: asInput(payload.tool_input),
        response: asText(payload.tool_response),
      })
    default:
      return endFields(model, textOf(payload, 'last_assistant_message'), null)
  }
}
