// The body of a unary reply: the results of the upstream calls merged into one completion (spec 2.3).
import type { DataUrl } from '@fairgate/contracts/chat/data-url.ts'
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import type { ChatCompletion, ImageRecord } from '@fairgate/contracts/chat/response.ts'
import { buildWav } from '../../../media/pcm.ts'
import type { ChatChoice, ChatResult } from '../../../upstream/port.ts'
import { buildUsage } from './build-usage.ts'

export type CompletionFacts = {
  readonly results: readonly ChatResult[]
  readonly request: ChatRequest
  readonly callId: string
  /** Unix seconds. */
  readonly created: number
}

export function buildCompletion(facts: CompletionFacts): ChatCompletion {
  const { results, request, callId, created } = facts
  const choices = results.flatMap(result => result.choices)
  return {
    id: `chatcmpl-${results[0]?.responseId ?? callId}`,
    created,
    model: request.model,
    object: 'chat.completion',
    choices: choices.map((choice, index) => buildChoice(choice, index, facts)),
    usage: buildUsage(results.map(result => result.usage)),
    vendor_grounding_metadata: present(choices.map(choice => choice.groundingMetadata)),
    vendor_url_context_metadata: present(choices.map(choice => choice.urlContextMetadata)),
    vendor_safety_results: present(choices.map(choice => choice.safetyRatings)),
    vendor_citation_metadata: present(choices.map(choice => choice.citationMetadata)),
  }
}

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
      ...(reasoning === null ? {} : { reasoning_content: reasoning }),
      ...(toolCalls.length === 0 ? {} : { tool_calls: [...toolCalls] }),
      ...(audio === null ? {} : { audio: buildAudio(audio, index, facts) }),
      ...(annotations.length === 0 ? {} : { annotations: [...annotations] }),
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

function present(values: readonly unknown[]): unknown[] {
  return values.filter(value => value !== null)
}

/** As clients see it: whole, in a data URL (spec 2.4). */
export function buildImage(image: DataUrl, index: number): ImageRecord {
  const url = `data:${image.mimeType};base64,${image.base64}`
  return { type: 'image_url', index, image_url: { url, detail: 'auto' } }
}

const defaultSampleRate = 24_000

/**
 * Base64. The upstream sends raw samples, and a WAV file has a header before them. Anything but raw samples is handed on as it came.
 */
export function encodeAudio(audio: DataUrl, format: 'pcm16' | 'wav'): string {
  if (format !== 'wav' || !/^audio\/(?:l16|pcm)\b/i.test(audio.mimeType)) return audio.base64
  const samples = Buffer.from(audio.base64, 'base64')
  const rate = Number(/\brate=(\d{4,6})\b/.exec(audio.mimeType)?.[1] ?? defaultSampleRate)
  return Buffer.from(buildWav({ samples, rate })).toString('base64')
}
