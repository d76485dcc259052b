// Plans a language model's answer: an echo, JSON by a schema, function calls, or a function's result.

import { createHash } from 'node:crypto'
import { countTokens, writeText } from '../count-tokens.ts'
import { invalid } from '../json.ts'
import { isThirdGeneration } from '../models/model-kind.ts'
import type { GenerateRequest, Turn } from '../read-request.ts'
import type { DeclaredFunction } from '../request/read-tools.ts'
import { hasSwitches } from '../switches.ts'
import { type Answer, plainAnswer, type ReplyStep } from './answer.ts'
import { planEdit } from './plan-edit.ts'
import type { PlanFacts } from './plan-reply.ts'
import { sampleValue } from './sample-value.ts'

/** The number of tokens in an answer of free length. */
const freeLength = 40
/** Up to this cap, the answer uses the cap exactly, so that costs are predictable. */
const smallCap = 64
const vendorDefaultCap = 8192

const safetyRatings = [
  'HARM_CATEGORY_SEXUALLY_EXPLICIT',
  'HARM_CATEGORY_HATE_SPEECH',
  'HARM_CATEGORY_HARASSMENT',
  'HARM_CATEGORY_DANGEROUS_CONTENT',
].map(category => ({ category, probability: 'NEGLIGIBLE' }))

/** Throws VendorError 400 for media that it cannot make and for conversations with mismatched function calls. */
export function planChat({ model, request, switches }: PlanFacts): Answer {
  const unable = request.modalities?.find(modality => modality !== 'TEXT')
  if (unable !== undefined) {
    throw invalid(`Model does not support the requested response modalities: ${unable.toLowerCase()}`)
  }
  checkReplay(request.turns, isThirdGeneration(model))
  const cap = request.maxOutputTokens ?? vendorDefaultCap
  const thoughts = Math.min(switches.thinkingTokens ?? request.thinking.tokens, cap)
  const thought = request.thinking.isShown && thoughts > 0 ? writeText(thoughts, 'Thinking: ', false) : null
  const results = request.turns.at(-1)?.results ?? []
  const { functions } = request.tools
  const edit =
    switches.editFile === undefined || functions.length === 0
      ? null
      : planEdit(switches.editFile, functions, hasCalledSince(request.turns))
  const isDone = results.length > 0 && countSteps(request.turns) >= (switches.toolSteps ?? 1)
  const callCount = functions.length === 0 || isDone ? 0 : (switches.toolCalls ?? 1)
  const calls = edit === null ? sampleCalls(functions, callCount) : edit.kind === 'call' ? [edit] : []
  if (calls.length > 0) {
    const step = writeCalls(calls, isThirdGeneration(model))
    if (step.candidates > cap - thoughts) {
      return { ...plainAnswer, thought, thoughts, finishReason: 'MAX_TOKENS' }
    }
    const extras = { finishMessage: 'Model generated function call(s).' }
    return { ...plainAnswer, thought, thoughts, steps: [step], extras }
  }
  const fixed = edit?.kind === 'say' ? edit.text : writeFixed(request)
  const wanted =
    fixed === null
      ? (switches.outputTokens ?? (cap <= smallCap ? cap : freeLength))
      : Math.max(1, countTokens(fixed))
  const textTokens = Math.min(wanted, cap - thoughts)
  const usesCap = textTokens < wanted || (fixed === null && textTokens + thoughts === cap)
  const text =
    textTokens === 0
      ? ''
      : fixed === null
        ? writeText(textTokens, begin(request), switches.splitUtf8 === true)
        : shorten(fixed, textTokens)
  return {
    ...plainAnswer,
    text,
    textTokens,
    thought,
    thoughts,
    finishReason: usesCap ? 'MAX_TOKENS' : 'STOP',
    extras: {
      ...(switches.safetyRatings === true ? { safetyRatings } : {}),
      ...describeSources(request, text),
    },
  }
}

/** JSON or a choice, which have their own length; null for free text. */
function writeFixed({ format, lastText }: GenerateRequest): string | null {
  const { mimeType, schema } = format
  if (mimeType === 'application/json') {
    return JSON.stringify(schema === null ? { answer: quote(lastText) } : sampleValue(schema))
  }
  if (mimeType === 'text/x.enum') return String(sampleValue(schema))
  if (mimeType === null || mimeType === 'text/plain') return null
  throw invalid(
    `* GenerateContentRequest.generation_config.response_mime_type: allowed mimetypes are \`text/plain\`, \`application/json\`, \`application/xml\`, \`application/yaml\` and \`text/x.enum\`.`,
  )
}

function begin({ turns, lastText }: GenerateRequest): string {
  const results = turns.at(-1)?.results ?? []
  if (results.length === 0) return `You said "${quote(lastText)}". `
  return results
    .map(({ name, response }) => `${name} returned ${JSON.stringify(response).slice(0, 80)}. `)
    .join('')
}

function quote(prompt: string): string {
  return prompt.replaceAll(/\s+/g, ' ').trim().slice(0, 60)
}

function shorten(text: string, tokens: number): string {
  return Array.from(text)
    .slice(0, tokens * 4)
    .join('')
}

