// GET /v1/models and /v1/models/{id}: lists the models that the calling key may call, aliases included, in OpenAI's format (spec 4.1),
// or in Anthropic's for its clients, which send the header `anthropic-version`.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import {
  type MessagesModel,
  type MessagesModelList,
  type ModelItem,
  messagesModelListSchema,
  messagesModelSchema,
  modelListSchema,
  modelSchema,
} from '@fairgate/contracts/info/model-list.ts'
import Type from 'typebox'
import type { Call } from '../../../http/call.ts'
import { defineRoute } from '../../../http/route.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { freeCallErrors } from '../../flow/call-errors.ts'
import { modelsOfPhase } from '../../flow/check-event.ts'
import { type CallableModel, listCallable, refuseUnknownModel } from '../../flow/find-model.ts'
import type { EndpointParts } from '../endpoint-parts.ts'

/** OpenAI's list needs a creation time; a constant keeps the reply the same for everyone. */
const created = 1_677_610_602

const otherShape = "With the header `anthropic-version` the reply has Anthropic's format."

function isOfAnthropic({ request }: Pick<Call, 'request'>): boolean {
  return request.headers.has('anthropic-version')
}

function describe(id: string): ModelItem {
  return { id, object: 'model', created, owned_by: 'fairgate' }
}

export function listModelsRoutes({ freeCall, catalog, ...parts }: EndpointParts) {
  const listNow = (caller: Caller) => listCallable(catalog, caller, modelsOfPhase(parts))
  const errors = freeCallErrors
  const list = defineRoute<Caller, undefined, undefined>({
    method: 'GET',
    path: '/v1/models',
    tag: 'Models',
    summary: 'List the models this key can call',
    description: `${otherShape} In that format the list only has the models of /v1/messages and accepts \`limit\`, \`after_id\` and \`before_id\`.`,
    replies: { 200: Type.Union([modelListSchema, messagesModelListSchema]) },
    errors: [...errors, 'invalid_request'],
    handle: (caller, call) =>
      freeCall(caller, call, () => {
        const callable = listNow(caller)
        if (isOfAnthropic(call)) return listMessagesModels(callable, new URL(call.request.url).searchParams)
        return { object: 'list', data: callable.map(({ name }) => describe(name)) }
      }),
  })
  const one = defineRoute<Caller, undefined, undefined>({
    method: 'GET',
    path: '/v1/models/:id',
    pathExamples: { id: 'mm-2.5-flash' },
    tag: 'Models',
    summary: 'Get a model that this key can call',
    description: otherShape,
    replies: { 200: Type.Union([modelSchema, messagesModelSchema]) },
    errors: [...errors, 'model_not_found'],
    handle: (caller, call) => {
      const id = call.params.id ?? ''
      const found = listNow(caller).find(({ name }) => name === id)
      if (found === undefined) throw refuseUnknownModel(catalog, caller, id)
      return freeCall(caller, call, () => (isOfAnthropic(call) ? describeForMessages(found) : describe(id)))
    },
  })
  return [list, one]
}

const usualPage = 20
const largestPage = 1000

/** Clients need a creation time; a constant keeps the reply the same for everyone. */
const createdAt = '2023-02-28T18:56:42Z'

function describeForMessages({ name, model }: CallableModel): MessagesModel {
  return {
    type: 'model',
    id: name,
    display_name: name,
    created_at: createdAt,
    max_input_tokens: model.contextLimit,
    max_tokens: model.maxOutput,
  }
}

/** `query`: `limit`, and `after_id` or `before_id` of the previous page. Throws ApiError `invalid_request` for invalid values. */
function listMessagesModels(callable: readonly CallableModel[], query: URLSearchParams): MessagesModelList {
  const models = callable.filter(({ model }) => model.modality === 'chat')
  const limit = readLimit(query.get('limit') || String(usualPage))
  const find = (parameter: string): number | null => {
    const id = query.get(parameter)
    if (!id) return null
    const index = models.findIndex(({ name }) => name === id)
    if (index < 0)
      throw invalidRequest(parameter, `${parameter} is not the id of a model that this key can call.`)
    return index
  }
  const before = find('before_id')
  const start = before === null ? (find('after_id') ?? -1) + 1 : Math.max(0, before - limit)
  const end = before ?? Math.min(start + limit, models.length)
  const data = models.slice(start, end).map(describeForMessages)
  return {
    data,
    has_more: before === null ? end < models.length : start > 0,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  }
}

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= largestPage) return limit
  throw invalidRequest('limit', `limit must be a whole number from 1 to ${largestPage}.`)
}
