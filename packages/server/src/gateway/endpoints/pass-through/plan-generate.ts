// Plans the pass-through's verbs: the maximum cost of a call as it is, since nothing in it is changed.
import type { GeminiContent } from '@fairgate/contracts/gemini/content.ts'
import type { GeminiEmbed } from '@fairgate/contracts/gemini/embed-request.ts'
import type { GeminiGenerate } from '@fairgate/contracts/gemini/generate-request.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import { type Ceiling, ceilingCost } from '../../../ledger/price.ts'
import type { CallEstimate } from '../../../limits/port.ts'
import { maxPrompts, maxResults } from '../../conversation/plan-chat.ts'
import { type CallPlan, planUnits } from '../../flow/admit.ts'
import { contentsOf, countCandidates, isSearching } from './check-generate.ts'
import { measurePrompt } from './measure-prompt.ts'

export type GeneratePlan = CallPlan & {
  /** For the whole call: the fallback if a stream ends without usage. */
  readonly estimatedInput: number
  readonly outputCap: number
}

export type GenerateFacts = {
  readonly request: GeminiGenerate
  readonly model: CatalogModel
  readonly bodyBytes: number
  /** The exact tokens of a countTokens body; null if the upstream cannot say. */
  readonly countInput: (model: CatalogModel, body: object, teamId: string) => Promise<number | null>
}

const textInput = ['inputText', 'cachedInput'] as const
const anyInput = ['inputText', 'inputAudio', 'inputImage', 'inputVideo', 'cachedInput'] as const
const textOutput = ['outputText', 'reasoning'] as const
const audioOutput = ['outputText', 'reasoning', 'outputAudio'] as const
const usualSize = '1K'

/** A cap is never reduced here: a call that does not fit the budget as requested is refused. */
export function planGenerate({ request, model, bodyBytes, countInput }: GenerateFacts): GeneratePlan {
  if (model.modality === 'music')
    return { ...planUnits(model, 'generateContent', { song: 1 }), estimatedInput: 0, outputCap: 0 }
  const size = measurePrompt(bodyBytes, contentsOf(request), model.contextLimit)
  const count = countCandidates(request)
  const explicit = request.generationConfig?.maxOutputTokens
  const cap = Math.min(Number(explicit ?? model.maxOutput), model.maxOutput)
  const isMeasurable = !isSearching(request)
  const estimate = (input: number): CallEstimate => {
    const inputs: Ceiling = { tokens: input, units: size.hasMedia ? anyInput : textInput }
    const cost = ceilingCost(model.price, input, [inputs, ...listOutputs(request, model, cap, count)])
    return { kind: 'fixed', cost }
  }
  // Search results come back as input, of any length.
  const ceiling = isMeasurable ? size.ceiling : model.contextLimit
  return {
    model,
    endpoint: 'generateContent',
    estimatedInput: size.expected,
    outputCap: cap * count,
    tokens: {
      input: size.likely,
      output: (explicit === undefined ? model.typicalOutput : cap) * count,
    },
    estimate: estimate(ceiling),
    medium: size.medium,
    texts: () => gatherContents(request.contents),
    refine: async teamId => {
      if (!isMeasurable) return null
      const exact = await countInput(model, buildCountBody(request, model), teamId)
      return exact !== null && exact < ceiling ? { estimate: estimate(exact), inputTokens: exact } : null
    },
  }
}

/** Text up to the cap, plus the image that an image model makes, which no cap makes smaller. */
function listOutputs(
  { generationConfig }: GeminiGenerate,
  model: CatalogModel,
  cap: number,
  count: number,
): Ceiling[] {
  const tokens = cap * count
  const [{ rates }] = model.price.tiers
  if (model.modality === 'image') {
    const size = generationConfig?.imageConfig?.imageSize ?? usualSize
    const image = model.imageTokens.get(size) ?? model.maxOutput
    return [
      { tokens, units: textOutput },
      { tokens: image * count, units: ['outputImage'] },
    ]
  }
  return [{ tokens, units: rates.outputAudio === undefined ? textOutput : audioOutput }]
}

/** The parts of the request that are input, including the answer's schema, but nothing else of its configuration. */
function buildCountBody(request: GeminiGenerate, model: CatalogModel): object {
  const { contents, systemInstruction, tools, generationConfig } = request
  const { responseMimeType, responseSchema, responseJsonSchema, _responseJsonSchema } = generationConfig ?? {}
  return {
    generateContentRequest: {
      model: `models/${model.upstreamId}`,
      contents,
      systemInstruction,
      tools,
      generationConfig: { responseMimeType, responseSchema, responseJsonSchema, _responseJsonSchema },
    },
  }
}

/** The texts as a prompt, for the upstream to count: replies with vectors have no usage. */
export function buildCountOfTexts(wishes: readonly GeminiEmbed[]): object {
  return {
    contents: wishes.map(({ content, title }) => ({
      role: 'user',
      parts: [...(title === undefined ? [] : [{ text: title }]), ...content.parts],
    })),
  }
}

/** Oldest first. Each part is a text of its own: tools put what they add next to what was typed. */
export function gatherContents(contents: readonly GeminiContent[]): {
  readonly prompts: readonly string[]
  readonly results: readonly string[]
} {
  const prompts: string[] = []
  const results: string[] = []
  for (let index = contents.length - 1; index >= 0; index -= 1) {
    if (prompts.length >= maxPrompts && results.length >= maxResults) break
    const { role = 'user', parts = [] } = contents[index] ?? {}
    if (role === 'model') continue
    for (const { text, functionResponse } of [...parts].reverse()) {
      if (functionResponse !== undefined) results.push(...readResponse(functionResponse.response))
      else if (text !== undefined && prompts.length < maxPrompts) prompts.push(text)
    }
  }
  return { prompts: prompts.reverse(), results: results.slice(0, maxResults).reverse() }
}

/** The vendor names no members for it. Its own clients write `output` or `error`. */
function readResponse(response: unknown): string[] {
  if (typeof response !== 'object' || response === null) return []
  const { output, error, result } = response as Readonly<Record<string, unknown>>
  return [output, error, result].filter(value => typeof value === 'string').slice(0, 1)
}
