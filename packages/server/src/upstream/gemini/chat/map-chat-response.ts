// Converts the vendor's generateContent reply to a chat result. Survives missing `candidates`, `content` and `parts`.
import type { DataUrl } from '@fairgate/contracts/chat/data-url.ts'
import type { Annotation, FinishReason, ThinkingBlock, ToolCall } from '@fairgate/contracts/chat/response.ts'
import { mapGeminiLogprobs } from '../../map-logprobs.ts'
import { asArray, asRecord, asString, eitherMember, isPresent, type JsonRecord } from '../../narrow-json.ts'
import type { AnswerFault, ChatChoice, ChatResult } from '../../port.ts'
import { writeToolCallId } from '../../tool-call-id.ts'
import { requireAnswer } from './map-usage.ts'

/** `newId`: fresh ids for tool calls. Throws ApiError `upstream_error` on a reply without answer, refusal or usage. */
export function mapChatResponse(
  reply: unknown,
  newId: () => string,
  upstreamKey: string | null = null,
): ChatResult {
  const { record, usage } = requireAnswer(reply)
  // A blocked prompt has no candidates at all: the result is one refused choice.
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
    // Null for a refusal, and for calls or media alone. Empty if reasoning used up the output cap.
    text: text || (isWordless ? null : ''),
    reasoning,
    thinkingBlocks: buildThinkingBlocks(reasoning, signature),
    toolCalls: calls.length === 0 ? none : calls.map(call => buildToolCall(call, newId)),
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

/** Shared, since one would be created for each call. */
const soundAnswer = {}

const none: readonly never[] = []

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

/** `text` is the whole answer. The vendor counts in UTF-8 bytes, clients in characters. */
export function buildAnnotations(grounding: unknown, text: string): readonly Annotation[] {
  const record = asRecord(grounding)
  if (record === null) return []
  const sources = asArray(record.groundingChunks).map(chunk => asRecord(asRecord(chunk)?.web))
  const supports = asArray(record.groundingSupports)
  if (sources.length === 0 || supports.length === 0) return []
  const bytes = Buffer.from(text)
  const charactersBefore = (value: unknown): number => {
    const offset = typeof value === 'number' && value > 0 ? Math.min(value, bytes.length) : 0
    return Array.from(bytes.subarray(0, offset).toString()).length
  }
  return supports.flatMap(item => {
    const support = asRecord(item)
    const segment = asRecord(support?.segment)
    if (segment === null) return []
    const start_index = charactersBefore(segment.startIndex)
    const end_index = charactersBefore(segment.endIndex)
    return asArray(support?.groundingChunkIndices).flatMap((index): Annotation[] => {
      const source = typeof index === 'number' ? sources[index] : null
      const url = asString(source?.uri)
      if (url === null) return []
      const title = asString(source?.title) ?? ''
      return [{ type: 'url_citation', url_citation: { start_index, end_index, url, title } }]
    })
  })
}

const reasons: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  OTHER: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  IMAGE_OTHER: 'content_filter',
  NO_IMAGE: 'content_filter',
  ESCALATION: 'content_filter',
}

/** Malformed calls and unknown reasons become `stop`. */
export function mapFinishReason(reason: string): FinishReason {
  return Object.hasOwn(reasons, reason) ? (reasons[reason] ?? 'stop') : 'stop'
}

const malformed = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MALFORMED_RESPONSE',
  'MISSING_THOUGHT_SIGNATURE',
])

/** `isEmpty`: neither text nor calls nor media came. Null for an answer with content, or if the reason explains why there is none. */
export function findFault(reason: string, isEmpty: boolean): AnswerFault | null {
  if (malformed.has(reason)) return 'malformed_call'
  return isEmpty && mapFinishReason(reason) === 'stop' ? 'empty' : null
}

export type FunctionCall = {
  readonly name: string
  readonly args: JsonRecord
  readonly signature: string | null
}

export type CandidateParts = {
  /** Text and reasoning, each joined from its parts; null if there is none. */
  readonly text: string | null
  readonly reasoning: string | null
  /** The last thought signature outside the calls. */
  readonly signature: string | null
  readonly calls: readonly FunctionCall[]
  readonly images: readonly DataUrl[]
  readonly audio: readonly DataUrl[]
}

/** Skips parts of other kinds, and images that belong to a thought. */
export function readParts(candidate: JsonRecord): CandidateParts {
  let text: string | null = null
  let reasoning: string | null = null
  let signature: string | null = null
  let calls: readonly FunctionCall[] = none
  let images: readonly DataUrl[] = none
  let audio: readonly DataUrl[] = none
  for (const item of asArray(asRecord(candidate.content)?.parts)) {
    const part = asRecord(item)
    if (part === null) continue
    const partSignature = asString(eitherMember(part, 'thoughtSignature', 'thought_signature')) || null
    const piece = asString(part.text)
    if (piece !== null) {
      if (part.thought === true) reasoning = (reasoning ?? '') + piece
      else text = (text ?? '') + piece
      signature = partSignature ?? signature
      continue
    }
    const call = readCall(part, partSignature)
    if (call !== null) {
      calls = [...calls, call]
      continue
    }
    const media = readMedia(part)
    // Signatures of media are dropped: they are large, and clients do not send such answers back.
    if (media === null) signature = partSignature ?? signature
    else if (part.thought === true) continue
    else if (media.mimeType.startsWith('image/')) images = [...images, media]
    else if (media.mimeType.startsWith('audio/')) audio = [...audio, media]
  }
  return { text, reasoning, signature, calls, images, audio }
}

/** The media of that kind in a whole reply, in order, without those that belong to a thought. */
export function readInlineData(reply: JsonRecord, kind: 'image' | 'audio'): DataUrl[] {
  return asArray(reply.candidates)
    .flatMap(candidate => asArray(asRecord(asRecord(candidate)?.content)?.parts))
    .flatMap(item => {
      const part = asRecord(item)
      const media = part === null || part.thought === true ? null : readMedia(part)
      return media?.mimeType.startsWith(`${kind}/`) && media.base64 !== '' ? [media] : []
    })
}

/** Models sometimes put their own namespace before the name of a declared function. */
const vendorPrefix = /^default_api[:.](?=.)/

function readCall(part: JsonRecord, signature: string | null): FunctionCall | null {
  const call = asRecord(eitherMember(part, 'functionCall', 'function_call'))
  const name = asString(call?.name)?.replace(vendorPrefix, '') ?? null
  return name === null ? null : { name, args: asRecord(call?.args) ?? {}, signature }
}

function readMedia(part: JsonRecord): DataUrl | null {
  const inline = asRecord(eitherMember(part, 'inlineData', 'inline_data'))
  if (inline === null) return null
  const mimeType = asString(eitherMember(inline, 'mimeType', 'mime_type'))
  const base64 = asString(inline.data)
  return mimeType === null || base64 === null ? null : { mimeType, base64 }
}

/** `newId`: a fresh id of letters and digits. */
export function buildToolCall(call: FunctionCall, newId: () => string): ToolCall {
  return {
    id: writeToolCallId(newId(), call.signature),
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.args) },
  }
}
