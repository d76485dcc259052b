// Plans a chat turn: its needs (the ceiling of its input, its output cap, the likely use of the token windows), and the
// upstream request once it is admitted.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { CatalogModel } from '../../catalog/types.ts'
import type { TokenEstimate } from '../../ledger/admission.ts'
import { inputCeiling, inputEstimate } from '../../ledger/estimate-tokens.ts'
import { cacheWriteUnits } from '../../ledger/price.ts'
import type { CallEstimate } from '../../limits/port.ts'
import type { ChatCall, ChatResult, Conversation } from '../../upstream/port.ts'
import type { CallPlan } from '../flow/admit.ts'
import type { Admitted } from '../flow/admitted.ts'
import type { Answer } from '../flow/call-facts.ts'
import type { Results } from '../flow/paid-call.ts'
import { type InputSize, measureInput } from './measure-input.ts'

/** The dialect of a call, as named in charges. */
export type ChatEndpoint = 'chat' | 'responses' | 'messages'

export type ChatPlan = CallPlan & {
  /** Choices; each is one upstream call. */
  readonly count: number
  /** Max output tokens per choice, before the budget reduces them. */
  readonly askedOutput: number
  /** Models that may serve instead; the hold covers them unless a refined estimate has decided. */
  readonly fallbacks: readonly CatalogModel[]
  /** Typical input tokens of one choice, with the upper bound for media: the fallback if the upstream reports no usage. */
  readonly estimatedInput: number
}

export type ChatPlanDependencies = {
  readonly minimumUsefulOutput: number
  /** Exact input tokens of one choice, free of charge; null if the upstream cannot say. */
  readonly countInput: (
    request: Conversation,
    model: CatalogModel,
    outputCap: number,
    signal: AbortSignal,
    teamId: string,
  ) => Promise<number | null>
}

/** Names a requested feature for which the model has no price (spec 8), since it would be charged by guess. Null if there is none. */
function findUnpriced({ web_search_options: search, modalities }: Conversation, { price }: CatalogModel) {
  const [{ rates }] = price.tiers
  if (search && rates.search === undefined) return { param: 'web_search_options', what: 'web search' }
  if (modalities?.includes('image') && rates.outputImage === undefined)
    return { param: 'modalities', what: 'image output' }
  if (modalities?.includes('audio') && rates.outputAudio === undefined)
    return { param: 'modalities', what: 'audio output' }
  return null
}

/** A speech model reads the messages aloud. It writes nothing. */
function refuseWordsOfSpeech({ modalities }: Conversation, { id, modality, price }: CatalogModel): void {
  if (modality !== 'speech') return
  if (price.tiers[0].rates.outputAudio === undefined) {
    throw invalidRequest('model', `${id} only works at /audio/speech.`)
  }
  if (!modalities || modalities.some(kind => kind !== 'audio')) {
    throw invalidRequest(
      'modalities',
      `${id} only returns audio. Set modalities to ["audio"] and put a voice in audio.`,
    )
  }
}

/** Asks for `signal` only if the input must be counted upstream, since it is not free. */
export function planChat(
  request: Conversation,
  model: CatalogModel,
  signal: () => AbortSignal,
  { minimumUsefulOutput, countInput }: ChatPlanDependencies,
  endpoint: ChatEndpoint,
  size: TurnSize = measureInput(request, model),
): ChatPlan {
  refuseWordsOfSpeech(request, model)
  const unpriced = findUnpriced(request, model)
  if (unpriced !== null)
    throw invalidRequest(unpriced.param, `${model.id} does not support ${unpriced.what}.`)
  const count = request.n ?? 1
  const explicit = request.max_completion_tokens ?? request.max_tokens ?? null
  const askedOutput = Math.min(explicit ?? model.defaultOutputCap, model.maxOutput)
  const ceiling = ceilingOf(model, size)
  const text = inputEstimate(size.utf8Bytes, size.messages)
  const estimatedInput = Math.min(text + size.mediaTokens, ceiling)
  const likelyInput = Math.min(text + size.likelyMediaTokens, ceiling)
  const inputUnits = chooseInputUnits(size)
  const estimateBy = (by: CatalogModel, inputTokens: number): TokenEstimate => {
    const asked = Math.min(askedOutput, by.maxOutput)
    return {
      kind: 'tokens',
      count,
      inputTokens,
      price: by.price,
      askedOutput: asked,
      minimumOutput: Math.min(asked, minimumUsefulOutput),
      reducible: true,
      ...(inputUnits === null ? absent : { inputUnits }),
      ...(makesMedia(request, by) ? { outputUnits: anyOutput } : absent),
    }
  }
  const estimate = (inputTokens: number): CallEstimate => estimateBy(model, inputTokens)
  const fallbacks = findFallbacks(request, model)
  // Anthropic bills more tokens for media than the vendor. What is relayed is measured by Anthropic's rules already.
  const sizeFor = (by: CatalogModel) =>
    by.kind === 'anthropic' && model.kind !== 'anthropic' && size.mediaTokens > 0
      ? measureInput(request, by)
      : size
  const alternatives = fallbacks.map(by => estimateBy(by, ceilingOf(by, sizeFor(by))))
  return {
    model,
    endpoint,
    count,
    askedOutput,
    estimatedInput,
    tokens: {
      input: likelyInput * count,
      output: (explicit === null ? model.typicalOutput : askedOutput) * count,
    },
    estimate: fallbacks.length === 0 ? estimate(ceiling) : { ...estimateBy(model, ceiling), alternatives },
    fallbacks,
    medium: size.medium,
    texts: () => gatherTexts(request),
    refine: async teamId => {
      // Search results cannot be counted before the search.
      const exact = size.isMeasurable ? await countInput(request, model, askedOutput, signal(), teamId) : null
      if (exact !== null && exact < ceiling) return { estimate: estimate(exact), inputTokens: exact }
      // The rest of a budget may pay for this model but not for the most expensive fallback.
      return fallbacks.length === 0 ? null : { estimate: estimate(ceiling), inputTokens: null }
    },
  }
}

