// How an answer is to be generated: sampling, caps, reasoning, format, modalities.
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ChatCall } from '../../port.ts'
import type { AnswerFormat } from './build-answer-format.ts'
import { buildThinkingConfig } from './build-thinking-config.ts'

/** Throws ApiError `invalid_request` where members contradict each other. */
export function buildGenerationConfig(
  call: ChatCall,
  format: AnswerFormat['config'],
): Readonly<Record<string, unknown>> {
  const { request } = call
  const config: Record<string, unknown> = { maxOutputTokens: call.outputCap }
  const copy = (name: string, value: unknown) => {
    if (value !== null && value !== undefined) config[name] = value
  }
  copy('temperature', request.temperature)
  copy('topP', request.top_p)
  copy('topK', request.top_k)
  // The vendor takes an int32. The seeds of further choices count up from the client's and may pass its end.
  copy('seed', typeof request.seed === 'number' ? request.seed | 0 : null)
  copy('presencePenalty', request.presence_penalty)
  copy('frequencyPenalty', request.frequency_penalty)
  copy('stopSequences', typeof request.stop === 'string' ? [request.stop] : request.stop)
  copy('thinkingConfig', buildThinkingConfig(call))
  copyLogprobs(request, copy)
  Object.assign(config, format)
  const modalities = request.modalities?.map(modality => modality.toUpperCase())
  copy('responseModalities', modalities)
  copyMedia(request, copy)
  return config
}

type Copy = (name: string, value: unknown) => void

function copyLogprobs({ logprobs, top_logprobs: likely }: ChatRequest, copy: Copy): void {
  if (logprobs === true) {
    copy('responseLogprobs', true)
    // The vendor counts from 1.
    copy('logprobs', likely || null)
  } else if (likely) {
    throw invalidRequest('top_logprobs', 'top_logprobs needs logprobs: true.')
  }
}

function copyMedia(request: ChatRequest, copy: Copy): void {
  const { image_config: image, audio } = request
  if (image) {
    copy('imageConfig', {
      ...(image.aspect_ratio === undefined ? {} : { aspectRatio: image.aspect_ratio }),
      ...(image.image_size === undefined ? {} : { imageSize: image.image_size }),
    })
  }
  if (!audio) return
  if (request.stream === true && audio.format !== 'pcm16') {
    throw invalidRequest('audio.format', 'audio.format must be "pcm16" in a stream.')
  }
  copy('speechConfig', { voiceConfig: { prebuiltVoiceConfig: { voiceName: audio.voice } } })
}
