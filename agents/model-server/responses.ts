// The Responses dialect, which Codex speaks.
import { type Dialect, listOf, type ServerEvent } from './dialect.ts'
import type { Step, Turn } from './script.ts'

export const responses: Dialect = {
  readTurns: body =>
    listOf(body.input).flatMap((item): Turn[] => {
      if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output')
        return [{ kind: 'result', text: JSON.stringify(item.output) }]
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
    const sent = step.kind === 'stall' ? events.slice(0, 4) : events
    return sent.map(
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
  if (step.kind !== 'call') {
    return {
      id: `msg_${id}`,
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: step.text, annotations: [] }],
    }
  }
  const { tool, input, namespace } = step
  const call = { status: 'completed', call_id: `call_${id}`, name: tool }
  return typeof input === 'string'
    ? { id: `ctc_${id}`, type: 'custom_tool_call', ...call, input }
    : {
        id: `fc_${id}`,
        type: 'function_call',
        ...call,
        ...(namespace === undefined ? {} : { namespace }),
        arguments: JSON.stringify(input),
      }
}

function emptyPart(step: Step): object {
  if (step.kind !== 'call') return { status: 'in_progress', content: [] }
  return { status: 'in_progress', [typeof step.input === 'string' ? 'input' : 'arguments']: '' }
}

function writeDeltas(step: Step, id: string) {
  if (step.kind === 'call') {
    const { input } = step
    if (typeof input === 'string') {
      const place = { item_id: `ctc_${id}`, output_index: 0 }
      return [
        { type: 'response.custom_tool_call_input.delta', ...place, delta: input },
        { type: 'response.custom_tool_call_input.done', ...place, input },
      ]
    }
    const place = { item_id: `fc_${id}`, output_index: 0 }
    const delta = JSON.stringify(input)
    return [
      { type: 'response.function_call_arguments.delta', ...place, delta },
      { type: 'response.function_call_arguments.done', ...place, arguments: delta },
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
