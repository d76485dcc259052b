// The response object of OpenAI's Responses dialect: what was asked for, what came of it, and its usage.
import type { FinishReason } from '@fairgate/contracts/chat/response.ts'
import type { ResponsesRequest } from '@fairgate/contracts/responses/request.ts'
import type { OutputItem, ResponseObject, ResponsesUsage } from '@fairgate/contracts/responses/response.ts'
import type { UsageReport } from '../../../upstream/port.ts'

/** What stays the same in all events of a response. */
export type ResponseFrame = Omit<
  ResponseObject,
  'status' | 'error' | 'incomplete_details' | 'output' | 'usage'
>

/** Instructions and tools are not repeated: agents send tens of kilobytes of them with each step. `created`: Unix seconds. */
export function buildFrame(request: ResponsesRequest, callId: string, created: number): ResponseFrame {
  const { reasoning, text, tool_choice: choice } = request
  return {
    id: `resp_${callId}`,
    object: 'response',
    created_at: created,
    background: false,
    instructions: null,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: request.metadata ?? {},
    model: request.model,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    service_tier: 'default',
    store: false,
    temperature: request.temperature ?? null,
    text: { format: text?.format ?? { type: 'text' } },
    tool_choice: choice ?? 'auto',
    tools: [],
    top_p: request.top_p ?? null,
    truncation: 'disabled',
    user: null,
  }
}

type Outcome = {
  readonly output: readonly OutputItem[]
  readonly finish: FinishReason | null
  readonly usage: ResponsesUsage
}

export function buildResponse(frame: ResponseFrame, { output, finish, usage }: Outcome): ResponseObject {
  const reason = incompleteReason(finish)
  return {
    ...frame,
    status: reason === null ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: reason === null ? null : { reason },
    output: [...output],
    usage,
  }
}

function incompleteReason(finish: FinishReason | null) {
  if (finish === 'length') return 'max_output_tokens'
  return finish === 'content_filter' ? 'content_filter' : null
}

/** `costUsd`: null where a header tells it. */
export function buildResponsesUsage(reports: readonly UsageReport[], costUsd: number | null): ResponsesUsage {
  let input = 0
  let cached = 0
  let output = 0
  let reasoning = 0
  for (const report of reports) {
    if (report.kind !== 'reported') continue
    input += report.usage.inputTokens
    cached += report.usage.cachedTokens
    output += report.usage.outputTokens
    reasoning += report.usage.reasoningTokens
  }
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
    ...(costUsd === null ? {} : { cost: costUsd }),
  }
}