/** The media that a server of open models reads can have any number of tokens. */
function isMeasurableBy({ kind }: CatalogModel, size: InputSize): boolean {
  return size.isMeasurable && (size.mediaTokens === 0 || kind !== 'openai')
}

/** The max input tokens that the model can bill for one choice. */
function ceilingOf(model: CatalogModel, size: InputSize): number {
  if (!isMeasurableBy(model, size)) return model.contextLimit
  const most = inputCeiling(size.utf8Bytes, size.messages) + size.mediaTokens + model.promptOverhead
  return Math.min(most, model.contextLimit)
}

/**
 * The fallbacks that can serve this request: those with a price for all that it asks for. None for multiple choices, which are one
 * charge by the prices of one model.
 */
function findFallbacks(request: Conversation, { fallbacks }: CatalogModel): readonly CatalogModel[] {
  if (fallbacks.length === 0 || (request.n ?? 1) > 1) return none
  return fallbacks.filter(by => findUnpriced(request, by) === null)
}

const none: readonly never[] = []

/** Shared, since one would be created for each call. */
const absent = {}

/** The size of a turn, and whether it asks the upstream to keep input in its cache. */
export type TurnSize = InputSize & { readonly writesCache?: boolean }

/** Null: text, which needs no list. */
function chooseInputUnits({ mediaTokens, writesCache = false }: TurnSize) {
  if (writesCache) return anyInput
  return mediaTokens > 0 ? mediaInput : null
}

const mediaInput = ['inputText', 'inputAudio', 'inputImage', 'inputVideo', 'cachedInput'] as const
const anyInput = [...mediaInput, ...cacheWriteUnits] as const
const anyOutput = ['outputText', 'reasoning', 'outputImage', 'outputAudio'] as const

function makesMedia(request: Conversation, model: CatalogModel): boolean {
  return model.modality === 'image' || (request.modalities?.some(kind => kind !== 'text') ?? false)
}

/**
 * `n` choices become `n` calls, since many models give only one choice per call. The seed grows by one per choice, so that
 * choices differ and stay repeatable.
 */
export function buildCalls(
  { hold, isRefined }: Pick<Admitted, 'hold' | 'isRefined'>,
  request: Conversation,
  { count, askedOutput, model, fallbacks }: ChatPlan,
): ChatCall[] {
  const outputCap = hold.outputCap ?? askedOutput
  if (count === 1) {
    if (fallbacks.length === 0 || isRefined) return [{ request, model, outputCap }]
    const inPlace = fallbacks.map(by => ({
      request,
      model: by,
      outputCap: Math.min(outputCap, by.maxOutput),
    }))
    return [{ request, model, outputCap, fallbacks: inPlace }]
  }
  return Array.from({ length: count }, (_, index) => {
    const seed = typeof request.seed === 'number' ? { seed: request.seed + index } : {}
    return { request: { ...request, ...seed, n: 1 }, model, outputCap }
  })
}

// The newest texts of a conversation: what the person wrote and what tools returned. Agents repeat the history at every step.

/** How many of each are digested for the record of the call. */
export const maxPrompts = 8
export const maxResults = 32

/** Oldest first. Each part of a message is a text of its own: tools put what they add next to what was typed. */
export function gatherTexts({ messages }: Pick<Conversation, 'messages'>): {
  readonly prompts: readonly string[]
  readonly results: readonly string[]
} {
  const prompts: string[] = []
  const results: string[] = []
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index]
    if (message === undefined || prompts.length + results.length >= maxPrompts + maxResults) break
    if (message.role === 'user' && prompts.length < maxPrompts) addTexts(prompts, message.content, maxPrompts)
    else if (message.role === 'tool' && results.length < maxResults) results.push(joinTexts(message.content))
  }
  return { prompts: prompts.reverse(), results: results.reverse() }
}

type Content =
  | string
  | readonly ({ readonly type: 'text'; readonly text: string } | { readonly type: string })[]

function addTexts(texts: string[], content: Content, most: number): void {
  if (typeof content === 'string') {
    texts.push(content)
    return
  }
  for (let index = content.length - 1; index >= 0 && texts.length < most; index -= 1) {
    const part = content[index]
    if (part !== undefined && 'text' in part) texts.push(part.text)
  }
}

function joinTexts(content: Content): string {
  if (typeof content === 'string') return content
  return content.map(part => ('text' in part ? part.text : '')).join('')
}

/** A whole answer. It has no text if it only has calls or media. */
export class WholeAnswer implements Answer {
  private readonly results: Results<Pick<ChatResult, 'choices'>>

  constructor(results: Results<Pick<ChatResult, 'choices'>>) {
    this.results = results
  }

  text(): string | null {
    return this.results[0].choices[0]?.text ?? null
  }

  finishReasons(): string[] {
    return this.results.flatMap(({ choices }) => choices.map(({ finishReason }) => finishReason))
  }
}
