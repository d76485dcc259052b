// Converts a message of Anthropic's API to a chat result.
import type { FinishReason, ToolCall } from '@fairgate/contracts/chat/response.ts'
import { asArray, asRecord, asString, type JsonRecord } from '../../narrow-json.ts'
import type { ChatChoice, ChatResult } from '../../port.ts'
import { joinToolCallId } from '../../tool-call-id.ts'
import { emptyAnswer } from '../../upstream-failure.ts'
import { mapUsage } from '../map-usage.ts'
import { packThoughts, readThought } from './thoughts.ts'

/** What a translation back needs of its request. */
export type AnswerNames = {
  /** Inner name → the client's name, for those that differ. */
  readonly outer: ReadonlyMap<string, string>
  /** A fresh id for a tool call: letters and digits. */
  readonly newId: () => string
}

/** Throws ApiError `upstream_error` on a reply with neither content nor usage. */
export function mapChatResponse(reply: unknown, names: AnswerNames, upstreamKey: string | null): ChatResult {
  const record = asRecord(reply) ?? {}
  const usage = mapUsage(asRecord(record.usage))
  if (record.type === 'error' || (usage.kind === 'absent' && !Array.isArray(record.content)))
    throw emptyAnswer()
  return {
    responseId: asString(record.id)?.replace(/^msg_/, '') || null,
    choices: [mapMessage(record, names)],
    usage,
    upstreamKey,
  }
}

function mapMessage(message: JsonRecord, names: AnswerNames): ChatChoice {
  const blocks = asArray(message.content).map(block => asRecord(block) ?? {})
  const text = textOfBlocks(blocks)
  const thoughts = blocks.map(readThought).filter(thought => thought !== null)
  const reasoning = thoughts.map(thought => (thought.type === 'thinking' ? thought.thinking : '')).join('')
  const state = packThoughts(thoughts)
  const calls = blocks.filter(({ type }) => type === 'tool_use')
  const toolCalls = calls.map(({ id, name, input }, index) =>
    buildToolCall({ id, name, args: JSON.stringify(input ?? {}), state: index === 0 ? state : null }, names),
  )
  const finishReason = mapStopReason(message.stop_reason, toolCalls.length > 0)
  const signature = toolCalls.length === 0 && state !== null ? { signature: state } : {}
  const isWordless = toolCalls.length > 0 || finishReason === 'content_filter'
  return {
    index: 0,
    text: text || (isWordless ? null : ''),
    reasoning: reasoning || null,
    thinkingBlocks:
      reasoning === '' && !('signature' in signature)
        ? []
        : [{ type: 'thinking', thinking: reasoning, ...signature }],
    toolCalls,
    images: [],
    audio: null,
    annotations: [],
    logprobs: null,
    finishReason,
    safetyRatings: null,
    citationMetadata: null,
    groundingMetadata: null,
    urlContextMetadata: null,
    ...(finishReason === 'stop' && text === '' && !isWordless ? { fault: 'empty' } : {}),
  }
}

/** The text of all blocks of text. */
export function textOfBlocks(blocks: readonly JsonRecord[]): string {
  return blocks.map(({ type, text }) => (type === 'text' ? (asString(text) ?? '') : '')).join('')
}

type SaidCall = {
  readonly id: unknown
  readonly name: unknown
  /** JSON. */
  readonly args: string
  /** Thoughts to be carried by its id. */
  readonly state: string | null
}

/** An id that cannot carry the thoughts is replaced: the API matches calls and results of a request only. */
export function buildToolCall({ id, name, args, state }: SaidCall, { outer, newId }: AnswerNames): ToolCall {
  const said = asString(id) || `toolu_${newId()}`
  const carrier = joinToolCallId(said, state)
  const isCarried = state === null || carrier !== said
  const given = asString(name) ?? ''
  return {
    id: isCarried ? carrier : joinToolCallId(`toolu_${newId()}`, state),
    type: 'function',
    function: { name: outer.get(given) ?? given, arguments: args },
  }
}

const reasons: Readonly<Record<string, FinishReason>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
  tool_use: 'tool_calls',
}

/** `pause_turn` only interrupts tools that are not offered. Unknown reasons are `stop`. */
export function mapStopReason(reason: unknown, hasCalls: boolean): FinishReason {
  const said = asString(reason) ?? ''
  const known = Object.hasOwn(reasons, said) ? (reasons[said] ?? 'stop') : 'stop'
  if (known === 'stop' && hasCalls) return 'tool_calls'
  return known === 'tool_calls' && !hasCalls ? 'stop' : known
}
