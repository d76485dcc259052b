// Reads the needed members of a generateContent body. It is proto-JSON, so both camelCase and snake_case are accepted.
import { countTokens } from './count-tokens.ts'
import type { FindFile } from './files/answer-files.ts'
import {
  invalid,
  isObject,
  type Json,
  member,
  optionalInteger,
  optionalObject,
  optionalText,
  refuseUnknown,
  requireList,
  requireObject,
  toSnake,
} from './json.ts'
import { isThirdGeneration } from './models/model-kind.ts'
import { type Medium, readFileData, readInlineData } from './request/read-medium.ts'
import { readTools, type ToolRequest } from './request/read-tools.ts'

export type FunctionResult = { readonly name: string; readonly response: Json }

/** A function call of an earlier answer, as the caller returns it. */
export type ReplayedCall = { readonly name: string; readonly signature: string | null }

export type Turn = {
  readonly role: 'user' | 'model'
  readonly texts: readonly string[]
  readonly calls: readonly ReplayedCall[]
  readonly results: readonly FunctionResult[]
}

export type GenerateRequest = {
  /** Every text part of the turns, in order and without the instruction. */
  readonly texts: readonly string[]
  /** The text of the last turn, for the switches and the echo. */
  readonly lastText: string
  readonly turns: readonly Turn[]
  /** Tokens of everything except media: texts, instruction, tools, calls and their results. */
  readonly textTokens: number
  readonly media: readonly Medium[]
  readonly hasInstruction: boolean
  /** Null if the caller sets no cap. */
  readonly maxOutputTokens: number | null
  readonly thinking: { readonly tokens: number; readonly isShown: boolean }
  readonly tools: ToolRequest
  readonly format: AnswerFormat
  /** Number of alternatives for each token; null without log probabilities. */
  readonly logprobs: number | null
  /** In capitals; null if the caller leaves the choice to the model. */
  readonly modalities: readonly string[] | null
  readonly config: Json
}

export type AnswerFormat = { readonly mimeType: string | null; readonly schema: unknown }

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
  'continuationToken',
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
  '_responseJsonSchema',
  'responseModalities',
  'mediaResolution',
  'thinkingConfig',
  'speechConfig',
  'imageConfig',
  'audioTranscriptionConfig',
  'enableEnhancedCivicAnswers',
])
const contentNames = new Set(['role', 'parts'])
const partNames = new Set([
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'audioTranscription',
  'toolCall',
  'toolResponse',
  'thought',
  'thoughtSignature',
  'videoMetadata',
  'mediaResolution',
  'partMetadata',
  'mediaProcessing',
  'speechMetadata',
])

const effortTokens: Readonly<Record<string, number>> = { MINIMAL: 4, LOW: 8, MEDIUM: 16, HIGH: 32 }

/** Throws VendorError 400 as the vendor does: unknown names, no contents, empty parts, wrong types, JSON together with functions. */
export function readRequest(body: unknown, model: string, findFile: FindFile = () => null): GenerateRequest {
  const root = requireObject(body, 'the request')
  refuseUnknown(root, rootNames, '')
  const config = optionalObject(root, 'generationConfig')
  refuseUnknown(config, configNames, " at 'generation_config'")
  const contents = member(root, 'contents')
  if (!Array.isArray(contents) || contents.length === 0) {
    throw invalid('* GenerateContentRequest.contents: contents is not specified')
  }
  const found = { tokens: 0, media: [] as Medium[], findFile }
  const turns = contents.map((content, index) => readTurn(content, `contents[${index}]`, found))
  const instruction = member(root, 'systemInstruction')
  if (instruction !== undefined) readTurn(instruction, 'system_instruction', found)
  const tools = readTools(root)
  const format = readFormat(config)
  if (!isThirdGeneration(model)) refuseJsonBesideFunctions(format, tools)
  if ((optionalInteger(config, 'candidateCount') ?? 1) > 1) {
    throw invalid('Multiple candidates is not enabled for this model')
  }
  return {
    texts: turns.flatMap(turn => turn.texts),
    lastText: turns.at(-1)?.texts.join('\n') ?? '',
    turns,
    textTokens: found.tokens + tools.tokens,
    media: found.media,
    hasInstruction: instruction !== undefined,
    maxOutputTokens: readCap(config),
    thinking: readThinking(optionalObject(config, 'thinkingConfig')),
    tools,
    format,
    logprobs: readLogprobs(config),
    modalities: readModalities(config),
    config,
  }
}

type Found = { tokens: number; readonly media: Medium[]; readonly findFile: FindFile }

function readTurn(content: unknown, place: string, found: Found): Turn {
  const turn = requireObject(content, place)
  refuseUnknown(turn, contentNames, ` at '${place}'`)
  const parts = member(turn, 'parts')
  if (!Array.isArray(parts) || parts.length === 0) {
    throw invalid(`* GenerateContentRequest.${place}.parts: contents.parts must not be empty.`)
  }
  const role = member(turn, 'role') ?? 'user'
  // The vendor ignores the role of an instruction.
  if (role !== 'user' && role !== 'model' && role !== 'function' && place !== 'system_instruction') {
    throw invalid('Please use a valid role: user, model.')
  }
  const [texts, calls, results]: [string[], ReplayedCall[], FunctionResult[]] = [[], [], []]
  for (const [index, value] of parts.entries()) {
    const partPlace = `${place}.parts[${index}]`
    const part = requireObject(value, partPlace)
    refuseUnknown(part, partNames, ` at '${partPlace}'`)
    const { text } = part
    if (typeof text === 'string' && (text !== '' || member(part, 'thoughtSignature') !== undefined)) {
      texts.push(text)
      found.tokens += countTokens(text)
    } else {
      if (results.length === 0 && index > 0 && member(part, 'functionResponse') !== undefined)
        throw invalid(
          'Please ensure that function response turn comes immediately after a function call turn.',
        )
      readOther(part, partPlace, found, calls, results)
    }
  }
  return { role: role === 'model' ? 'model' : 'user', texts, calls, results }
}

