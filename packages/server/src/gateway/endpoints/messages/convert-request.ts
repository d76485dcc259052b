// Converts a request in Anthropic's format, with its tools, to the conversation for the upstream. Pure.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type {
  CountTokensRequest,
  MessagesRequest,
  MessagesTool,
} from '@fairgate/contracts/messages/request.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { Conversation } from '../../../upstream/port.ts'
import { convertThinking } from '../../conversation/convert-thinking.ts'
import { repairHistory } from '../../conversation/repair-history.ts'
import { createToolNames, type ToolNames } from '../../conversation/tool-names.ts'
import { convertMessages, textsOf } from './convert-messages.ts'

export type Converted = {
  readonly conversation: Conversation
  /** The names of this request's tools for the upstream. */
  readonly names: ToolNames
}

type Facts = CountTokensRequest & Partial<MessagesRequest>

/** Throws ApiError `invalid_request` for anything that cannot be passed to an upstream. */
export function convertRequest(request: Facts, model: CatalogModel): Converted {
  refuseForeign(request)
  const names = createToolNames()
  const tools = convertTools(request, model, names)
  const schema = request.output_config?.format?.schema
  const instructions = textsOf(request.system ?? []).filter(text => !text.startsWith(billingLine))
  const stops = (request.stop_sequences ?? []).filter(stop => stop !== '').slice(0, maxStops)
  return {
    names,
    conversation: {
      model: request.model,
      messages: repairHistory(convertMessages(instructions, request.messages, names, model)),
      ...tools,
      ...readThinking(request),
      ...(request.max_tokens === undefined ? {} : { max_tokens: request.max_tokens }),
      ...(typeof request.temperature === 'number' ? { temperature: request.temperature } : {}),
      ...(typeof request.top_p === 'number' ? { top_p: request.top_p } : {}),
      ...(request.top_k ? { top_k: Math.min(request.top_k, largestTopK) } : {}),
      ...(stops.length === 0 ? {} : { stop: stops }),
      ...(schema === undefined ? {} : { response_format: { type: 'json_schema', json_schema: { schema } } }),
    },
  }
}

/** Claude Code's first system block. Its version changes with the kind of call, which would spoil the upstream's prompt cache. */
const billingLine = 'x-anthropic-billing-header:'
/** The vendor's maximum. */
const maxStops = 5
const largestTopK = 1000

/** Throws ApiError `invalid_request`. */
export function refuseForeign({ container, mcp_servers: servers }: Facts): void {
  if (container !== undefined && container !== null)
    throw invalidRequest('container', 'container is not supported: the gateway does not run code.')
  if (servers !== undefined && servers !== null && !(Array.isArray(servers) && servers.length === 0))
    throw invalidRequest('mcp_servers', 'mcp_servers is not supported. Connect MCP servers in your client.')
}

/** Without `thinking` a model of Anthropic does not think, and neither does one of ours if it can be turned off. */
function readThinking({ thinking, output_config: output }: Facts): Partial<Conversation> {
  if (!thinking) return { reasoning_effort: 'none' }
  return convertThinking(thinking, output?.effort ?? null, thinking.display !== 'omitted')
}

export type ConvertedTools = Pick<
  Conversation,
  'tools' | 'tool_choice' | 'parallel_tool_calls' | 'web_search_options'
>

/** Claude Code declares it so that deferred tools stay on; it is never called. */
const placeholder = 'DeferredToolPlaceholder'

/**
 * Tools that Anthropic runs itself are left out if the client has tools of its own. Alone, web search becomes the model's own if it
 * has one. Throws ApiError `invalid_request` for other such tools without any of the client, and for an impossible choice.
 */
function convertTools(
  { tools: asked, tool_choice: choice }: Pick<CountTokensRequest, 'tools' | 'tool_choice'>,
  model: CatalogModel,
  names: ToolNames,
): ConvertedTools {
  const given = (asked ?? []).map((tool, index) => ({ ...tool, place: `tools[${index}]` }))
  const declared = given.filter(({ name }) => name !== placeholder)
  const tools = declared.filter(isOfClient).map(tool => declare(tool, names))
  if (new Set(tools.map(tool => tool.function.name)).size < tools.length)
    throw invalidRequest('tools', 'tools: Tool names must be unique.')
  if (tools.length > 0) {
    const isOneAtATime = choice && choice.type !== 'none' && choice.disable_parallel_tool_use === true
    return {
      tools,
      ...(choice ? { tool_choice: convertChoice(choice, tools, names) } : {}),
      ...(isOneAtATime ? { parallel_tool_calls: false } : {}),
    }
  }
  const foreign = declared.find(tool => !isOfWeb(tool))
  if (foreign !== undefined) {
    const shown = (foreign.type ?? '').slice(0, 100)
    const message = `Tools of type '${shown}' are not offered. Declare a tool with name and input_schema, and run it in your client.`
    throw invalidRequest(`${foreign.place}.type`, message)
  }
  const isSearching = declared.length > 0 && model.price.tiers[0].rates.search !== undefined
  if (!isSearching && (choice?.type === 'any' || choice?.type === 'tool'))
    throw invalidRequest('tool_choice', 'tool_choice asks for a call, but there are no tools.')
  return isSearching ? { web_search_options: {} } : {}
}

function isOfClient({ type }: MessagesTool): boolean {
  return !type || type === 'custom'
}

function isOfWeb({ type }: MessagesTool): boolean {
  return /^web_(?:search|fetch)_/.test(type ?? '')
}

function declare(
  { name, description, input_schema: schema, place }: MessagesTool & { readonly place: string },
  names: ToolNames,
) {
  if (!name) throw invalidRequest(`${place}.name`, `${place}.name is required.`)
  return {
    type: 'function' as const,
    function: {
      name: names.toInner(name),
      ...(description ? { description } : {}),
      ...(schema ? { parameters: schema } : {}),
    },
  }
}

type Choice = NonNullable<CountTokensRequest['tool_choice']>

function convertChoice(
  choice: Choice,
  tools: NonNullable<ConvertedTools['tools']>,
  names: ToolNames,
): NonNullable<ConvertedTools['tool_choice']> {
  switch (choice.type) {
    case 'auto':
    case 'none':
      return choice.type
    case 'any':
      return 'required'
    case 'tool': {
      const name = names.toInner(choice.name)
      if (!tools.some(tool => tool.function.name === name))
        throw invalidRequest('tool_choice.name', 'tool_choice.name is not among the tools.')
      return { type: 'function', function: { name } }
    }
  }
}
