// Plans the sandbox's answer: parts, token counts and finish reason. Pure and repeatable.

import { countTokens } from '../count-tokens.ts'
import type { Goods, Usage } from '../counters.ts'
import { invalid } from '../json.ts'
import { planImage } from '../kinds/plan-image.ts'
import { audioTokensPerSecond, planSpeech } from '../kinds/plan-speech.ts'
import { planTranscription } from '../kinds/plan-transcription.ts'
import { writeMp3 } from '../media/mp3.ts'
import { writeWav } from '../media/wav.ts'
import { findKind } from '../models/model-kind.ts'
import type { GenerateRequest } from '../read-request.ts'
import type { Modality } from '../request/read-medium.ts'
import type { Switches } from '../switches.ts'
import { type Answer, inlineData, plainAnswer, type ReplyStep } from './answer.ts'
import { planChat } from './plan-chat.ts'

export type TokenDetail = { readonly modality: Modality; readonly tokenCount: number }

export type ReplyPlan = {
  readonly model: string
  readonly responseId: string
  /** Null if the prompt is refused. */
  readonly text: string | null
  readonly thought: string | null
  readonly steps: readonly ReplyStep[]
  readonly finishReason: string
  /** More members of the candidate, sent with its finish reason. */
  readonly extras: object
  /** Alternatives for each token; null without log probabilities. */
  readonly logprobs: number | null
  readonly blockReason: string | null
  readonly usage: Usage
  readonly promptDetails: readonly TokenDetail[]
  readonly candidatesDetails: readonly TokenDetail[]
  readonly goods: Goods
}

export type PlanFacts = {
  readonly model: string
  readonly request: GenerateRequest
  readonly switches: Switches
  readonly responseId: string
  /** A stream sends audio in pieces. */
  readonly isStream: boolean
  /** Whether the caller is a vendor SDK, which refuses unknown members. */
  readonly isSdk: boolean
}

/** Throws VendorError 400 for requests that this kind of model does not support. */
export function planReply(facts: PlanFacts): ReplyPlan {
  const { model, request, switches, responseId } = facts
  const promptDetails = countPrompt(request)
  const prompt = sumTokens(promptDetails)
  const cached = Math.min(switches.cachedTokens ?? 0, prompt)
  const head = { model, responseId, promptDetails }
  const audio = promptDetails.find(detail => detail.modality === 'AUDIO')?.tokenCount ?? 0
  const answer = planAnswer(facts)
  if (switches.blockPrompt !== undefined) {
    const usage = { prompt, cached, candidates: 0, thoughts: 0 }
    const { blockPrompt: blockReason } = switches
    return { ...head, ...emptyAnswer, text: null, finishReason: '', logprobs: null, blockReason, usage }
  }
  const isRefused = switches.finishReason !== undefined && switches.finishReason !== 'STOP'
  const { textTokens, thoughts, ...given } = isRefused ? refuse(answer) : answer
  const candidates = given.steps.reduce((sum, step) => sum + step.candidates, textTokens)
  return {
    ...head,
    ...given,
    finishReason: switches.finishReason ?? given.finishReason,
    logprobs: request.logprobs,
    blockReason: null,
    usage: { prompt, cached, candidates, thoughts },
    goods: audio === 0 ? given.goods : { ...given.goods, inputAudioTokens: audio },
  }
}

function planAnswer(facts: PlanFacts): Answer {
  switch (findKind(facts.model)) {
    case 'image':
      return planImage(facts)
    case 'speech':
      return planSpeech(facts)
    case 'music':
      return planMusic(facts)
    case 'transcription':
      return planTranscription(facts)
    default:
      return planChat(facts)
  }
}

const emptyAnswer = { thought: null, steps: [], extras: {}, candidatesDetails: [], goods: {} }

/** An empty answer. Its thoughts are still billed. */
function refuse(answer: Answer): Answer {
  return { ...answer, text: '', textTokens: 0, steps: [], extras: {}, candidatesDetails: [], goods: {} }
}

/** The prompt's tokens by modality, the same for a call and for a token count. */
export function countPrompt({ textTokens, media }: GenerateRequest): readonly TokenDetail[] {
  if (media.length === 0) return [{ modality: 'TEXT', tokenCount: textTokens }]
  const counts = new Map<Modality, number>(textTokens === 0 ? [] : [['TEXT', textTokens]])
  for (const { modality, tokens } of media) counts.set(modality, (counts.get(modality) ?? 0) + tokens)
  return [...counts].map(([modality, tokenCount]) => ({ modality, tokenCount }))
}

export function sumTokens(details: readonly TokenDetail[]): number {
  return details.reduce((sum, detail) => sum + detail.tokenCount, 0)
}

/** Plans a music model's answer: a text that outlines the music, and silence of the same length as MP3 or WAV. */
const clipSeconds = 30
const songSeconds = 180
const cd = { rate: 44_100, channels: 2 }

/** Throws VendorError 400 for WAV from the clip model and for types other than audio. */
function planMusic({ model, request, switches }: PlanFacts): Answer {
  const isClip = model.includes('-clip')
  const type = (request.format.mimeType ?? 'audio/mpeg').toLowerCase()
  const isWav = type === 'audio/wav' || type === 'audio/x-wav'
  if ((isWav && isClip) || (!isWav && type !== 'audio/mpeg' && type !== 'audio/mp3')) {
    throw invalid(`response_mime_type ${type} is not supported by models/${model}.`)
  }
  if (request.modalities?.includes('AUDIO') === false) {
    throw invalid('The response modalities of this model must include AUDIO.')
  }
  const seconds = switches.mediaSeconds ?? (isClip ? clipSeconds : songSeconds)
  const audio = isWav
    ? inlineData('audio/wav', writeWav(new Uint8Array(seconds * cd.rate * cd.channels * 2), cd))
    : inlineData('audio/mpeg', writeMp3(seconds))
  const text = `[0.0:${seconds.toFixed(1)}] Instrumental, in the manner of the prompt.`
  const tokens = seconds * audioTokensPerSecond
  return {
    ...plainAnswer,
    text,
    textTokens: countTokens(text),
    steps: [{ parts: [audio], candidates: tokens }],
    candidatesDetails: [{ modality: 'AUDIO', tokenCount: tokens }],
    goods: { songs: 1, outputAudioTokens: tokens },
  }
}
