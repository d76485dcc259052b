// Decides what the sandbox answers: parts, token counts and finish reason. Pure and repeatable.
import type { Goods, Usage } from '../counters.ts'
import { planImage } from '../kinds/plan-image.ts'
import { planMusic } from '../kinds/plan-music.ts'
import { planSpeech } from '../kinds/plan-speech.ts'
import { planTranscription } from '../kinds/plan-transcription.ts'
import { findKind } from '../models/model-kind.ts'
import type { GenerateRequest } from '../read-request.ts'
import type { Modality } from '../request/read-medium.ts'
import type { Switches } from '../switches.ts'
import type { Answer, ReplyStep } from './answer.ts'
import { planChat } from './plan-chat.ts'

export type TokenDetail = { readonly modality: Modality; readonly tokenCount: number }

export type ReplyPlan = {
  readonly model: string
  readonly responseId: string
  /** null when the prompt is refused. */
  readonly text: string | null
  readonly thought: string | null
  readonly steps: readonly ReplyStep[]
  readonly finishReason: string
  /** Further members of the candidate, sent with its finish reason. */
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
  /** The caller is an SDK of the vendor, which takes no member that it does not know. */
  readonly isSdk: boolean
}

/** Throws VendorError 400 for what this kind of model cannot do. */
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

/** The prompt's tokens by modality, the same for a call and for a count of its tokens. */
export function countPrompt({ textTokens, media }: GenerateRequest): readonly TokenDetail[] {
  if (media.length === 0) return [{ modality: 'TEXT', tokenCount: textTokens }]
  const counts = new Map<Modality, number>(textTokens === 0 ? [] : [['TEXT', textTokens]])
  for (const { modality, tokens } of media) counts.set(modality, (counts.get(modality) ?? 0) + tokens)
  return [...counts].map(([modality, tokenCount]) => ({ modality, tokenCount }))
}

export function sumTokens(details: readonly TokenDetail[]): number {
  return details.reduce((sum, detail) => sum + detail.tokenCount, 0)
}
