// A request in Anthropic's form → the conversation that upstreams are asked. Pure.

import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { CountTokensRequest, MessagesRequest } from '@fairgate/contracts/messages/request.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { Conversation } from '../../../upstream/port.ts'
import { repairHistory } from '../../conversation/repair-history.ts'
import { createToolNames, type ToolNames } from '../../conversation/tool-names.ts'
import { convertMessages, textsOf } from './convert-messages.ts'
import { convertTools } from './convert-tools.ts'

export type Converted = {
  readonly conversation: Conversation
  /** The names of this request's tools as the upstream has them. */
  readonly names: ToolNames
}

type Facts = CountTokensRequest & Partial<MessagesRequest>

/** Throws ApiError `invalid_request` for what cannot be carried to an upstream. */
export function convertRequest(request: Facts, model: CatalogModel): Converted {
  refuseForeign(request)
  const names = createToolNames()
  const tools = convertTools(request, model, names)
  const schema = request.output_config?.format?.schema
  const instructions = textsOf(request.system ?? []).filter(text => !text.startsWith(billingLine))
  const stops = (request.stop_sequences ?? []).filter(stop => stop !== '').slice(0, mostStops)
  return {
    names,
    conversation: {
      model: request.model,
      messages: repairHistory(convertMessages(instructions, request.messages, names, model)),
      ...tools,
      ...convertThinking(request),
      ...(request.max_tokens === undefined ? {} : { max_tokens: request.max_tokens }),
      ...(typeof request.temperature === 'number' ? { temperature: request.temperature } : {}),
      ...(typeof request.top_p === 'number' ? { top_p: request.top_p } : {}),
      ...(request.top_k ? { top_k: Math.min(request.top_k, largestTopK) } : {}),
      ...(stops.length === 0 ? {} : { stop: stops }),
      ...(schema === undefined ? {} : { response_format: { type: 'json_schema', json_schema: { schema } } }),
    },
  }
}

/** Claude Code's first system block. Its version changes with the kind of call, which would spoil the upstream's cache of the prompt. */
const billingLine = 'x-anthropic-billing-header:'
/** The most that the vendor takes. */
const mostStops = 5
const largestTopK = 1000

function refuseForeign({ container, mcp_servers: servers }: Facts): void {
  if (container !== undefined && container !== null)
    throw invalidRequest('container', 'container is not offered here: the gateway runs no code.')
  if (servers !== undefined && servers !== null && !(Array.isArray(servers) && servers.length === 0))
    throw invalidRequest('mcp_servers', 'mcp_servers are not offered here: connect them in your client.')
}

/** Without `thinking` a model of Anthropic does not think, and neither does one of ours as far as it can be told. */
function convertThinking({ thinking, output_config: output }: Facts): Partial<Conversation> {
  if (!thinking || thinking.type === 'disabled') return { reasoning_effort: 'none' }
  const effort = output?.effort ?? null
  const isShown = thinking.display !== 'omitted'
  if (thinking.type !== 'enabled')
    return { ...(effort === null ? {} : { reasoning_effort: effort }), thinking: { budget: 'auto', isShown } }
  const budget = thinking.budget_tokens ?? 'auto'
  return { reasoning_effort: effort ?? effortOf(budget), thinking: { budget, isShown } }
}

/** For models that know no budgets: the level of `reasoning_effort` with about as many tokens. */
function effortOf(budget: number | 'auto') {
  if (budget === 'auto' || budget >= 16_384) return 'high'
  return budget >= 4096 ? 'medium' : 'low'
}
