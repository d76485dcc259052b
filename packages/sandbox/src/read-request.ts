// A generateContent body → what the sandbox needs of it. Proto-JSON: camelCase and snake_case are both taken.
import { VendorError } from './vendor-error.ts'

export type GenerateRequest = {
  /** Every text part, instruction included, in order. */
  readonly texts: readonly string[]
  /** The text of the last turn: what the switches and the echo are read from. */
  readonly lastText: string
  /** null when the caller gives no cap. */
  readonly maxOutputTokens: number | null
  readonly thinking: { readonly tokens: number; readonly isShown: boolean }
}

type Json = Readonly<Record<string, unknown>>

const rootNames = new Set([
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'safetySettings',
  'generationConfig',
  'cachedContent',
  'labels',
  'serviceTier',
  'store',
  'model',
])
const configNames = new Set([
  'temperature',
  'topP',
  'topK',
  'candidateCount',
  'maxOutputTokens',
  'stopSequences',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'responseLogprobs',
  'logprobs',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseModalities',
  'mediaResolution',
  'thinkingConfig',
  'speechConfig',
  'imageConfig',
])

const effortTokens: Readonly<Record<string, number>> = { MINIMAL: 4, LOW: 8, MEDIUM: 16, HIGH: 32 }

/** Throws VendorError 400 as the vendor does: unknown names, no contents, empty parts, wrong types. */
export function readRequest(body: unknown): GenerateRequest {
  const root = requireObject(body, 'the request')
  refuseUnknown(root, rootNames, '')
  const config = optionalObject(root, 'generationConfig')
  refuseUnknown(config, configNames, " at 'generation_config'")
  const contents = member(root, 'contents')
  if (!Array.isArray(contents) || contents.length === 0) {
    throw invalid('* GenerateContentRequest.contents: contents is not specified')
  }
  const turns = contents.map((content, index) => readParts(content, `contents[${index}]`))
  const instruction = member(root, 'systemInstruction')
  const instructionTexts = instruction === undefined ? [] : readParts(instruction, 'system_instruction')
  return {
    texts: [...instructionTexts, ...turns.flat()],
    lastText: turns.at(-1)?.join('\n') ?? '',
    maxOutputTokens: readCap(config),
    thinking: readThinking(optionalObject(config, 'thinkingConfig')),
  }
}

function readParts(content: unknown, place: string): string[] {
  const parts = member(requireObject(content, place), 'parts')
  if (!Array.isArray(parts) || parts.length === 0) {
    throw invalid(`* GenerateContentRequest.${place}.parts: contents.parts must not be empty.`)
  }
  return parts.map((part, index) => {
    const text = member(requireObject(part, `${place}.parts[${index}]`), 'text')
    if (typeof text === 'string' && text !== '') return text
    throw invalid(
      `* GenerateContentRequest.${place}.parts[${index}].data: required oneof field 'data' must have one initialized field`,
    )
  })
}

function readCap(config: Json): number | null {
  const cap = member(config, 'maxOutputTokens')
  if (cap === undefined) return null
  if (typeof cap === 'number' && Number.isSafeInteger(cap) && cap > 0) return cap
  throw invalid('max_output_tokens must be positive.')
}

function readThinking(config: Json): GenerateRequest['thinking'] {
  const budget = member(config, 'thinkingBudget')
  const level = member(config, 'thinkingLevel')
  if (budget !== undefined && level !== undefined) {
    throw invalid('You can only set only one of thinking budget and thinking level.')
  }
  const isShown = member(config, 'includeThoughts') === true
  if (typeof budget === 'number') return { tokens: budget < 0 ? 16 : Math.min(budget, 32), isShown }
  return { tokens: typeof level === 'string' ? (effortTokens[level.toUpperCase()] ?? 0) : 0, isShown }
}

function member(object: Json, camel: string): unknown {
  return object[camel] ?? object[toSnake(camel)]
}

function toSnake(camel: string): string {
  return camel.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}

function requireObject(value: unknown, place: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw invalid(`Invalid value at ${place}: an object is expected.`)
}

function optionalObject(object: Json, camel: string): Json {
  const value = member(object, camel)
  return value === undefined ? {} : requireObject(value, toSnake(camel))
}

function refuseUnknown(object: Json, names: ReadonlySet<string>, place: string): void {
  for (const name of Object.keys(object)) {
    const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    if (!names.has(camel)) {
      throw invalid(`Invalid JSON payload received. Unknown name "${name}"${place}: Cannot find field.`)
    }
  }
}

function invalid(message: string): VendorError {
  return new VendorError(400, message)
}
