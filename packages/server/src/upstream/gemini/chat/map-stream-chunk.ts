// One chunk of the vendor's stream → chat events. The finish reason is returned apart, because it is sent last.
import { usageTold } from '../../chat-events.ts'
import { mapGeminiLogprobs } from '../../map-logprobs.ts'
import { asArray, asRecord, asString, type JsonRecord } from '../../narrow-json.ts'
import type { AnswerMetadata, ChatEvent } from '../../port.ts'
import { findUsage } from './map-usage.ts'
import { buildToolCall, readParts } from './read-parts.ts'

export type MappedChunk = {
  readonly events: readonly ChatEvent[]
  /** As the vendor says it; null where an earlier chunk counts. */
  readonly usage: JsonRecord | null
  /** As the vendor says it; null before the last chunk. A prompt that was blocked has a reason of ours. */
  readonly finish: string | null
  /** About the whole answer; null in most chunks. */
  readonly metadata: AnswerMetadata | null
}

/** `newId`: fresh ids for tool calls. */
export function mapStreamChunk(chunk: JsonRecord, newId: () => string): MappedChunk {
  const events: ChatEvent[] = []
  const candidate = asRecord(asArray(chunk.candidates)[0])
  if (candidate !== null) addDeltas(events, candidate, newId)
  const usage = findUsage(chunk)
  if (usage !== null) events.push(usageTold)
  return {
    events,
    usage,
    finish: readFinish(chunk, candidate),
    metadata: candidate === null ? null : readMetadata(candidate),
  }
}

function addDeltas(events: ChatEvent[], candidate: JsonRecord, newId: () => string): void {
  const { text, reasoning, signature, calls, images, audio } = readParts(candidate)
  const logprobs = mapGeminiLogprobs(candidate)
  if (reasoning !== null && reasoning !== '') events.push({ type: 'reasoning-delta', text: reasoning })
  if (logprobs !== null) events.push({ type: 'text-delta', text: text ?? '', logprobs })
  else if (text !== null && text !== '') events.push({ type: 'text-delta', text })
  for (const call of calls) events.push({ type: 'tool-call', call: buildToolCall(call, newId) })
  for (const image of images) events.push({ type: 'image', image })
  for (const piece of audio) events.push({ type: 'audio-delta', audio: piece })
  if (signature !== null) events.push({ type: 'signature', signature })
}

function readMetadata(candidate: JsonRecord): AnswerMetadata | null {
  const { citationMetadata = null, groundingMetadata = null, urlContextMetadata = null } = candidate
  const isEmpty = citationMetadata === null && groundingMetadata === null && urlContextMetadata === null
  return isEmpty ? null : { citationMetadata, groundingMetadata, urlContextMetadata }
}

/** A blocked prompt has no candidate; its block reason ends the answer. */
function readFinish(chunk: JsonRecord, candidate: JsonRecord | null): string | null {
  const reason = asString(candidate?.finishReason)
  if (reason !== null) return reason
  return asString(asRecord(chunk.promptFeedback)?.blockReason) === null ? null : 'SAFETY'
}
