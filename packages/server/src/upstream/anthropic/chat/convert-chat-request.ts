// Converts a chat request to the body of Anthropic's Messages. Only members of our own schema are sent.
import type { Tool, ToolChoice } from '@fairgate/contracts/chat/tools.ts'
import type { ChatCall, Conversation } from '../../port.ts'
import { buildMessages, type Turn } from './build-messages.ts'
import { buildThinking } from './build-thinking.ts'
import { limitSchema } from './limit-schema.ts'
import { toInnerName } from './tool-names.ts'

/** The members that are input, for counting them too. */
type MessagesInput = {
  readonly model: string
  readonly messages: readonly Turn[]
  readonly [member: string]: unknown
}

/** Throws ApiError `invalid_request` for media that the API does not read. */
export function convertInput(call: ChatCall): MessagesInput {
  const { request, model } = call
  const { system, messages } = buildMessages(request.messages)
  const choice = request.tool_choice ?? null
  const { thinking, effort } = buildThinking(call, messages, isForcing(choice))
  const format = buildFormat(request)
  const instructions = request.response_format?.type === 'json_object' ? [...system, jsonOnly] : system
  const config = { ...(effort === undefined ? {} : { effort }), ...(format === null ? {} : { format }) }
  return {
    model: model.upstreamId,
    messages,
    ...(instructions.length === 0 ? {} : { system: instructions }),
    ...buildTools(request, messages),
    ...(thinking === undefined ? {} : { thinking }),
    ...(Object.keys(config).length === 0 ? {} : { output_config: config }),
  }
}

export function convertChatRequest(call: ChatCall, isStream: boolean): object {
  const { request, outputCap } = call
  const input = convertInput(call)
  const stops = [request.stop ?? []].flat().filter(stop => stop.trim() !== '')
  return {
    ...input,
    max_tokens: outputCap,
    ...buildSampling(call, input.thinking !== undefined),
    ...(stops.length === 0 ? {} : { stop_sequences: stops }),
    ...(isStream ? { stream: true } : {}),
  }
}

/** The API takes no seed, penalties or log probabilities. Models with levels, and those that think, take no sampling either. */
function buildSampling({ request, model }: ChatCall, isThinking: boolean): object {
  if (model.reasoning === 'level' || isThinking) return {}
  const { temperature, top_p: topP, top_k: topK } = request
  const isWarm = typeof temperature === 'number'
  return {
    ...(isWarm ? { temperature: Math.min(temperature, 1) } : {}),
    // Only one of the two is allowed.
    ...(typeof topP === 'number' && !isWarm ? { top_p: topP } : {}),
    ...(typeof topK === 'number' ? { top_k: topK } : {}),
  }
}

const jsonOnly = {
  type: 'text',
  text: 'Your final answer must be a JSON object and nothing else, without Markdown.',
} as const

function buildFormat({ response_format: format }: Conversation): object | null {
  if (format?.type !== 'json_schema') return null
  return { type: 'json_schema', schema: limitSchema(format.json_schema.schema) }
}

function isForcing(choice: ToolChoice | null): boolean {
  if (choice === null || choice === 'auto' || choice === 'none') return false
  return choice === 'required' || choice.type === 'function' || choice.allowed_tools.mode === 'required'
}

/** A conversation with calls must declare tools, even if the client no longer does. */
function buildTools(request: Conversation, turns: readonly Turn[]): object {
  const tools = listAllowed(request)
  if (tools.length === 0) {
    const called = new Set(
      turns.flatMap(({ content }) =>
        content.flatMap(({ type, name }) => (type === 'tool_use' ? [name] : [])),
      ),
    )
    if (called.size === 0) return {}
    return {
      tools: [...called].map(name => ({ name, input_schema: { type: 'object' } })),
      tool_choice: { type: 'none' },
    }
  }
  const choice = convertChoice(request.tool_choice ?? null)
  const isOneAtATime = request.parallel_tool_calls === false && choice?.type !== 'none'
  return {
    tools: tools.map(({ function: { name, description, parameters } }) => ({
      name: toInnerName(name),
      ...(description ? { description } : {}),
      input_schema: parameters?.type === 'object' ? parameters : { ...parameters, type: 'object' },
    })),
    ...(choice === null && !isOneAtATime
      ? {}
      : {
          tool_choice: {
            ...(choice ?? { type: 'auto' }),
            ...(isOneAtATime ? { disable_parallel_tool_use: true } : {}),
          },
        }),
  }
}

/** The API has no list of allowed tools, so the others are not declared. */
function listAllowed({ tools, tool_choice: choice }: Conversation): readonly Tool[] {
  const declared = tools ?? []
  if (!choice || typeof choice === 'string' || choice.type === 'function') return declared
  const allowed = new Set(choice.allowed_tools.tools.map(({ function: { name } }) => name))
  return declared.filter(({ function: { name } }) => allowed.has(name))
}

function convertChoice(choice: ToolChoice | null): { readonly type: string; readonly name?: string } | null {
  if (choice === null) return null
  if (choice === 'auto' || choice === 'none') return { type: choice }
  if (choice === 'required') return { type: 'any' }
  if (choice.type === 'function') return { type: 'tool', name: toInnerName(choice.function.name) }
  return { type: choice.allowed_tools.mode === 'required' ? 'any' : 'auto' }
}
