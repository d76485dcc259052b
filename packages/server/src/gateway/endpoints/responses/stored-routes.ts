// Reads and deletes stored responses: GET and DELETE /responses/{id}, and its input items. Free, and only for keys of the team.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'
import type { InputItem } from '@fairgate/contracts/responses/input-items.ts'
import {
  type InputItemList,
  inputItemListSchema,
  inputItemsQuerySchema,
  responseDeletedSchema,
  responseQuerySchema,
  responseSchema,
} from '@fairgate/contracts/responses/response.ts'
import type { Static } from 'typebox'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { Store } from '../../../store/store.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { freeCallErrors } from '../../flow/call-errors.ts'
import type { RunFreeCall } from '../../flow/free-call.ts'
import type { KeepResponses } from './keep-responses.ts'
import type { StoredReader } from './read-stored.ts'
import { readResponseId, writeResponseId } from './response-ids.ts'

export type StoredRoutesDependencies = {
  readonly freeCall: RunFreeCall
  readonly responses: {
    readonly keep: Pick<KeepResponses, 'isOn' | 'since'>
    readonly reader: Pick<StoredReader, 'readInput'>
    readonly read: Pick<Store['read'], 'readResponses'>
    readonly write: Pick<Store['write'], 'deleteResponse'>
  }
}

const errors: readonly ErrorCode[] = [...freeCallErrors, 'not_found', 'unavailable']
const tag = 'Responses'
const path = '/v1/responses/:response_id'

export function storedResponsesRoutes({ freeCall, responses }: StoredRoutesDependencies): Route<Caller>[] {
  const { keep, reader, read, write } = responses

  const get = defineRoute<Caller, undefined, typeof responseQuerySchema>({
    method: 'GET',
    path,
    tag,
    summary: 'Get a stored response',
    query: responseQuerySchema,
    replies: { 200: responseSchema },
    errors: [...errors, 'invalid_request'],
    handle: (caller, call) =>
      freeCall(caller, call, async headers => {
        if (call.query.stream === true)
          throw invalidRequest(
            'stream',
            'stream: true is not supported here. Omit it to get the whole response.',
          )
        const id = call.params.response_id
        const callId = requireId(keep, id)
        const place = { teamId: caller.team.teamId, callIds: [callId], since: keep.since, withInput: false }
        const [row] = await read.readResponses(place)
        if (row === undefined) throw refuseMissing(id)
        return new Response(row.response, { headers: { ...headers, 'content-type': 'application/json' } })
      }),
  })

  const deletion = defineRoute<Caller, undefined, undefined>({
    method: 'DELETE',
    path,
    tag,
    summary: 'Delete a stored response',
    description:
      'Deletes the response and its input. Later responses that continue it cannot be continued any longer.',
    replies: { 200: responseDeletedSchema },
    errors,
    handle: (caller, call) =>
      freeCall(caller, call, async () => {
        const id = call.params.response_id
        const callId = requireId(keep, id)
        const isDeleted = await write.deleteResponse({ teamId: caller.team.teamId, callId })
        if (!isDeleted) throw refuseMissing(id)
        return { id: writeResponseId(callId), object: 'response.deleted', deleted: true }
      }),
  })

  const inputItems = defineRoute<Caller, undefined, typeof inputItemsQuerySchema>({
    method: 'GET',
    path: `${path}/input_items`,
    tag,
    summary: "List a stored response's input items",
    description: 'The items of its own request, without those of earlier responses that it continues.',
    query: inputItemsQuerySchema,
    replies: { 200: inputItemListSchema },
    errors: [...errors, 'invalid_request', 'body_bytes_exceeded'],
    handle: (caller, call) =>
      freeCall(caller, call, async () => {
        const id = call.params.response_id
        const callId = requireId(keep, id)
        const { teamId } = caller.team
        const page = await reader.readInput(teamId, callId, items => listPage(items, callId, call.query))
        if (page === null) throw refuseMissing(id)
        return page
      }),
  })

  return [get, deletion, inputItems]
}

/** Throws ApiError `not_found`, also for another team's response. */
function requireId({ isOn }: Pick<KeepResponses, 'isOn'>, id: string | undefined): string {
  const callId = isOn ? readResponseId(id ?? '') : null
  if (callId === null) throw refuseMissing(id)
  return callId
}

function refuseMissing(id: string | undefined): ApiError {
  return new ApiError('not_found', {
    message: `Response with id '${id}' not found. Responses are stored for a limited time, and only for their team.`,
  })
}

const defaultLimit = 20

function listPage(
  items: readonly InputItem[],
  callId: string,
  { limit = defaultLimit, order = 'desc', after }: Static<typeof inputItemsQuerySchema>,
): InputItemList {
  const shown = items.map((item, index) => showItem(item, `in_${callId}_${index}`))
  if (order === 'desc') shown.reverse()
  const start = after === undefined ? 0 : shown.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && start === 0)
    throw invalidRequest('after', 'after must be the id of an input item of this response.')
  const data = shown.slice(start, start + limit)
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + limit < shown.length,
  }
}

/** Messages in the one form that clients read, and every item with an id. */
function showItem(item: InputItem, ownId: string): { readonly id: string } & Record<string, unknown> {
  const id = 'id' in item && typeof item.id === 'string' ? item.id : ownId
  if (!('role' in item)) return { ...item, id }
  const type = item.role === 'assistant' ? 'output_text' : 'input_text'
  const content = typeof item.content === 'string' ? [{ type, text: item.content }] : item.content
  return { status: 'completed', ...item, id, type: 'message', content }
}
