// embeddings of an OpenAI-compatible upstream: vectors as numbers or as Base64 of 32-bit floats.
import { countTokens } from '../count-tokens.ts'
import { invalid, isObject } from '../json.ts'
import { embed } from '../kinds/embed.ts'
import type { OpenaiCall } from './openai-call.ts'

const usualDimensions = 1_536

/** Throws VendorError 400 without an input. */
export function answerEmbeddings({ body, model, tools }: OpenaiCall): Response {
  const inputs = readInputs(body.input)
  const dimensions = body.dimensions ?? usualDimensions
  if (typeof dimensions !== 'number' || !Number.isSafeInteger(dimensions) || dimensions < 1) {
    throw invalid("'dimensions' must be a positive integer.")
  }
  const prompt = inputs.reduce((sum, input) => sum + input.tokens, 0)
  tools.counters.bill(model, { prompt, cached: 0, candidates: 0, thoughts: 0 })
  const data = inputs.map(({ text }, index) => {
    const vector = embed(text, Math.min(dimensions, 4_096))
    const embedding =
      body.encoding_format === 'base64'
        ? Buffer.from(Float32Array.from(vector).buffer).toString('base64')
        : vector
    return { object: 'embedding', index, embedding }
  })
  return Response.json({
    object: 'list',
    data,
    model,
    usage: { prompt_tokens: prompt, total_tokens: prompt },
  })
}

type Input = { readonly text: string; readonly tokens: number }

/** A text, several texts, one list of token numbers, or several lists. */
function readInputs(input: unknown): Input[] {
  const isNumbers = (value: unknown): value is number[] =>
    Array.isArray(value) && value.length > 0 && value.every(item => typeof item === 'number')
  const values: unknown[] = Array.isArray(input) && !isNumbers(input) ? input : [input]
  if (values.length === 0 || isObject(input)) throw invalid("'input' is required.")
  return values.map(value => {
    if (isNumbers(value)) return { text: value.join(' '), tokens: value.length }
    if (typeof value === 'string' && value !== '') return { text: value, tokens: countTokens(value) }
    throw invalid("'input' must be a text, a list of texts, or a list of token numbers.")
  })
}
