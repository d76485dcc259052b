// Builds the settings of an answer: sampling, caps, reasoning, format, modalities.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ChatCall, Conversation, Thinking } from '../../port.ts'
import { cleanAnswerSchema } from './clean-schema.ts'

/** Throws ApiError `invalid_request` if members contradict each other. */
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

function copyLogprobs({ logprobs, top_logprobs: likely }: Conversation, copy: Copy): void {
  if (logprobs === true) {
    copy('responseLogprobs', true)
    // The vendor counts from 1.
    copy('logprobs', likely || null)
  } else if (likely) {
    throw invalidRequest('top_logprobs', 'top_logprobs requires logprobs: true.')
  }
}

function copyMedia(request: Conversation, copy: Copy): void {
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

type FormattedCall = Pick<ChatCall, 'request'> & { readonly model: Pick<ChatCall['model'], 'reasoning'> }

export type AnswerFormat = {
  readonly config: { readonly responseMimeType?: string; readonly responseJsonSchema?: unknown }
  /** '' if the members are enough. */
  readonly instruction: string
}

const free: AnswerFormat = { config: {}, instruction: '' }

/**
 * Models before the third generation, which have no levels of reasoning, refuse JSON next to functions: "Function calling with a response
 * mime type: 'application/json' is unsupported" (googleapis/python-genai issue 867). Their answers to the instruction in words are not
 * checked.
 */
export function buildAnswerFormat({ request, model }: FormattedCall): AnswerFormat {
  const { response_format: format, tools } = request
  if (!format || format.type === 'text') return free
  const schema = format.type === 'json_schema' ? format.json_schema.schema : null
  if (tools?.length && model.reasoning !== 'level') return { config: {}, instruction: describeFormat(schema) }
  const responseMimeType = 'application/json'
  if (schema === null) return { config: { responseMimeType }, instruction: '' }
  return { config: { responseMimeType, responseJsonSchema: cleanAnswerSchema(schema) }, instruction: '' }
}

/** In words the schema stays as received: a model reads more of it than the vendor's members support. */
function describeFormat(schema: object | null): string {
  if (schema === null) return 'Your final answer must be a JSON object and nothing else, without Markdown.'
  return `Your final answer must be JSON and nothing else, without Markdown. It must fit this JSON Schema:\n${JSON.stringify(schema)}`
}

type Effort = NonNullable<Conversation['reasoning_effort']>
type Level = 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH'

/** The vendor's own table for its OpenAI-compatible endpoint; the highest efforts ask for all the thinking that a model can do. */
const efforts: Readonly<Record<Effort, { readonly budget: number; readonly level: Level }>> = {
  none: { budget: 0, level: 'MINIMAL' },
  minimal: { budget: 512, level: 'MINIMAL' },
  low: { budget: 1024, level: 'LOW' },
  medium: { budget: 8192, level: 'MEDIUM' },
  high: { budget: 24_576, level: 'HIGH' },
  xhigh: { budget: Number.POSITIVE_INFINITY, level: 'HIGH' },
  max: { budget: Number.POSITIVE_INFINITY, level: 'HIGH' },
}

/** The model decides. */
const dynamic = -1
/** How much of a large enough cap stays for the answer: thoughts count as output and would use it up. */
const answerRoom = 1024
/** With a smaller cap the model does not decide by itself: it may think so much that nothing is left for the answer. */
const smallCap = 8192

/** Null if nothing was requested, or if the model does not think. */
export function buildThinkingConfig({ request, model, outputCap }: ChatCall): object | null {
  const effort = request.reasoning_effort ?? null
  const thinking = request.thinking ?? null
  if (model.reasoning === 'none' || (effort === null && thinking === null)) return null
  const includeThoughts = thinking === null ? effort !== 'none' : thinking.isShown
  if (model.reasoning === 'level') {
    const level = chooseLevel(effort, thinking?.budget ?? null)
    if (level !== null) return { includeThoughts, thinkingLevel: limitLevel(level, model.upstreamId) }
  } else {
    const budget = chooseBudget(effort, thinking, outputCap, limitsOf(model.upstreamId))
    if (budget !== null) return { includeThoughts, thinkingBudget: budget }
  }
  return includeThoughts ? { includeThoughts } : null
}

/** Null: the model's own. */
function chooseLevel(effort: Effort | null, budget: Thinking['budget']): Level | null {
  if (budget === null || budget === 'auto') return effort === null ? null : efforts[effort].level
  if (budget <= efforts.minimal.budget) return 'MINIMAL'
  if (budget <= efforts.low.budget) return 'LOW'
  return budget <= efforts.medium.budget ? 'MEDIUM' : 'HIGH'
}

/** The levels that pro models lack. A level that a model does not know is refused. */
function limitLevel(level: Level, upstreamId: string): Level {
  if (!isPro(upstreamId)) return level
  if (level === 'MINIMAL') return 'LOW'
  return level === 'MEDIUM' && /-3-pro/.test(upstreamId) ? 'HIGH' : level
}

type BudgetLimits = { readonly least: number; readonly most: number; readonly canBeOff: boolean }

/** The range of each second-generation model, by the vendor's page on thinking. */
function limitsOf(upstreamId: string): BudgetLimits {
  if (isPro(upstreamId)) return { least: 128, most: 32_768, canBeOff: false }
  if (upstreamId.includes('flash-lite')) return { least: 512, most: 24_576, canBeOff: true }
  return { least: 1, most: 24_576, canBeOff: true }
}

function isPro(upstreamId: string): boolean {
  return /-pro(?:-|$)/.test(upstreamId)
}

/** Null: the model's own. */
function chooseBudget(
  effort: Effort | null,
  thinking: Thinking | null,
  outputCap: number,
  limits: BudgetLimits,
): number | null {
  const asked = thinking?.budget ?? (effort === null ? null : efforts[effort].budget)
  if (asked === null) return null
  const roomy = outputCap - Math.min(answerRoom, Math.ceil(outputCap / 2))
  if (asked === 'auto') return outputCap > smallCap ? dynamic : limitBudget(roomy, limits)
  // An effort of plain chat may take the whole cap, as it always could.
  const isPlain = thinking === null && asked !== Number.POSITIVE_INFINITY
  const most = isPlain ? outputCap : roomy
  return limitBudget(Math.min(asked, most), limits)
}

/** A budget too small to think with means no thinking, if the model can do without. */
function limitBudget(budget: number, { least, most, canBeOff }: BudgetLimits): number {
  if (budget >= least) return Math.min(budget, most)
  return canBeOff ? 0 : least
}
