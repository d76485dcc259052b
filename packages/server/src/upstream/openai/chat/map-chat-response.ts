// A chat completion of an OpenAI-compatible server → a chat result.

import { mapOpenaiLogprobs } from '../../map-logprobs.ts'
import { asArray, asRecord, asString, type JsonRecord } from '../../narrow-json.ts'
import type { ChatChoice, ChatResult } from '../../port.ts'
import { emptyAnswer } from '../../upstream-failure.ts'
import { mapUsage } from '../map-usage.ts'
import { buildToolCall } from './assemble-tool-calls.ts'
import { mapFinishReason } from './map-finish-reason.ts'
import { readMessage } from './read-message.ts'

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
