// The tools of a request in Anthropic's form → functions, the choice among them, and search of the web.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { CountTokensRequest, MessagesTool } from '@fairgate/contracts/messages/request.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { Conversation } from '../../../upstream/port.ts'
import type { ToolNames } from '../../conversation/tool-names.ts'

export type ConvertedTools = Pick<
  Conversation,
  'tools' | 'tool_choice' | 'parallel_tool_calls' | 'web_search_options'
>

/** Claude Code declares it so that deferred tools stay on; nobody may call it. */
const placeholder = 'DeferredToolPlaceholder'

/**
 * Tools that Anthropic itself runs are left out beside tools of the client. Alone, search of the web becomes the model's own where it
 * has one. Throws ApiError `invalid_request` for other such tools without any of the client, and for a choice that cannot be made.
 */
export function convertTools(
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
    throw invalidRequest(`${foreign.place}.type`, `A tool of the type '${shown}' is not offered here.`)
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
