// Finds the tool calls in a transcript of Copilot that the user stopped. It runs no hook for them.

import { asInput, asMoment, objectOf, textOf } from '../../json/members.ts'
import { toolCallFields } from '../event-fields.ts'
import { keepOpenCalls, readOpenCalls } from '../open-calls.ts'
import { callKey, type FoundEvent, type UnreportedEvents } from '../tool.ts'

export const copilotAborts: UnreportedEvents = {
  marks: ['"tool.execution_', '"abort"'],
  find: (lines, session, state) => {
    const { sessionId } = session
    const open = readOpenCalls(state)
    // The first hook can come before the record of the session's start, which names it.
    let model = textOf(state, 'model') ?? session.model
    const events: FoundEvent[] = []
    for (const line of lines) {
      const data = objectOf(line, 'data')
      const id = textOf(data, 'toolCallId')
      model = textOf(data, 'model') ?? model
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
    return { events, state: { model, open: keepOpenCalls(open) } }
  },
}