/** A part without text. Throws VendorError 400 when it holds nothing at all. */
function readOther(
  part: Json,
  place: string,
  found: Found,
  calls: ReplayedCall[],
  results: FunctionResult[],
): void {
  const inline = member(part, 'inlineData')
  if (inline !== undefined) {
    found.media.push(readInlineData(requireObject(inline, place), place))
    return
  }
  const file = member(part, 'fileData')
  if (file !== undefined) {
    found.media.push(readFileData(requireObject(file, place), place, found.findFile))
    return
  }
  const call = member(part, 'functionCall')
  if (call !== undefined) {
    const name = readName(call, `${place}.function_call`)
    calls.push({ name, signature: optionalText(part, 'thoughtSignature') ?? null })
    found.tokens += countTokens(JSON.stringify(call))
    return
  }
  const result = member(part, 'functionResponse')
  if (result !== undefined) {
    const name = readName(result, `${place}.function_response`)
    const { parts, ...said } = requireObject(result, place)
    const response = member(said, 'response')
    results.push({ name, response: requireObject(response ?? {}, `'${place}.function_response.response'`) })
    found.tokens += countTokens(JSON.stringify(said))
    readResultMedia(parts, `${place}.function_response.parts`, found)
    return
  }
  const others = ['executableCode', 'codeExecutionResult', 'audioTranscription', 'toolCall', 'toolResponse']
  const other = others.map(name => member(part, name)).find(isObject)
  if (other === undefined) {
    throw invalid(
      `* GenerateContentRequest.${place}.data: required oneof field 'data' must have one initialized field`,
    )
  }
  found.tokens += countTokens(JSON.stringify(other))
}

/** Images and documents within the result of a function. */
function readResultMedia(parts: unknown, place: string, found: Found): void {
  if (parts === undefined) return
  for (const [index, value] of requireList(parts, `'${place}'`).entries()) {
    const part = requireObject(value, `'${place}[${index}]'`)
    const inline = requireObject(member(part, 'inlineData'), `'${place}[${index}].inline_data'`)
    found.media.push(readInlineData(inline, `${place}[${index}]`))
  }
}

function readName(value: unknown, place: string): string {
  const name = optionalText(requireObject(value, place), 'name')
  if (name !== undefined && name !== '') return name
  throw invalid(`* GenerateContentRequest.${place}.name: Name cannot be empty.`)
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

function readFormat(config: Json): AnswerFormat {
  const mimeType = optionalText(config, 'responseMimeType') ?? null
  const schemas = ['responseSchema', 'responseJsonSchema', '_responseJsonSchema'].filter(
    name => member(config, name) !== undefined,
  )
  if (schemas.length > 1) {
    throw invalid('Only one of response_schema and response_json_schema may be set.')
  }
  const [name] = schemas
  if (name !== undefined && mimeType !== 'application/json' && mimeType !== 'text/x.enum') {
    throw invalid(`${toSnake(name)} requires response_mime_type application/json or text/x.enum.`)
  }
  return { mimeType, schema: name === undefined ? null : member(config, name) }
}

/**
 * The vendor's messages of 2024 and 2025, as reported by SDK users (googleapis/python-genai issue 867, symfony/ai issue 803). No page of
 * the vendor says which models they apply to. It is unknown whether it refuses functions that may not be called (mode NONE); here it does.
 */
function refuseJsonBesideFunctions({ mimeType }: AnswerFormat, { hasFunctions }: ToolRequest): void {
  if (hasFunctions && mimeType === 'application/json')
    throw invalid("Function calling with a response mime type: 'application/json' is unsupported")
}

function readLogprobs(config: Json): number | null {
  const top = optionalInteger(config, 'logprobs')
  const isOn = member(config, 'responseLogprobs') === true
  if (top !== undefined && !isOn) throw invalid('Logprobs is set but response_logprobs is not.')
  if (top !== undefined && (top < 0 || top > 20)) throw invalid('logprobs must be from 0 to 20.')
  return isOn ? (top ?? 0) : null
}

function readModalities(config: Json): readonly string[] | null {
  const value = member(config, 'responseModalities')
  if (value === undefined) return null
  const names = requireList(value, "'generation_config.response_modalities'").map(name => {
    const modality = typeof name === 'string' ? name.toUpperCase() : ''
    if (['TEXT', 'IMAGE', 'AUDIO', 'VIDEO'].includes(modality)) return modality
    throw invalid(
      `Invalid value at 'generation_config.response_modalities' (type.googleapis.com/google.ai.generativelanguage.v1beta.GenerationConfig.Modality), ${JSON.stringify(name)}`,
    )
  })
  return names.length === 0 ? null : names
}
