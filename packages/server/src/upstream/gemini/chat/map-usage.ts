// Converts the vendor's usageMetadata to token usage. Impossible figures are reported as invalid and never charged as they are.
import type { MediaTokens } from '../../../ledger/price.ts'
import {
  asArray,
  asRecord,
  eitherMember,
  isPresent,
  type JsonRecord,
  readTokenCount,
} from '../../narrow-json.ts'
import type { UsageReport } from '../../port.ts'
import { emptyAnswer } from '../../upstream-failure.ts'

/** `reply` is a whole reply, or one chunk of a stream, in which usage is cumulative. */
export function mapUsage(reply: JsonRecord): UsageReport {
  const metadata = asRecord(eitherMember(reply, 'usageMetadata', 'usage_metadata'))
  if (metadata === null) return { kind: 'absent' }
  const saidPrompt = eitherMember(metadata, 'promptTokenCount', 'prompt_token_count') !== undefined
  const prompt = readCount(metadata, 'promptTokenCount', 'prompt_token_count')
  const toolUse = readCount(metadata, 'toolUsePromptTokenCount', 'tool_use_prompt_token_count')
  const cached = readCount(metadata, 'cachedContentTokenCount', 'cached_content_token_count')
  const candidates = readCount(metadata, 'candidatesTokenCount', 'candidates_token_count')
  const thoughts = readCount(metadata, 'thoughtsTokenCount', 'thoughts_token_count')
  const total = readCount(metadata, 'totalTokenCount', 'total_token_count')
  if (Number.isNaN(prompt + toolUse + cached + candidates + thoughts + total))
    return { kind: 'invalid', said: metadata }
  // The block has no counts, at most a total: nothing in it can be priced.
  if (!saidPrompt && candidates + thoughts === 0)
    return total === 0 ? { kind: 'absent' } : { kind: 'invalid', said: metadata }
  const input = prompt + toolUse
  // Some models count the thoughts among the candidates, which the total shows.
  const thoughtsInside =
    candidates >= thoughts && total > 0 && (prompt + candidates === total || input + candidates === total)
  const output = thoughtsInside ? candidates : candidates + thoughts
  const media = readMedia(metadata, input, output)
  const searches = countSearches(reply)
  return {
    kind: 'reported',
    usage: {
      inputTokens: input,
      cachedTokens: Math.min(cached, input),
      outputTokens: output,
      reasoningTokens: thoughts,
      ...(media === null ? absent : { media }),
      ...(searches === 0 ? absent : { searches }),
    },
  }
}

/** Shared, since one would be created for each call. */
const absent = {}

/** The usage so far in a stream's chunk; null if there is none. Each chunk repeats it, so it is not mapped yet. */
export function findUsage(chunk: JsonRecord): JsonRecord | null {
  const metadata = asRecord(eitherMember(chunk, 'usageMetadata', 'usage_metadata'))
  if (metadata === null) return null
  const saysPrompt = eitherMember(metadata, 'promptTokenCount', 'prompt_token_count') !== undefined
  return saysPrompt || mapUsage(chunk).kind !== 'absent' ? metadata : null
}

/** Tokens of audio, images and video, if the vendor lists them; null for text alone. */
function readMedia(metadata: JsonRecord, input: number, output: number): MediaTokens | null {
  const inputs = asArray(eitherMember(metadata, 'promptTokensDetails', 'prompt_tokens_details'))
  const outputs = asArray(eitherMember(metadata, 'candidatesTokensDetails', 'candidates_tokens_details'))
  if (inputs.length + outputs.length === 0) return null
  const media: Partial<Record<keyof MediaTokens, number>> = {}
  const read = (details: readonly unknown[], member: keyof MediaTokens, modality: string, most: number) => {
    const count = sumModality(details, modality)
    // A part cannot exceed its whole: the excess is billed as text with the rest.
    if (count > 0) media[member] = Math.min(count, most)
  }
  read(inputs, 'inputAudio', 'AUDIO', input)
  read(inputs, 'inputImage', 'IMAGE', input)
  read(inputs, 'inputVideo', 'VIDEO', input)
  read(outputs, 'outputAudio', 'AUDIO', output)
  read(outputs, 'outputImage', 'IMAGE', output)
  return Object.keys(media).length === 0 ? null : media
}

function sumModality(details: readonly unknown[], modality: string): number {
  let sum = 0
  for (const item of details) {
    const detail = asRecord(item)
    if (detail?.modality === modality) sum += readCount(detail, 'tokenCount', 'token_count') || 0
  }
  return sum
}

function readCount(record: JsonRecord, camel: string, snake: string): number {
  return readTokenCount(eitherMember(record, camel, snake))
}

/** Questions that the model asked the web: billed one by one, and reported next to the answer instead of in the usage. */
export function countSearches(reply: JsonRecord): number {
  let count = 0
  for (const item of asArray(reply.candidates)) {
    const grounding = asRecord(asRecord(item)?.groundingMetadata)
    if (grounding !== null) count += asArray(grounding.webSearchQueries).length
  }
  return count
}

/** The count as usage, for a call with a reply that has none. */
export function reportTotalTokens(reply: unknown): UsageReport {
  const total = asRecord(reply)?.totalTokens
  if (total === undefined || total === null) return { kind: 'absent' }
  if (typeof total !== 'number' || !Number.isSafeInteger(total) || total < 0)
    return { kind: 'invalid', said: { totalTokens: total } }
  const usage = { inputTokens: total, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 }
  return { kind: 'reported', usage }
}

/** Throws ApiError `upstream_error` for a reply without a candidate that has content, a refusal or usage. */
export function requireAnswer(reply: unknown) {
  const record = asRecord(reply)
  if (record === null || isPresent(record.error)) throw emptyAnswer()
  const usage = mapUsage(record)
  const isAnswer =
    usage.kind !== 'absent' ||
    asRecord(record.promptFeedback) !== null ||
    asArray(record.candidates).some(isCandidate)
  if (isAnswer) return { record, usage }
  throw emptyAnswer()
}

function isCandidate(item: unknown): boolean {
  const candidate = asRecord(item)
  return candidate !== null && (candidate.content !== undefined || candidate.finishReason !== undefined)
}
