// Translates a request in OpenAI's Responses dialect to a chat turn for the gateway, and the facts for writing its answer.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ResponsesRequest } from '@fairgate/contracts/responses/request.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { Conversation } from '../../../upstream/port.ts'
import { repairHistory } from '../../conversation/repair-history.ts'
import { createToolNames } from '../../conversation/tool-names.ts'
import { compactionPrompt } from './compaction.ts'
import { readInput } from './read-input.ts'
import { readTools, type ToolTable } from './read-tools.ts'

export type TranslatedRequest = {
  readonly conversation: Conversation
  readonly tools: ToolTable
  /** The answer is the compacted conversation. */
  readonly isCompaction: boolean
  /** The place in the request from which the content of each message comes, for errors: '' if the gateway added it. */
  readonly places: readonly string[]
}

/** `earlier`: number of stored items before those of the client. Throws ApiError `invalid_request` for anything unsupported, naming the member. */
export function translateRequest(
  request: ResponsesRequest,
  model: CatalogModel,
  earlier = 0,
): TranslatedRequest {
  refuseUnsupported(request)
  const names = createToolNames()
  const { table, ...declared } = readTools(request, names, model, earlier)
  const { messages, places, isCompaction } = readInput(request, model, names, earlier)
  const history = repairHistory(
    isCompaction ? [...messages, { role: 'user', content: compactionPrompt }] : messages,
  )
  const { max_output_tokens, temperature, top_p, parallel_tool_calls, reasoning, stream } = request
  const conversation: Conversation = {
    model: request.model,
    messages: history,
    max_completion_tokens: max_output_tokens ?? null,
    temperature: temperature ?? null,
    top_p: top_p ?? null,
    stream: stream ?? null,
    ...(isCompaction ? absent : { ...declared, parallel_tool_calls: parallel_tool_calls ?? null }),
    ...(isCompaction ? absent : readFormat(request)),
    ...readThinking(reasoning ?? {}),
  }
  return {
    conversation,
    tools: table,
    isCompaction,
    places: history.map(message => places.get(message) ?? ''),
  }
}

const absent = {}

function refuseUnsupported({ conversation, prompt, background }: ResponsesRequest): void {
  if (isGiven(conversation))
    throw invalidRequest(
      'conversation',
      'conversation is not supported. Continue a stored response with previous_response_id, or send the earlier items in input.',
    )
  if (isGiven(prompt))
    throw invalidRequest('prompt', 'prompt is not supported. Send its text in instructions and input.')
  if (background === true)
    throw invalidRequest('background', 'background: true is not supported. Omit it and stream the answer.')
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function readFormat({ text }: ResponsesRequest): Pick<Conversation, 'response_format'> {
  const format = text?.format ?? null
  if (format === null) return absent
  if (format.type !== 'json_schema')
    return format.type === 'text' ? absent : { response_format: { type: 'json_object' } }
  const { name, schema } = format
  return { response_format: { type: 'json_schema', json_schema: { ...(name ? { name } : absent), schema } } }
}

/** Reasoning is shown if a summary is requested. If the request does not mention it, the model uses its default. */
function readThinking({
  effort,
  summary,
}: NonNullable<ResponsesRequest['reasoning']>): Pick<Conversation, 'reasoning_effort' | 'thinking'> {
  const isShown = showsReasoning(summary)
  return {
    ...(effort ? { reasoning_effort: effort } : absent),
    ...(effort || isShown ? { thinking: { budget: null, isShown } } : absent),
  }
}

export function showsReasoning(summary: string | null | undefined): boolean {
  return summary !== undefined && summary !== null && summary !== 'none'
}
