// Converts the usage of OpenAI-compatible servers to token usage. Impossible figures are reported as invalid and never charged as they are.
import type { MediaTokens } from '../../ledger/price.ts'
import { asRecord, eitherMember, type JsonRecord, readTokenCount } from '../narrow-json.ts'
import type { UsageReport } from '../port.ts'

/** `reply`: a whole reply or one chunk of a stream. Both vocabularies are read: `prompt_tokens` and `input_tokens`. */
export function mapUsage(reply: JsonRecord): UsageReport {
  const usage = asRecord(reply.usage)
  if (usage === null) return { kind: 'absent' }
  const saidInput = eitherMember(usage, 'prompt_tokens', 'input_tokens') !== undefined
  const input = readTokenCount(eitherMember(usage, 'prompt_tokens', 'input_tokens'))
  const completion = readTokenCount(eitherMember(usage, 'completion_tokens', 'output_tokens'))
  const total = readTokenCount(usage.total_tokens)
  const inputDetails = detailsOf(usage, 'prompt_tokens_details', 'input_tokens_details')
  const outputDetails = detailsOf(usage, 'completion_tokens_details', 'output_tokens_details')
  const cached = readTokenCount(inputDetails.cached_tokens)
  const reasoning = readTokenCount(outputDetails.reasoning_tokens)
  if (Number.isNaN(input + completion + total + cached + reasoning)) return { kind: 'invalid', said: usage }
  // The block has no counts, at most a total: nothing in it can be priced.
  if (!saidInput && completion + reasoning === 0)
    return total === 0 ? { kind: 'absent' } : { kind: 'invalid', said: usage }
  // Some servers leave the reasoning out of the completion. The total shows it, or reasoning above the completion.
  const beside = Math.max(0, total - input - completion, reasoning > completion ? reasoning : 0)
  const output = completion + beside
  const media = readMedia(inputDetails, outputDetails, input, output)
  return {
    kind: 'reported',
    usage: {
      inputTokens: input,
      cachedTokens: Math.min(cached, input),
      outputTokens: output,
      reasoningTokens: Math.max(reasoning, beside),
      ...(media === null ? {} : { media }),
    },
  }
}

/** The usage so far in a stream's chunk; null if there is none. Some servers repeat it in each chunk, so it is not mapped yet. */
export function findUsage(chunk: JsonRecord): JsonRecord | null {
  const usage = asRecord(chunk.usage)
  if (usage === null) return null
  const saysInput = eitherMember(usage, 'prompt_tokens', 'input_tokens') !== undefined
  return saysInput || mapUsage(chunk).kind !== 'absent' ? usage : null
}

/** Transcripts have their own spelling: `input_token_details`. */
function detailsOf(usage: JsonRecord, chat: string, other: string): JsonRecord {
  return asRecord(usage[chat] ?? usage[other] ?? usage[other.replace('tokens_', 'token_')]) ?? {}
}

/** Tokens of audio and images, if the server lists them; null for text alone. */
function readMedia(
  inputDetails: JsonRecord,
  outputDetails: JsonRecord,
  input: number,
  output: number,
): MediaTokens | null {
  const media: Partial<Record<keyof MediaTokens, number>> = {}
  const read = (member: keyof MediaTokens, details: JsonRecord, name: string, most: number) => {
    const count = readTokenCount(details[name]) || 0
    // A part cannot exceed its whole. The rest of the whole is billed as text.
    if (count > 0) media[member] = Math.min(count, most)
  }
  read('inputAudio', inputDetails, 'audio_tokens', input)
  read('inputImage', inputDetails, 'image_tokens', input)
  read('outputAudio', outputDetails, 'audio_tokens', output)
  read('outputImage', outputDetails, 'image_tokens', output)
  return Object.keys(media).length === 0 ? null : media
}
