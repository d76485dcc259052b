// The Responses dialect, which Codex speaks.
import { type Dialect, listOf, type ServerEvent } from './dialect.ts'
import type { Step, Turn } from './script.ts'

export const responses: Dialect = {
  readTurns: body =>
    listOf(body.input).flatMap((item): Turn[] => {
      if (item.type === 'function_call_output') return [{ kind: 'result' }]
      if (item.role !== 'user') return []
      if (typeof item.content === 'string') return [{ kind: 'user', text: item.content }]
      return listOf(item.content).map(({ text }): Turn => ({ kind: 'user', text: String(text) }))
    }),
  hasTools: ({ tools }) => listOf(tools).length > 0,
  writeBody: writeResponse,
  writeEvents: (step, model, id) => {
    const item = writeItem(step, id)
    const started = { ...writeResponse(step, model, id), status: 'in_progress', output: [] }
    const events = [
      { type: 'response.created', response: started },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, ...emptyPart(step) } },
      ...writeDeltas(step, id),
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: writeResponse(step, model, id) },
    ]
    return events.map(
      (data, sequence_number): ServerEvent => ({ event: data.type, data: { ...data, sequence_number } }),
    )
  },
}

function writeResponse(step: Step, model: string, id: string) {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    status: 'completed',
    model,
    output: [writeItem(step, id)],
    error: null,
    incomplete_details: null,
    usage: {
      input_tokens: 900,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 950,
    },
  }
}

function writeItem(step: Step, id: string): object {
  return step.kind === 'call'
    ? {
        id: `fc_${id}`,
        type: 'function_call',
        status: 'completed',
        call_id: `call_${id}`,
        name: step.tool,
        arguments: JSON.stringify(step.input),
      }
    : {
        id: `msg_${id}`,
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: step.text, annotations: [] }],
      }
}

function emptyPart(step: Step): object {
  return step.kind === 'call'
    ? { status: 'in_progress', arguments: '' }
    : { status: 'in_progress', content: [] }
}

function writeDeltas(step: Step, id: string) {
  if (step.kind === 'call') {
    const delta = JSON.stringify(step.input)
    return [
      { type: 'response.function_call_arguments.delta', item_id: `fc_${id}`, output_index: 0, delta },
      {
        type: 'response.function_call_arguments.done',
        item_id: `fc_${id}`,
        output_index: 0,
        arguments: delta,
      },
    ]
  }
  const place = { item_id: `msg_${id}`, output_index: 0, content_index: 0 }
  const part = (text: string) => ({ type: 'output_text', text, annotations: [] })
  return [
    { type: 'response.content_part.added', ...place, part: part('') },
    { type: 'response.output_text.delta', ...place, delta: step.text, logprobs: [] },
    { type: 'response.output_text.done', ...place, text: step.text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part: part(step.text) },
  ]
}
