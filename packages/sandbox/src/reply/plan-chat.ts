// Plans the answer of a language model: an echo, JSON by a schema, function calls, or what a function gave.
import { countTokens, writeText } from '../count-tokens.ts'
import { invalid } from '../json.ts'
import { isThirdGeneration } from '../models/model-kind.ts'
import type { GenerateRequest } from '../read-request.ts'
import { type Answer, plainAnswer } from './answer.ts'
import { checkReplay, writeCalls } from './function-calls.ts'
import { describeSources } from './grounding.ts'
import type { PlanFacts } from './plan-reply.ts'
import { sampleValue } from './sample-value.ts'

/** The number of tokens in an answer of free length. */
const freeLength = 40
/** Up to this cap, the answer has exactly as many tokens as the cap, so that costs are predictable. */
const smallCap = 64
const vendorDefaultCap = 8192

const safetyRatings = [
  'HARM_CATEGORY_SEXUALLY_EXPLICIT',
  'HARM_CATEGORY_HATE_SPEECH',
  'HARM_CATEGORY_HARASSMENT',
  'HARM_CATEGORY_DANGEROUS_CONTENT',
].map(category => ({ category, probability: 'NEGLIGIBLE' }))

/** Throws VendorError 400 for media it cannot make and for conversations whose function calls do not fit. */
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
  const callCount = request.tools.functions.length === 0 || results.length > 0 ? 0 : (switches.toolCalls ?? 1)
  if (callCount > 0) {
    const step = writeCalls(request.tools.functions, callCount, isThirdGeneration(model))
    if (step.candidates > cap - thoughts) {
      return { ...plainAnswer, thought, thoughts, finishReason: 'MAX_TOKENS' }
    }
    const extras = { finishMessage: 'Model generated function call(s).' }
    return { ...plainAnswer, thought, thoughts, steps: [step], extras }
  }
  const fixed = writeFixed(request)
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

/** JSON and choices, which have their own length; null for free text. */
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
