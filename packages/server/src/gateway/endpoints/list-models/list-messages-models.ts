// The models that a key can call at /v1/messages, in the shape and in the pages that Anthropic's clients ask for.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { MessagesModel, MessagesModelList } from '@fairgate/contracts/info/model-list.ts'
import type { CallableModel } from '../../flow/find-model.ts'

const usualPage = 20
const largestPage = 1000

/** Clients want a time of creation; a constant keeps the reply the same for everybody. */
const createdAt = '2023-02-28T18:56:42Z'

export function describeForMessages({ name, model }: CallableModel): MessagesModel {
  return {
    type: 'model',
    id: name,
    display_name: name,
    created_at: createdAt,
    max_input_tokens: model.contextLimit,
    max_tokens: model.maxOutput,
  }
}

/** `query`: `limit`, and `after_id` or `before_id` of the page before. Throws ApiError `invalid_request` for values that mean nothing. */
export function listMessagesModels(
  callable: readonly CallableModel[],
  query: URLSearchParams,
): MessagesModelList {
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
