// Builds the body of a unary reply: merges the results of the upstream calls into one completion (spec 2.3).
import type { DataUrl } from '@fairgate/contracts/chat/data-url.ts'
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import type { ChatCompletion, ChatUsage, ImageRecord } from '@fairgate/contracts/chat/response.ts'
import { type Unit, unitsOfTokens } from '../../../ledger/price.ts'
import { buildWav } from '../../../media/pcm.ts'
import type { ChatChoice, ChatResult, UsageReport } from '../../../upstream/port.ts'
import { sumUsage } from '../../flow/meter.ts'

export type CompletionFacts = {
  readonly results: readonly ChatResult[]
  readonly request: ChatRequest
  readonly callId: string
  /** Unix seconds. */
  readonly created: number
}

export function buildCompletion(facts: CompletionFacts): ChatCompletion {
  const { results, request, callId, created } = facts
  const choices: Choice[] = []
  const grounding: unknown[] = []
  const urlContext: unknown[] = []
  const safety: unknown[] = []
  const citations: unknown[] = []
  const usage: UsageReport[] = []
  for (const result of results) {
    usage.push(result.usage)
    for (const choice of result.choices) {
      choices.push(buildChoice(choice, choices.length, facts))
      if (choice.groundingMetadata !== null) grounding.push(choice.groundingMetadata)
      if (choice.urlContextMetadata !== null) urlContext.push(choice.urlContextMetadata)
      if (choice.safetyRatings !== null) safety.push(choice.safetyRatings)
      if (choice.citationMetadata !== null) citations.push(choice.citationMetadata)
    }
  }
  return {
    id: `chatcmpl-${results[0]?.responseId ?? callId}`,
    created,
    model: request.model,
    object: 'chat.completion',
    choices,
    usage: buildUsage(usage),
    vendor_grounding_metadata: grounding,
    vendor_url_context_metadata: urlContext,
    vendor_safety_results: safety,
    vendor_citation_metadata: citations,
  }
}

/** For clients that break on the empty array (`client-habits.ts`). */
export function leaveOutEmptyImages(completion: ChatCompletion): object {
  const choices = completion.choices.map(choice => {
    const { images, ...message } = choice.message
    return images.length > 0 ? choice : { ...choice, message }
  })
  return { ...completion, choices }
}

/** Shared, since one would be created for each call. */
const absent = {}

type Choice = ChatCompletion['choices'][number]

function buildChoice(choice: ChatChoice, index: number, facts: CompletionFacts): Choice {
  const { text, reasoning, audio, annotations, logprobs } = choice
  // A client that asked for one call at a time gets no more.
  const toolCalls =
    facts.request.parallel_tool_calls === false ? choice.toolCalls.slice(0, 1) : choice.toolCalls
  return {
    finish_reason: choice.finishReason,
    index,
    message: {
      role: 'assistant',
      content: text,
      refusal: null,
      ...(reasoning === null ? absent : { reasoning_content: reasoning }),
      ...(toolCalls.length === 0 ? absent : { tool_calls: [...toolCalls] }),
      ...(audio === null ? absent : { audio: buildAudio(audio, index, facts) }),
      ...(annotations.length === 0 ? absent : { annotations: [...annotations] }),
      images: choice.images.map(buildImage),
      thinking_blocks: [...choice.thinkingBlocks],
    },
    logprobs: logprobs === null ? null : { content: [...logprobs], refusal: null },
  }
}

function buildAudio(audio: DataUrl, index: number, { request, callId, created }: CompletionFacts) {
  return {
    id: `audio_${callId}_${index}`,
    data: encodeAudio(audio, request.audio?.format ?? 'pcm16'),
    expires_at: created,
    transcript: '',
  }
}

/** In the form that clients get: whole, in a data URL (spec 2.4). */
export function buildImage(image: DataUrl, index: number): ImageRecord {
  const url = `data:${image.mimeType};base64,${image.base64}`
  return { type: 'image_url', index, image_url: { url, detail: 'auto' } }
}

const defaultSampleRate = 24_000

/**
 * Returns Base64. The upstream sends raw samples, and a WAV file has a header before them. Anything but raw samples is passed on
 * unchanged.
 */
export function encodeAudio(audio: DataUrl, format: 'pcm16' | 'wav'): string {
  if (format !== 'wav' || !/^audio\/(?:l16|pcm)\b/i.test(audio.mimeType)) return audio.base64
  const samples = Buffer.from(audio.base64, 'base64')
  const rate = Number(/\brate=(\d{4,6})\b/.exec(audio.mimeType)?.[1] ?? defaultSampleRate)
  return Buffer.from(buildWav({ samples, rate })).toString('base64')
}

/** Token usage for clients (spec 2.3): the sum over the upstream calls of one request, each kind as it is billed. */
export function buildUsage(reports: readonly UsageReport[]): ChatUsage {
  const { inputTokens: input, outputTokens: output } = sumUsage(reports)
  const sums: Partial<Record<Unit, number>> = {}
  for (const report of reports) {
    if (report.kind !== 'reported') continue
    const units = unitsOfTokens(report.usage)
    for (const unit in units) sums[unit as Unit] = (sums[unit as Unit] ?? 0) + (units[unit as Unit] ?? 0)
  }
  const { inputText = 0, cachedInput = 0, inputAudio, inputImage, inputVideo } = sums
  const { outputText = 0, reasoning = 0, outputAudio, outputImage } = sums
  return {
    completion_tokens: output,
    prompt_tokens: input,
    total_tokens: input + output,
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      text_tokens: outputText,
      ...(outputAudio === undefined ? absent : { audio_tokens: outputAudio }),
      ...(outputImage === undefined ? absent : { image_tokens: outputImage }),
    },
    prompt_tokens_details: {
      cached_tokens: cachedInput,
      text_tokens: inputText,
      ...(inputAudio === undefined ? absent : { audio_tokens: inputAudio }),
      ...(inputImage === undefined ? absent : { image_tokens: inputImage }),
      ...(inputVideo === undefined ? absent : { video_tokens: inputVideo }),
    },
  }
}
