// Reads the settings of an answer in Anthropic's Messages: its cap, thinking, sampling, stop sequences and format.
import { isObject, type Json } from '../json.ts'
import type { GenerateRequest } from '../read-request.ts'
import { VendorError } from '../vendor-error.ts'
import { refuseMember } from './anthropic-error.ts'
import type { ClaudeModel } from './models.ts'
import { requireMember } from './read-content.ts'

/** `isShown` is false if only a signature is sent. */
export type Thinking = { readonly tokens: number; readonly isShown: boolean }

const leastBudget = 1_024
/** The API's sentences about thinking end with it. */
export const thinkingDocs =
  'Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking'

/** 0 only fills the prompt cache. */
export function readCap(cap: unknown, { id, maxOutput }: ClaudeModel): number {
  if (cap === undefined) throw refuseMember('max_tokens', 'Field required')
  if (typeof cap !== 'number' || !Number.isSafeInteger(cap))
    throw refuseMember('max_tokens', 'Input should be a valid integer')
  if (cap < 0) throw refuseMember('max_tokens', 'Input should be greater than or equal to 0')
  if (cap > maxOutput)
    throw refuseMember(
      'max_tokens',
      `${cap} > ${maxOutput}, which is the maximum allowed number of output tokens for ${id}`,
    )
  return cap
}

/** The sandbox thinks little: at most 32 tokens of a budget. */
const maxThoughts = 32
const effortTokens: Readonly<Record<string, number>> = { low: 8, medium: 16, high: 32, xhigh: 48, max: 64 }

export function readThinking(
  body: Json,
  cap: number,
  { isNew }: ClaudeModel,
  isCount: boolean,
): Thinking | null {
  if (body.thinking === undefined || body.thinking === null) return null
  const { type, budget_tokens: budget, display } = requireMember(body.thinking, 'thinking')
  const isShown = display !== 'omitted'
  switch (type) {
    case 'disabled':
      return null
    case 'between_tools':
      return null
    case 'adaptive': {
      const effort = isObject(body.output_config) ? body.output_config.effort : undefined
      return { tokens: effortTokens[String(effort ?? 'high')] ?? 0, isShown }
    }
    case 'enabled':
      break
    default:
      throw refuseMember(
        'thinking',
        `Input tag '${String(type)}' found using 'type' does not match any of the expected tags: 'adaptive', 'between_tools', 'disabled', 'enabled'`,
      )
  }
  if (isNew)
    throw new VendorError(
      400,
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    )
  if (typeof budget !== 'number' || !Number.isSafeInteger(budget))
    throw refuseMember('thinking.enabled.budget_tokens', 'Field required')
  if (budget < leastBudget)
    throw refuseMember(
      'thinking.enabled.budget_tokens',
      `Input should be greater than or equal to ${leastBudget}`,
    )
  if (!isCount && budget >= cap)
    throw new VendorError(
      400,
      `\`max_tokens\` must be greater than \`thinking.budget_tokens\`. ${thinkingDocs}`,
    )
  return { tokens: Math.min(budget, maxThoughts), isShown }
}

export function checkSampling(body: Json, { isNew }: ClaudeModel, isThinking: boolean): void {
  const { temperature, top_p: topP, top_k: topK } = body
  for (const [name, value] of Object.entries({ temperature, top_p: topP })) {
    if (value === undefined) continue
    if (typeof value !== 'number') throw refuseMember(name, 'Input should be a valid number')
    if (value < 0 || value > 1) throw refuseMember(name, 'range: 0..1')
  }
  for (const [name, value] of Object.entries({ temperature, top_p: topP, top_k: topK })) {
    const isUsual = value === undefined || (name !== 'top_k' && value === 1)
    if (isNew && !isUsual) throw new VendorError(400, `\`${name}\` is deprecated for this model.`)
  }
  if (!isThinking) {
    if (temperature !== undefined && topP !== undefined && !isNew)
      throw new VendorError(
        400,
        '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
      )
    return
  }
  if (temperature !== undefined && temperature !== 1)
    throw new VendorError(
      400,
      `\`temperature\` may only be set to 1 when thinking is enabled. ${thinkingDocs}`,
    )
  if (typeof topP === 'number' && topP < 0.95)
    throw new VendorError(
      400,
      `\`top_p\` must be greater than or equal to 0.95 or unset when thinking is enabled. ${thinkingDocs}`,
    )
  if (topK !== undefined)
    throw new VendorError(400, `\`top_k\` must be unset when thinking is enabled. ${thinkingDocs}`)
}

export function readStops(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw refuseMember('stop_sequences', 'Input should be a valid list')
  const isGood = (stop: unknown): stop is string => typeof stop === 'string' && stop.trim() !== ''
  if (!value.every(isGood))
    throw refuseMember('stop_sequences', 'each stop sequence must contain non-whitespace')
  return value
}

export function readFormat(config: unknown): GenerateRequest['format'] {
  const format = isObject(config) ? config.format : undefined
  if (format === undefined || format === null) return { mimeType: null, schema: null }
  const { type, schema } = requireMember(format, 'output_config.format')
  if (type !== 'json_schema') throw refuseMember('output_config.format.type', "Input should be 'json_schema'")
  checkClosed(requireMember(schema, 'output_config.format.schema'))
  return { mimeType: 'application/json', schema }
}

/** Every object of an output's schema must say that it has no other members. */
function checkClosed(schema: unknown): void {
  if (Array.isArray(schema)) for (const item of schema) checkClosed(item)
  if (!isObject(schema)) return
  if (schema.type === 'object' && schema.additionalProperties !== false)
    throw refuseMember(
      'output_config.format.schema',
      "For 'object' type, 'additionalProperties' must be explicitly set to false",
    )
  for (const [name, member] of Object.entries(schema))
    if (name !== 'enum' && name !== 'const') checkClosed(member)
}
