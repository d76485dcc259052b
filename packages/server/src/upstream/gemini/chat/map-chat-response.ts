// The vendor's generateContent reply → a chat result. Survives missing `candidates`, `content` and `parts`.
import type { DataUrl } from '@fairgate/contracts/chat/data-url.ts'
import type { ThinkingBlock } from '@fairgate/contracts/chat/response.ts'
import { mapGeminiLogprobs } from '../../map-logprobs.ts'
import { asArray, asRecord, asString, isPresent } from '../../narrow-json.ts'
import type { ChatChoice, ChatResult } from '../../port.ts'
import { requireAnswer } from '../require-answer.ts'
import { buildAnnotations } from './build-annotations.ts'
import { findFault, mapFinishReason } from './map-finish-reason.ts'
import { buildToolCall, type FunctionCall, readParts } from './read-parts.ts'

/** `newId`: fresh ids for tool calls. Throws ApiError `upstream_error` on a reply that holds no answer, no refusal and no usage. */
export function mapChatResponse(
  reply: unknown,
  newId: () => string,
  upstreamKey: string | null = null,
): ChatResult {
  const { record, usage } = requireAnswer(reply)
  // A blocked prompt has no candidates at all: it is answered as one refused choice.
  const { safetyRatings } = asRecord(record.promptFeedback) ?? {}
  const isBlocked = isPresent(record.promptFeedback)
  const said = asArray(record.candidates)
  const candidates = said.length > 0 ? said : [{ finishReason: 'SAFETY', safetyRatings }]
  const isEmpty = said.length === 0 && !isBlocked
  const choices: ChatChoice[] = []
  for (const candidate of candidates) {
    const choice = mapCandidate(candidate, choices.length, newId)
    choices.push(isEmpty ? { ...choice, fault: 'empty' } : choice)
  }
  return { responseId: asString(record.responseId) || null, choices, usage, upstreamKey }
}

function mapCandidate(item: unknown, position: number, newId: () => string): ChatChoice {
  const candidate = asRecord(item) ?? {}
  const reason = asString(candidate.finishReason) ?? 'STOP'
  const finishReason = mapFinishReason(reason)
  const { text, reasoning, signature, calls, images, audio } = readParts(candidate)
  const isWordless = calls.length + images.length + audio.length > 0 || finishReason === 'content_filter'
  const fault = findFault(reason, !text && calls.length + images.length + audio.length === 0)
  const groundingMetadata = candidate.groundingMetadata ?? null
  return {
    index: typeof candidate.index === 'number' ? candidate.index : position,
    // Null for a refusal, and for calls or media alone. Empty when reasoning used up the output cap.
    text: text || (isWordless ? null : ''),
    reasoning,
    thinkingBlocks: buildThinkingBlocks(reasoning, signature),
    toolCalls: calls.length === 0 ? none : buildToolCalls(calls, newId),
    images,
    audio: audio.length === 0 ? null : joinAudio(audio),
    annotations: groundingMetadata === null ? none : buildAnnotations(groundingMetadata, text ?? ''),
    logprobs: mapGeminiLogprobs(candidate),
    // The vendor has no finish reason for calls.
    finishReason: calls.length > 0 ? 'tool_calls' : finishReason,
    safetyRatings: Array.isArray(candidate.safetyRatings) ? candidate.safetyRatings : null,
    citationMetadata: candidate.citationMetadata ?? null,
    groundingMetadata,
    urlContextMetadata: candidate.urlContextMetadata ?? null,
    ...(fault === null ? soundAnswer : { fault }),
  }
}

/** One for all: these objects are made for each call. */
const soundAnswer = {}

const none: readonly never[] = []

function buildToolCalls(calls: readonly FunctionCall[], newId: () => string) {
  return calls.map(call => buildToolCall(call, newId))
}

/** One block, with the signature that clients must send back with the message. */
function buildThinkingBlocks(reasoning: string | null, signature: string | null): readonly ThinkingBlock[] {
  if (reasoning === null && signature === null) return none
  const block = { type: 'thinking', thinking: reasoning ?? '' } as const
  return [signature === null ? block : { ...block, signature }]
}

/** The pieces are raw samples of one recording, in order. */
function joinAudio(pieces: readonly DataUrl[]): DataUrl | null {
  const [first] = pieces
  if (first === undefined || pieces.length === 1) return first ?? null
  const bytes = pieces.map(piece => Buffer.from(piece.base64, 'base64'))
  return { mimeType: first.mimeType, base64: Buffer.concat(bytes).toString('base64') }
}
