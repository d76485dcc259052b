// Turns chat events into the bytes of a streamed response: typed events with rising numbers, and the response object at both ends.
import type { FinishReason } from '@fairgate/contracts/chat/response.ts'
import type { ResponsesRequest } from '@fairgate/contracts/responses/request.ts'
import type { OutputItem, ResponseObject, ResponsesUsage } from '@fairgate/contracts/responses/response.ts'
import type { ChatEvent, UsageReport } from '../../../upstream/port.ts'
import type { AnswerWriter } from '../../conversation/answer-pieces.ts'
import { explainFault } from '../../conversation/answer-turn.ts'
import { sumUsage } from '../../flow/meter.ts'
import { type AnswerForm, AnswerItems } from './answer-items.ts'
import type { KeptResponse } from './keep-responses.ts'
import { writeResponseId } from './response-ids.ts'
import { describeFailure } from './write-responses-error.ts'

export class ResponseWriter implements AnswerWriter {
  private frame: ResponseFrame
  private readonly items: AnswerItems
  /** Null if the response is not to be stored. */
  private readonly kept: KeptResponse | null
  private sequence = 0
  /** Received, but not sent to the client yet. */
  private text = ''

  constructor(request: ResponsesRequest, form: AnswerForm, callId: string, kept: KeptResponse | null = null) {
    this.kept = kept
    this.frame = buildFrame(request, callId, 0)
    this.items = new AnswerItems(form, callId, (type, facts) => this.report(type, facts))
  }

  begin(created: number): void {
    this.frame = { ...this.frame, created_at: created }
    this.report('response.created', { response: this.inProgress() })
    this.report('response.in_progress', { response: this.inProgress() })
  }

  /** One choice only. */
  write(_index: number, event: ChatEvent): string {
    this.items.take(event)
    return this.give()
  }

  /** While the model is silent: Codex counts events, not comments, before it gives up. Every client tried accepts a repeat of this one. */
  keepAlive(): string {
    this.report('response.in_progress', { response: this.inProgress() })
    return this.give()
  }

  /** The last event says whether the response is stored, and leaves afterwards. */
  store(usage: readonly UsageReport[], costUsd: number): Promise<void> | null {
    const { kept, items, frame } = this
    if (kept === null || items.fault !== null) return null
    const used = buildResponsesUsage(usage, costUsd)
    const stored = { ...frame, store: true }
    return kept.store(buildResponse(stored, { ...items, usage: used })).then(isStored => {
      if (isStored) this.frame = stored
    })
  }

  close(): void {
    this.kept?.release()
  }

  end(usage: readonly UsageReport[], costUsd: number): string {
    const { output, finish, fault } = this.items
    const used = buildResponsesUsage(usage, costUsd)
    if (fault !== null) return this.failWith(explainFault(fault), used)
    const response = buildResponse(this.frame, { output, finish, usage: used })
    this.report(`response.${response.status}`, { response })
    return this.give()
  }

  fail(error: unknown): string {
    return this.failWith(error, null)
  }

  private failWith(error: unknown, usage: ResponsesUsage | null): string {
    const { output } = this.items
    const failed = { status: 'failed', error: describeFailure(error), output, usage }
    this.report('response.failed', { response: { ...this.inProgress(), ...failed } })
    return this.give()
  }

  private inProgress() {
    const nothing = { error: null, incomplete_details: null, output: [], usage: null }
    return { ...this.frame, status: 'in_progress', ...nothing }
  }

  /** Clients read the type in the data; some also need it in the line `event`. */
  private report(type: string, facts: Readonly<Record<string, unknown>>): void {
    this.text += `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.sequence, ...facts })}\n\n`
    this.sequence += 1
  }

  private give(): string {
    const { text } = this
    this.text = ''
    return text
  }
}

/** The members that stay the same in all events of a response. */
export type ResponseFrame = Omit<
  ResponseObject,
  'status' | 'error' | 'incomplete_details' | 'output' | 'usage'
>

/** Instructions and tools are not repeated: agents send tens of kilobytes of them with each step. `created`: Unix seconds. */
export function buildFrame(request: ResponsesRequest, callId: string, created: number): ResponseFrame {
  const { reasoning, text, tool_choice: choice } = request
  return {
    id: writeResponseId(callId),
    object: 'response',
    created_at: created,
    background: false,
    instructions: null,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: request.metadata ?? {},
    model: request.model,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
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

/** `costUsd`: null if a header has it. */
export function buildResponsesUsage(reports: readonly UsageReport[], costUsd: number | null): ResponsesUsage {
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens } = sumUsage(reports)
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
    ...(costUsd === null ? {} : { cost: costUsd }),
  }
}
