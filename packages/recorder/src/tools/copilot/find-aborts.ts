// Finds the tool calls in a transcript of Copilot that the user stopped. It runs no hook for them.
import { toolCallFields } from '../event-fields.ts'
import { keepOpenCalls, readOpenCalls } from '../open-calls.ts'
import { asInput, asMoment, objectOf, textOf } from '../payload.ts'
import { callKey, type FoundEvent, type UnreportedEvents } from '../tool.ts'

export const copilotAborts: UnreportedEvents = {
  marks: ['"tool.execution_', '"abort"'],
  find: (lines, { sessionId, model }, state) => {
    const open = readOpenCalls(state)
    const events: FoundEvent[] = []
    for (const line of lines) {
      const data = objectOf(line, 'data')
      const id = textOf(data, 'toolCallId')
      if (id !== null && line.type === 'tool.execution_start')
        open.set(id, { name: textOf(data, 'toolName'), input: asInput(data.arguments) })
      if (id !== null && line.type === 'tool.execution_complete') open.delete(id)
      if (line.type !== 'abort') continue
      for (const [callId, call] of open)
        events.push({
          key: callKey('copilot', sessionId, callId),
          ts: asMoment(line.timestamp, new Date(0)),
          tool: 'copilot',
          event: 'postToolUseFailure',
          fields: toolCallFields(model, { ...call, error: textOf(data, 'reason') }),
          folder: null,
        })
      open.clear()
    }
    return { events, state: { open: keepOpenCalls(open) } }
  },
}
