// Reads the body of Anthropic's Messages: checks it as the API does, and turns it into what the plan of the other dialects reads.
import { isObject, type Json } from '../json.ts'
import type { GenerateRequest } from '../read-request.ts'
import { VendorError } from '../vendor-error.ts'
import { refuseMember } from './anthropic-error.ts'
import { checkToolPairs } from './check-tool-pairs.ts'
import { listBlocks } from './list-blocks.ts'
import { listTurns } from './list-turns.ts'
import { type ClaudeModel, findClaude } from './models.ts'
import type { PromptBlock } from './prompt-cache.ts'
import {
  type ReadBlock,
  type Role,
  readBlocks,
  requireMember,
  requireText,
  sumTokens,
} from './read-content.ts'
import {
  checkSampling,
  readCap,
  readFormat,
  readStops,
  readThinking,
  type Thinking,
  thinkingDocs,
} from './read-settings.ts'
import { readTools } from './read-tools.ts'

export type MessagesRequest = {
  readonly model: ClaudeModel
  /** The same request as the vendor's dialect would state it. */
  readonly asked: GenerateRequest
  /** In the order in which the prompt cache reads them. */
  readonly blocks: readonly PromptBlock[]
  readonly promptTokens: number
  readonly isStream: boolean
  /** Null without thinking. */
  readonly thinking: Thinking | null
  readonly stopSequences: readonly string[]
  /** The tool choice allows one call only. */
  readonly isSingleCall: boolean
}

export type Message = {
  readonly role: Role
  readonly content: readonly Json[]
  readonly blocks: readonly ReadBlock[]
}

const names = new Set([
  'model',
  'messages',
  'max_tokens',
  'system',
  'metadata',
  'stop_sequences',
  'stream',
  'tools',
  'tool_choice',
  'thinking',
  'service_tier',
  'container',
  'output_config',
  'inference_geo',
  'cache_control',
  'diagnostics',
  'speed',
])
const samplingNames = ['temperature', 'top_k', 'top_p']
/** Members of betas, which need a header. */
const betaNames = new Set(['context_management', 'mcp_servers', 'output_format', 'fallbacks', 'thread'])
/** Members that a token count does not take. */
const answerNames = ['max_tokens', 'stream', 'metadata', 'stop_sequences', 'service_tier', 'container']

export type ReadOptions = {
  /** The header `anthropic-beta`; null without one. */
  readonly beta: string | null
  /** The API's version of 2026-10-21 has no sampling parameters. */
  readonly isNewest: boolean
  readonly isCount: boolean
}

/** Throws VendorError 400 for what the API refuses, and 404 for unknown models. */
export function readMessages(body: Json, { beta, isNewest, isCount }: ReadOptions): MessagesRequest {
  for (const name of Object.keys(body)) {
    const isKnown =
      names.has(name) || (beta !== null && betaNames.has(name)) || (!isNewest && samplingNames.includes(name))
    if (!isKnown || (isCount && answerNames.includes(name)))
      throw refuseMember(name, 'Extra inputs are not permitted')
  }
  const model = findClaude(requireText(body.model, 'model'))
  const cap = isCount ? 1 : readCap(body.max_tokens, model)
  const thinking = readThinking(body, cap, model, isCount)
  checkSampling(body, model, thinking !== null)
  const tools = readTools(body, thinking !== null)
  // An empty instruction is none.
  const hasSystem = body.system !== undefined && body.system !== null && body.system !== ''
  const system = hasSystem ? readParts(body.system, 'system', 'system') : { content: [], blocks: [] }
  const messages = readConversation(body.messages, beta ?? '')
  checkToolPairs(messages)
  const hasCalls = messages.some(({ blocks }) => blocks.some(({ type }) => /^tool_/.test(type)))
  if (hasCalls && body.tools === undefined)
    throw new VendorError(400, 'Requests which include `tool_use` or `tool_result` blocks must define tools.')
  checkEnd(messages, { body, model })
  const blocks = listBlocks(body, system, messages)
  const promptTokens = sumTokens(blocks)
  if (promptTokens > model.contextLimit)
    throw new VendorError(400, `prompt is too long: ${promptTokens} tokens > ${model.contextLimit} maximum`)
  const turns = listTurns(messages)
  return {
    model,
    asked: {
      texts: turns.flatMap(({ texts }) => texts),
      lastText: (messages.at(-1)?.blocks ?? []).map(({ text }) => text).join('\n'),
      turns,
      textTokens: promptTokens,
      media: [],
      hasInstruction: hasSystem,
      maxOutputTokens: cap,
      thinking: { tokens: thinking?.tokens ?? 0, isShown: true },
      tools: { ...tools.asked, tokens: 0 },
      format: readFormat(body.output_config),
      logprobs: null,
      modalities: null,
      config: {},
    },
    blocks,
    promptTokens,
    isStream: body.stream === true,
    thinking,
    stopSequences: readStops(body.stop_sequences),
    isSingleCall: tools.isSingleCall,
  }
}

