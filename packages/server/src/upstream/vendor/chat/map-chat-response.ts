// The vendor's generateContent reply → a chat result. Survives missing `candidates`, `content` and `parts`.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { asArray, asRecord, asString, type JsonRecord } from '../../narrow-json.ts'
import type { ChatChoice, ChatResult } from '../../port.ts'
import { mapFinishReason } from './map-finish-reason.ts'
import { mapUsage } from './map-usage.ts'
import { readParts } from './read-parts.ts'

/** Throws ApiError `upstream_error` on a reply that holds no answer, no refusal and no usage. */
export function mapChatResponse(reply: unknown): ChatResult {
  const record = asRecord(reply) ?? {}
  const usage = mapUsage(record)
  const feedback = asRecord(record.promptFeedback)
  const candidates = asArray(record.candidates)
  if (candidates.length === 0 && feedback === null && usage.kind === 'absent') {
    throw new ApiError('upstream_error', { message: 'The model provider sent an empty answer.' })
  }
  return {
    responseId: asString(record.responseId) || null,
    choices: candidates.length > 0 ? candidates.map(mapCandidate) : [refusedChoice(feedback)],
    usage,
  }
}

function mapCandidate(item: unknown, position: number): ChatChoice {
  const candidate = asRecord(item) ?? {}
  const finishReason = mapFinishReason(asString(candidate.finishReason) ?? 'STOP')
  const { text, reasoning } = readParts(candidate)
  return {
    index: typeof candidate.index === 'number' ? candidate.index : position,
    // A refused answer has no content; one whose cap was used up by reasoning has an empty one.
    text: text ?? (finishReason === 'content_filter' ? null : ''),
    reasoning,
    finishReason,
    safetyRatings: readRatings(candidate),
    citationMetadata: candidate.citationMetadata ?? null,
    groundingMetadata: candidate.groundingMetadata ?? null,
    urlContextMetadata: candidate.urlContextMetadata ?? null,
  }
}

/** A blocked prompt has no candidates at all; it is answered as one refused choice. */
function refusedChoice(feedback: JsonRecord | null): ChatChoice {
  return {
    index: 0,
    text: null,
    reasoning: null,
    finishReason: 'content_filter',
    safetyRatings: readRatings(feedback),
    citationMetadata: null,
    groundingMetadata: null,
    urlContextMetadata: null,
  }
}

function readRatings(record: JsonRecord | null): readonly unknown[] | null {
  const ratings = record?.safetyRatings
  return Array.isArray(ratings) ? ratings : null
}