/** More members of the candidate; none without those tools. Segments are counted in bytes, as the vendor does. */
function describeSources(request: GenerateRequest, text: string): object {
  const { isSearching, isReadingUrls } = request.tools
  if (!isSearching && !isReadingUrls) return {}
  return {
    ...(isSearching ? { groundingMetadata: ground(request.lastText, text) } : {}),
    ...(isReadingUrls ? { urlContextMetadata: { urlMetadata: readUrls(request.lastText) } } : {}),
  }
}

function ground(prompt: string, text: string): object {
  const query = prompt.replaceAll(/\s+/g, ' ').trim().slice(0, 60)
  const middle = text.indexOf('. ') < 0 ? text.length : text.indexOf('. ') + 1
  const segments = [text.slice(0, middle), text.slice(middle)].filter(segment => segment !== '')
  let endIndex = 0
  return {
    searchEntryPoint: { renderedContent: '<div class="container">Sandbox search</div>' },
    webSearchQueries: [query],
    groundingChunks: ['one', 'two'].map(name => ({
      web: { uri: `https://example.com/${name}`, title: `Source ${name}` },
    })),
    groundingSupports: segments.map((segment, index) => {
      const startIndex = endIndex
      endIndex += Buffer.byteLength(segment)
      return {
        segment: { ...(startIndex === 0 ? {} : { startIndex }), endIndex, text: segment },
        groundingChunkIndices: [index],
      }
    }),
  }
}

function readUrls(prompt: string): object[] {
  return (prompt.match(/https?:\/\/[^\s"'<>\])]+/g) ?? []).slice(0, 20).map(retrievedUrl => ({
    retrievedUrl,
    urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_SUCCESS',
  }))
}

// Makes the function calls of an answer, and checks those that a caller sends back with the conversation.

const signaturePrefix = 'sandbox-thought:'
/** The signature that the vendor documents for conversations from another model. */
const bypass = 'skip_thought_signature_validator'

type FunctionCall = { readonly name: string; readonly args: unknown }

/** One call after the other, through the declared functions. */
function sampleCalls(functions: readonly DeclaredFunction[], count: number): FunctionCall[] {
  return Array.from({ length: count }, (_, index) => {
    const declared = functions[index % functions.length]
    return { name: declared?.name ?? '', args: sampleValue(declared?.schema) }
  })
}

/** Whether a tool has been called since the prompt with the newest switches, or at all if the switches come from elsewhere. */
function hasCalledSince(turns: readonly Turn[]): boolean {
  const prompt = turns.findLastIndex(({ role, texts }) => role === 'user' && texts.some(hasSwitches))
  return turns.slice(prompt + 1).some(({ calls }) => calls.length > 0)
}

/** Steps with calls since the user last said something. */
function countSteps(turns: readonly Turn[]): number {
  const prompt = turns.findLastIndex(({ role, texts }) => role === 'user' && texts.length > 0)
  return turns.slice(prompt + 1).filter(({ calls }) => calls.length > 0).length
}

/** If the model signs, the first call is signed. */
function writeCalls(asked: readonly FunctionCall[], isSigned: boolean): ReplyStep {
  const calls = asked.map(({ name, args }, index) =>
    isSigned ? { name, args, id: writeId(name, index) } : { name, args },
  )
  const parts = calls.map((functionCall, index) =>
    isSigned && index === 0 ? { functionCall, thoughtSignature: sign(functionCall.name) } : { functionCall },
  )
  const candidates = calls.reduce(
    (sum, { name, args }) => sum + countTokens(JSON.stringify({ name, args })),
    0,
  )
  return { parts, candidates }
}

/**
 * Throws VendorError 400 when results do not fit their calls, when a call comes back with the signature of another, and when the first
 * call of a step comes back unsigned after the last user turn. Earlier calls are not checked.
 */
function checkReplay(turns: readonly Turn[], isSigned: boolean): void {
  const current = turns.findLastIndex(({ role, results }) => role === 'user' && results.length === 0)
  for (const [index, { calls, results }] of turns.entries()) {
    checkResults(turns[index - 1]?.calls.length ?? 0, results.length)
    const [first] = calls
    if (!isSigned || first === undefined) continue
    if (index > current && !first.signature) {
      throw invalid(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Function call \`default_api:${first.name}\`, position ${index + 1}.`,
      )
    }
    for (const { name, signature } of calls)
      if (signature && !isKnown(signature, name)) throw invalid('Corrupted thought signature.')
  }
}

function checkResults(calls: number, results: number): void {
  if (calls === results) return
  throw invalid(
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
  )
}

function sign(name: string): string {
  return Buffer.from(`${signaturePrefix}${name}`).toString('base64')
}

function isKnown(signature: string, name: string): boolean {
  if (signature === bypass) return true
  const text = Buffer.from(signature, 'base64').toString()
  return text === bypass || text === `${signaturePrefix}${name}`
}

function writeId(name: string, index: number): string {
  return createHash('sha256').update(`${name} ${index}`).digest('hex').slice(0, 8)
}
