// The dialect of Gemini CLI.
import { type Dialect, listOf } from './dialect.ts'
import type { Step, Turn } from './script.ts'

export const generateContent: Dialect = {
  readTurns: body =>
    listOf(body.contents)
      .filter(({ role }) => role === 'user')
      .flatMap(({ parts }) =>
        listOf(parts).flatMap((part): Turn[] => {
          if (part.functionResponse !== undefined)
            return [{ kind: 'result', text: JSON.stringify(part.functionResponse) }]
          return typeof part.text === 'string' ? [{ kind: 'user', text: part.text }] : []
        }),
      ),
  hasTools: ({ tools }) => listOf(tools).length > 0,
  writeBody: writeReply,
  writeEvents: (step, model, id) => split(step).map(piece => ({ data: writeReply(piece, model, id) })),
}

/** An answer comes in several pieces, as from a real model. */
function split(step: Step): Step[] {
  if (step.kind === 'call') return [step]
  const words = step.text.split(/(?<= )/)
  return words.map(text => ({ kind: step.kind, text }))
}

function writeReply(step: Step, model: string, id: string): object {
  const part =
    step.kind === 'call'
      ? { functionCall: { id: `call_${id}`, name: step.tool, args: step.input } }
      : { text: step.text }
  return {
    candidates: [
      {
        content: { role: 'model', parts: [part] },
        index: 0,
        ...(step.kind === 'stall' ? {} : { finishReason: 'STOP' }),
      },
    ],
    usageMetadata: { promptTokenCount: 900, candidatesTokenCount: 50, totalTokenCount: 950 },
    modelVersion: model,
    responseId: id,
  }
}
