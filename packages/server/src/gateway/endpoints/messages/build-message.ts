// Builds a whole answer in Anthropic's format, and the parts that its stream shares: usage, stop reason, search results.
import type { Annotation, FinishReason } from '@fairgate/contracts/chat/response.ts'
import { readJsonObject } from '@fairgate/contracts/chat/tools.ts'
import type {
  ContentBlock,
  MessageBody,
  MessagesUsage,
  StopReason,
} from '@fairgate/contracts/messages/response.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { ChatChoice, ChatResult, UsageReport } from '../../../upstream/port.ts'
import { splitToolCallId } from '../../../upstream/tool-call-id.ts'
import { packReasoning } from '../../conversation/reasoning-envelope.ts'
import type { ToolNames } from '../../conversation/tool-names.ts'
import { sumUsage } from '../../flow/meter.ts'

/** The basis for writing an answer, whole or streamed. */
export type AnswerForm = {
  /** As named by the client. */
  readonly modelName: string
  readonly model: CatalogModel
  readonly callId: string
  readonly names: ToolNames
  /** True if the client wants to see thoughts. Their signatures are sent in any case. */
  readonly showsThoughts: boolean
  /** A client that asked for one call at a time gets no more. */
  readonly hasOneCall: boolean
}

export function buildMessage({ choices, usage }: ChatResult, form: AnswerForm): MessageBody {
  const [choice] = choices
  const content = choice === undefined ? [] : buildContent(choice, form)
  return {
    id: `msg_${form.callId}`,
    type: 'message',
    role: 'assistant',
    model: form.modelName,
    content,
    stop_reason: stopReasonOf(
      choice?.finishReason ?? 'stop',
      content.some(({ type }) => type === 'tool_use'),
    ),
    stop_sequence: null,
    usage: buildUsage([usage]),
  }
}

/** The envelope comes before all calls and contains the signature of each. */
function buildContent(choice: ChatChoice, form: AnswerForm): ContentBlock[] {
  const { text, reasoning, thinkingBlocks, annotations, finishReason } = choice
  const calls = choice.toolCalls.slice(0, form.hasOneCall ? 1 : choice.toolCalls.length).map(call => ({
    call,
    ...splitToolCallId(call.id),
  }))
  const signatures = {
    calls: calls.map(({ signature }) => signature),
    text: thinkingBlocks.findLast(block => block.signature)?.signature ?? null,
  }
  const thinking = form.showsThoughts ? (reasoning ?? '') : ''
  const isSigned = signatures.text !== null || signatures.calls.some(signature => signature !== null)
  const blocks: ContentBlock[] = [
    ...(thinking !== '' || isSigned
      ? [{ type: 'thinking' as const, thinking, signature: packReasoning(form.model, signatures) }]
      : []),
    ...(text ? [{ type: 'text' as const, text }] : []),
    ...buildSearch(annotations, form.callId),
    ...calls.map(({ call: { function: called }, id }) => ({
      type: 'tool_use' as const,
      id: showCallId(id),
      name: form.names.toOuter(called.name).name,
      input: readJsonObject(called.arguments) ?? {},
    })),
  ]
  if (finishReason === 'content_filter' && !blocks.some(({ type }) => type === 'text' || type === 'tool_use'))
    blocks.push({ type: 'text', text: refusalText })
  return blocks
}

/** A stop reason `refusal` makes Claude Code ask again, and then show another provider's policy. */
export const refusalText = 'The model refused to answer: its filter blocked the prompt or the answer.'

/** Clients know calls by ids of this kind. An id of another form is the upstream's own and stays. */
export function showCallId(id: string): string {
  return id.replace(/^call_(?=[0-9a-zA-Z]+$)/, 'toolu_')
}

/** `tool_use` only with a call: without one, agents would wait forever. */
export function stopReasonOf(reason: FinishReason, hasCalls: boolean): StopReason {
  if (hasCalls) return 'tool_use'
  return reason === 'length' ? 'max_tokens' : 'end_turn'
}

/** The results of a web search, each URL once. */
export function buildSearch(annotations: readonly Annotation[], callId: string): ContentBlock[] {
  if (annotations.length === 0) return []
  const found = new Map(annotations.map(({ url_citation: { url, title } }) => [url, title]))
  const id = `srvtoolu_${callId}`
  const results = [...found].map(([url, title]) => ({
    type: 'web_search_result' as const,
    url,
    title,
    encrypted_content: '',
    page_age: null,
  }))
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: {} },
    { type: 'web_search_tool_result', tool_use_id: id, content: results },
  ]
}

/** `input_tokens` includes neither tokens from a cache nor those written to one. Zeros if the upstream reports nothing. */
export function buildUsage(reports: readonly UsageReport[]): MessagesUsage {
  const { inputTokens, cachedTokens, writtenTokens, outputTokens, reasoningTokens } = sumUsage(reports)
  return {
    input_tokens: inputTokens - cachedTokens - writtenTokens,
    cache_creation_input_tokens: writtenTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: outputTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens },
  }
}
