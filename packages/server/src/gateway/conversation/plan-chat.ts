// What a chat turn wants of the limits (the ceiling of its input, its output cap, what is likely for the token windows), and what the
// upstream is asked once it is admitted.
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { CatalogModel } from '../../catalog/types.ts'
import { inputCeiling, inputEstimate } from '../../ledger/estimate-tokens.ts'
import type { CallEstimate } from '../../limits/port.ts'
import type { ChatCall, Conversation } from '../../upstream/port.ts'
import type { Admitted, CallPlan } from '../flow/admit.ts'
import { gatherTexts } from './gather-texts.ts'
import { measureInput } from './measure-input.ts'

/** The dialect of a call, as charges name it. */
export type ChatEndpoint = 'chat' | 'responses' | 'messages'

export type ChatPlan = CallPlan & {
  /** Choices, each of which is one upstream call. */
  readonly count: number
  /** Most output tokens per choice, before the budget had its say. */
  readonly askedOutput: number
  /** Typical input tokens of one choice: the fallback when the upstream reports no usage. */
  readonly estimatedInput: number
}

export type ChatPlanDependencies = {
  readonly minimumUsefulOutput: number
  /** Exact input tokens of one choice, free of charge; null when the upstream cannot say. */
  readonly countInput: (
    request: Conversation,
    model: CatalogModel,
    outputCap: number,
    signal: AbortSignal,
  ) => Promise<number | null>
}

/** What a model has no price for it is not asked for (spec 8): it would be charged by guess. */
function refuseUnpriced(request: ChatRequest, { id, price }: CatalogModel): void {
  const [{ rates }] = price.tiers
  if (request.web_search_options && rates.search === undefined)
    throw invalidRequest('web_search_options', `${id} does not offer search of the web.`)
  if (request.modalities?.includes('image') && rates.outputImage === undefined)
    throw invalidRequest('modalities', `${id} does not offer image output.`)
  if (request.modalities?.includes('audio') && rates.outputAudio === undefined)
    throw invalidRequest('modalities', `${id} does not offer audio output.`)
}

/** A model that speaks says what the messages hold: it writes nothing. */
function refuseWordsOfSpeech({ modalities }: ChatRequest, { id, modality, price }: CatalogModel): void {
  if (modality !== 'speech') return
  if (price.tiers[0].rates.outputAudio === undefined) {
    throw invalidRequest('model', `${id} is called at /audio/speech.`)
  }
  if (!modalities || modalities.some(kind => kind !== 'audio')) {
    throw invalidRequest(
      'modalities',
      `${id} answers with audio only: send modalities ["audio"], and in audio a voice.`,
    )
  }
}

/** An answer in the old form, with `function_call`, is not written; one in another form would be lost on its client. */
function refuseOldFunctions({ functions }: ChatRequest): void {
  if (functions === undefined || functions === null || (Array.isArray(functions) && functions.length === 0))
    return
  throw invalidRequest(
    'functions',
    'functions are not offered: send them as tools; the answer then has tool_calls.',
  )
}

/** `signal` is asked for only when the input must be counted upstream: it is not free. */
export function planChat(
  request: Conversation,
  model: CatalogModel,
  signal: () => AbortSignal,
  { minimumUsefulOutput, countInput }: ChatPlanDependencies,
  endpoint: ChatEndpoint,
): ChatPlan {
  refuseWordsOfSpeech(request, model)
  refuseUnpriced(request, model)
  refuseOldFunctions(request)
  const size = measureInput(request, model)
  const count = request.n ?? 1
  const explicit = request.max_completion_tokens ?? request.max_tokens ?? null
  const askedOutput = Math.min(explicit ?? model.defaultOutputCap, model.maxOutput)
  const isMeasurable = size.isMeasurable && (size.mediaTokens === 0 || model.hasMediaCeilings)
  const most = inputCeiling(size.utf8Bytes, size.messages) + size.mediaTokens + model.promptOverhead
  const ceiling = isMeasurable ? Math.min(most, model.contextLimit) : model.contextLimit
  const likely = inputEstimate(size.utf8Bytes, size.messages) + size.mediaTokens
  const estimatedInput = Math.min(likely, ceiling)
  const estimate = (inputTokens: number): CallEstimate => ({
    kind: 'tokens',
    count,
    inputTokens,
    price: model.price,
    askedOutput,
    minimumOutput: Math.min(askedOutput, minimumUsefulOutput),
    reducible: true,
    ...(size.mediaTokens > 0 ? { inputUnits: anyInput } : absent),
    ...(makesMedia(request, model) ? { outputUnits: anyOutput } : absent),
  })
  return {
    model,
    endpoint,
    count,
    askedOutput,
    estimatedInput,
    tokens: {
      input: estimatedInput * count,
      output: (explicit === null ? model.typicalOutput : askedOutput) * count,
    },
    estimate: estimate(ceiling),
    texts: () => gatherTexts(request),
    refine: async () => {
      // What cannot be measured cannot be counted either.
      if (!isMeasurable) return null
      const exact = await countInput(request, model, askedOutput, signal())
      return exact !== null && exact < ceiling ? { estimate: estimate(exact), inputTokens: exact } : null
    },
  }
}

/** One for all: these objects are made for each call. */
const absent = {}

const anyInput = ['inputText', 'inputAudio', 'inputImage', 'inputVideo', 'cachedInput'] as const
const anyOutput = ['outputText', 'reasoning', 'outputImage', 'outputAudio'] as const

function makesMedia(request: ChatRequest, model: CatalogModel): boolean {
  return model.modality === 'image' || (request.modalities?.some(kind => kind !== 'text') ?? false)
}

/**
 * `n` choices become `n` calls, since many models give only one choice per call. A seed is moved on by one per choice, so that
 * choices differ and stay repeatable.
 */
export function buildCalls(
  { hold }: Pick<Admitted, 'hold'>,
  request: Conversation,
  { count, askedOutput, model }: ChatPlan,
): ChatCall[] {
  const outputCap = hold.outputCap ?? askedOutput
  if (count === 1) return [{ request, model, outputCap }]
  return Array.from({ length: count }, (_, index) => {
    const seed = typeof request.seed === 'number' ? { seed: request.seed + index } : {}
    return { request: { ...request, ...seed, n: 1 }, model, outputCap }
  })
}
