// The Messages dialect, which Claude Code speaks, and Copilot CLI too if told to.
import { type Dialect, listOf, type ServerEvent } from './dialect.ts'
import type { Step, Turn } from './script.ts'

const usage = { input_tokens: 900, output_tokens: 50 }

export const messages: Dialect = {
  readTurns: body =>
    listOf(body.messages)
      .filter(({ role }) => role === 'user')
      .flatMap(({ content }): Turn[] => {
        if (typeof content === 'string') return [{ kind: 'user', text: content }]
        return listOf(content).flatMap((block): Turn[] => {
          if (block.type === 'tool_result') return [{ kind: 'result', text: JSON.stringify(block.content) }]
          return block.type === 'text' ? [{ kind: 'user', text: String(block.text) }] : []
        })
      }),
  hasTools: ({ tools }) => listOf(tools).length > 0,
  writeBody: (step, model, id) => ({
    ...head(model, id),
    content: [writeBlock(step, id)],
    stop_reason: reasonOf(step),
    usage,
  }),
  writeEvents: (step, model, id) => {
    const delta =
      step.kind === 'call'
        ? { type: 'input_json_delta', partial_json: JSON.stringify(step.input) }
        : { type: 'text_delta', text: step.text }
    const empty = step.kind === 'call' ? { ...step, input: {} } : { ...step, text: '' }
    const events = [
      { type: 'message_start', message: { ...head(model, id), content: [], stop_reason: null, usage } },
      { type: 'content_block_start', index: 0, content_block: writeBlock(empty, id) },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: reasonOf(step), stop_sequence: null }, usage },
      { type: 'message_stop' },
    ]
    const sent = step.kind === 'stall' ? events.slice(0, 3) : events
    return sent.map((data): ServerEvent => ({ event: data.type, data }))
  },
}

function head(model: string, id: string) {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model, stop_sequence: null }
}

function reasonOf(step: Step): string {
  return step.kind === 'call' ? 'tool_use' : 'end_turn'
}

function writeBlock(step: Step, id: string): object {
  return step.kind === 'call'
    ? { type: 'tool_use', id: `toolu_${id}`, name: step.tool, input: step.input }
    : { type: 'text', text: step.text }
}
