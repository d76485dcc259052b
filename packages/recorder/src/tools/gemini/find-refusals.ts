// Finds the tool calls in a transcript of Gemini CLI that it refused before they began: an unknown tool, invalid input, a path outside
// the project. It runs no hook for them.

import { asInput, asMoment, isObject, listOf, memberAt, textOf } from '../../json/members.ts'
import { toolCallFields } from '../event-fields.ts'
import { callKey, type FoundEvent, type Payload, type UnreportedEvents } from '../tool.ts'

export const geminiRefusals: UnreportedEvents = {
  marks: ['"toolCalls"'],
  find: (lines, { sessionId, model }) => {
    const events: FoundEvent[] = []
    for (const line of lines) {
      for (const call of listCalls(line)) {
        const [id, name, error] = [textOf(call, 'id'), textOf(call, 'name'), errorOf(call)]
        // A call that had begun shows the model another text than the user, with few exceptions.
        if (id === null || error === null || call.status !== 'error' || call.resultDisplay !== error) continue
        const input = asInput(call.args)
        events.push({
          key: callKey('gemini', sessionId, id),
          unlessClaimed: failureKey(sessionId, name, input),
          ts: asMoment(call.timestamp, new Date(0)),
          tool: 'gemini',
          event: 'AfterTool',
          fields: toolCallFields(textOf(line, 'model') ?? model, { name, input, response: error, error }),
          folder: null,
        })
      }
    }
    return { events, state: {} }
  },
}

/** A hook does not name its call. So it claims what failed, which keeps the scan from recording one of the exceptions. */
export function failureKey(sessionId: string, name: string | null, input: string | object | null): string {
  return callKey('gemini', sessionId, `failed ${name} ${JSON.stringify(input)}`)
}

function listCalls(line: Payload): Payload[] {
  return line.type === 'gemini' ? listOf(line, 'toolCalls').filter(isObject) : []
}

function errorOf(call: Payload): string | null {
  return textOf(memberAt(listOf(call, 'result')[0], 'functionResponse', 'response'), 'error')
}
