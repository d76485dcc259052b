// Finds failed tool calls in a transcript of Claude Code. It runs no hook for a call that it refuses before it starts (invalid input, unknown
// tool, denied by the user) or that the user stops.

import { asInput, asMoment, asText, isObject, listOf, textOf } from '../../json/members.ts'
import { keepOpenCalls, readOpenCalls, toolCallFields } from '../event-fields.ts'
import { callKey, type FoundEvent, type Payload, type UnreportedEvents } from '../tool.ts'
import { modelOf } from './read-transcript.ts'

export const claudeFailures: UnreportedEvents = {
  marks: ['"tool_use"', '"tool_result"'],
  find: (lines, session, state) => {
    const open = readOpenCalls(state)
    let model = textOf(state, 'model')
    const events: FoundEvent[] = []
    for (const line of lines) {
      model = modelOf(line)?.model ?? model
      for (const block of listBlocks(line)) {
        const id = textOf(block, 'id', 'tool_use_id')
        if (id === null) continue
        if (block.type === 'tool_use')
          open.set(id, { name: textOf(block, 'name'), input: asInput(block.input) })
        if (block.type !== 'tool_result') continue
        const call = open.get(id)
        open.delete(id)
        if (call === undefined || block.is_error !== true) continue
        events.push({
          key: callKey('claude', session.sessionId, id),
          ts: asMoment(line.timestamp, new Date(0)),
          tool: 'claude',
          event: 'PostToolUseFailure',
          fields: toolCallFields(model, { ...call, error: joinContent(block.content) }),
          folder: textOf(line, 'cwd'),
        })
      }
    }
    return { events, state: { model, open: keepOpenCalls(open) } }
  },
}

/** Other lines repeat messages, as those of its requests do. */
function listBlocks(line: Payload): Payload[] {
  if (line.type !== 'assistant' && line.type !== 'user') return []
  return listOf(line.message, 'content').filter(isObject)
}

function joinContent(content: unknown): string | null {
  if (!Array.isArray(content)) return asText(content)
  return content.map(part => textOf(part, 'text') ?? asText(part)).join('\n')
}