const roles: readonly Role[] = ['user', 'assistant', 'system']

function readConversation(value: unknown, beta: string): readonly Message[] {
  if (value === undefined) throw refuseMember('messages', 'Field required')
  if (!Array.isArray(value)) throw refuseMember('messages', 'Input should be a valid list')
  if (value.length === 0) throw refuseMember('messages', 'at least one message is required')
  const messages = value.map((item, index): Message => {
    const place = `messages.${index}`
    const { role: given, content, ...others } = requireMember(item, place)
    const role = roles.find(known => known === given)
    if (role === undefined) throw refuseMember(`${place}.role`, "Input should be 'user' or 'assistant'")
    const [other] = Object.keys(others)
    const isControl = role === 'system' && other === 'output_config' && beta.includes('per-turn-control')
    if (other !== undefined && !isControl)
      throw refuseMember(`${place}.${other}`, 'Extra inputs are not permitted')
    const isLast = index === value.length - 1
    const isEmpty = content === '' || (Array.isArray(content) && content.length === 0)
    if (isEmpty && role === 'assistant' && isLast) return { role, content: [], blocks: [] }
    if (isEmpty) throw refuseMember(place, `${role} messages must have non-empty content`)
    return { role, ...readParts(content, role, `${place}.content`) }
  })
  if (messages.find(({ role }) => role !== 'system')?.role === 'assistant')
    throw refuseMember('messages', 'first message must use the "user" role')
  return messages
}

function readParts(content: unknown, role: Role, place: string): Pick<Message, 'content' | 'blocks'> {
  if (content === undefined) throw refuseMember(place, 'Field required')
  const blocks = readBlocks(content, role, place)
  const list = Array.isArray(content) ? content.filter(isObject) : [{ type: 'text', text: content }]
  return { content: list, blocks }
}

/** How a conversation may end. Throws VendorError 400. */
function checkEnd(messages: readonly Message[], { body, model }: { body: Json; model: ClaudeModel }): void {
  const last = messages.at(-1)
  const thinking = isObject(body.thinking) ? body.thinking.type : undefined
  if (last?.role === 'assistant') {
    if (model.isNew)
      throw new VendorError(
        400,
        'This model does not support assistant message prefill. The conversation must end with a user message.',
      )
    const text = last.blocks.at(-1)?.text ?? ''
    if (/\s$/.test(text))
      throw refuseMember('messages', 'final assistant content cannot end with trailing whitespace')
  }
  const index = messages.findLastIndex(({ role }) => role === 'assistant')
  const answer = messages[index]
  const isInLoop =
    answer?.blocks.some(({ type }) => type === 'tool_use') === true && index >= messages.length - 2
  const first = answer?.blocks[0]?.type ?? ''
  if (thinking === 'enabled' && isInLoop && !/thinking$/.test(first))
    throw refuseMember(
      `messages.${index}.content.0.type`,
      `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. ${thinkingDocs}`,
    )
}
