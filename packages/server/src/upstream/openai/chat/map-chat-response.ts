// Converts a chat completion of an OpenAI-compatible server to a chat result.
import { type DataUrl, readDataUrl } from '@fairgate/contracts/chat/data-url.ts'
import type { FinishReason } from '@fairgate/contracts/chat/response.ts'
import { mapOpenaiLogprobs } from '../../map-logprobs.ts'
import { asArray, asRecord, asString, type JsonRecord } from '../../narrow-json.ts'
import type { ChatChoice, ChatResult } from '../../port.ts'
import { emptyAnswer } from '../../upstream-failure.ts'
import { mapUsage } from '../map-usage.ts'
import { buildToolCall } from './streamed-answer.ts'

/** `newId`: fresh ids for tool calls that have none. Throws ApiError `upstream_error` on a reply with neither choice nor usage. */
export function mapChatResponse(
  reply: unknown,
  newId: () => string,
  upstreamKey: string | null = null,
): ChatResult {
  const record = asRecord(reply) ?? {}
  const usage = mapUsage(record)
  const choices = asArray(record.choices)
  const isAnswer =
    usage.kind !== 'absent' || choices.some(choice => asRecord(asRecord(choice)?.message) !== null)
  if (!isAnswer || asRecord(record.error) !== null) throw emptyAnswer()
  return {
    responseId: asString(record.id)?.replace(/^chatcmpl-/, '') || null,
    // We asked for one choice and ignore any others.
    choices: [mapChoice(asRecord(choices[0]), newId)],
    usage,
    upstreamKey,
  }
}

function mapChoice(choice: JsonRecord | null, newId: () => string): ChatChoice {
  const parts = readMessage(asRecord(choice?.message) ?? {})
  const { text, reasoning, hasRefusal, images, audio } = parts
  const toolCalls = parts.calls.flatMap(call => {
    const { name, arguments: args } = asRecord(call.function) ?? {}
    const known = asString(name) || null
    return known === null ? [] : [buildToolCall(asString(call.id), known, args, newId)]
  })
  const reason = choice === null ? 'content_filter' : (asString(choice.finish_reason) ?? 'stop')
  const finishReason = mapFinishReason(reason, { hasCalls: toolCalls.length > 0, hasRefusal })
  const isWordless =
    toolCalls.length + images.length > 0 || audio !== null || finishReason === 'content_filter'
  return {
    index: 0,
    text: text || (isWordless ? null : ''),
    reasoning: reasoning || null,
    thinkingBlocks: reasoning ? [{ type: 'thinking', thinking: reasoning }] : [],
    toolCalls,
    images,
    audio,
    annotations: [],
    logprobs: choice === null ? null : mapOpenaiLogprobs(choice),
    finishReason,
    safetyRatings: null,
    citationMetadata: null,
    groundingMetadata: null,
    urlContextMetadata: null,
    ...(finishReason === 'stop' && !text && !isWordless ? { fault: 'empty' } : {}),
  }
}

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  content_filter: 'content_filter',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
}

/** Some servers send `stop` although they sent a call. A refusal in words always counts as one. Unknown reasons are `stop`. */
export function mapFinishReason(
  reason: string,
  { hasCalls, hasRefusal }: { readonly hasCalls: boolean; readonly hasRefusal: boolean },
): FinishReason {
  if (hasRefusal) return 'content_filter'
  const known = Object.hasOwn(reasons, reason) ? (reasons[reason] ?? 'stop') : 'stop'
  if (known === 'stop' && hasCalls) return 'tool_calls'
  return known === 'tool_calls' && !hasCalls ? 'stop' : known
}

export type MessageParts = {
  /** Null if there is none; a refusal in words is text too. */
  readonly text: string | null
  readonly reasoning: string | null
  readonly hasRefusal: boolean
  readonly calls: readonly JsonRecord[]
  readonly images: readonly DataUrl[]
  readonly audio: DataUrl | null
}

export function readMessage(message: JsonRecord): MessageParts {
  const refusal = asString(message.refusal) || null
  const audio = asRecord(message.audio)
  const text = joinTexts(message.content) ?? refusal ?? asString(audio?.transcript)
  const samples = asString(audio?.data) || null
  return {
    text,
    reasoning: asString(message.reasoning_content) ?? asString(message.reasoning),
    hasRefusal: refusal !== null,
    calls: asArray(message.tool_calls)
      .map(asRecord)
      .filter(call => call !== null),
    images: asArray(message.images).flatMap(readImage),
    audio: samples === null ? null : { mimeType: 'audio/pcm;rate=24000', base64: samples },
  }
}

/** A text, or parts of which some are text. */
function joinTexts(content: unknown): string | null {
  if (!Array.isArray(content)) return asString(content)
  const texts = content.map(part => asString(asRecord(part)?.text) ?? '')
  return texts.length === 0 ? null : texts.join('')
}

function readImage(item: unknown): DataUrl[] {
  const url = asString(asRecord(asRecord(item)?.image_url)?.url)
  const image = url === null ? null : readDataUrl(url)
  return image === null ? [] : [image]
}
