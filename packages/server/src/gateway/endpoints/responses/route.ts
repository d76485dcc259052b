// POST /responses and /responses/compact: one turn in OpenAI's Responses dialect, whole or streamed, which may continue stored responses.

import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import {
  type CompactRequest,
  compactRequestSchema,
  type ResponsesRequest,
  responsesRequestSchema,
} from '@fairgate/contracts/responses/request.ts'
import {
  compactedResponseSchema,
  responseEventSchema,
  responseSchema,
} from '@fairgate/contracts/responses/response.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { Call } from '../../../http/call.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { ChatResult } from '../../../upstream/port.ts'
import { answerTurn, explainFault, type TurnDependencies } from '../../conversation/answer-turn.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { paidCallErrors } from '../../flow/call-errors.ts'
import { findAllowedModel } from '../../flow/find-model.ts'
import type { Results } from '../../flow/paid-call.ts'
import { type AnswerForm, AnswerItems, listEvents } from './answer-items.ts'
import type { KeepResponses, KeptResponse } from './keep-responses.ts'
import { listItems, refersToStored, type StoredReader } from './read-stored.ts'
import { readResponseId, writeResponseId } from './response-ids.ts'
import { buildFrame, buildResponse, buildResponsesUsage, ResponseWriter } from './response-writer.ts'
import { showsReasoning, translateRequest } from './translate-request.ts'
import { nameInRequest, writeResponsesError } from './write-responses-error.ts'

export type ResponsesDependencies = TurnDependencies & {
  readonly responses: {
    readonly keep: Pick<KeepResponses, 'isOn' | 'prepare'>
    readonly reader: Pick<StoredReader, 'expand'>
  }
}

const errors = [...paidCallErrors, 'not_found'] as const

/** The paid routes. */
export function responsesRoutes(dependencies: ResponsesDependencies): Route<Caller>[] {
  const { catalog, maxBodyBytes } = dependencies
  const { keep, reader } = dependencies.responses

  /** Most requests refer to nothing, and wait for nothing here. */
  const expand = (
    caller: Caller,
    call: Call,
    request: ResponsesRequest,
    use: (request: ResponsesRequest, earlier: number) => Promise<Response>,
  ): Promise<Response> => {
    if (!refersToStored(request)) return use(request, 0)
    const sentBytes = Number(call.request.headers.get('content-length') ?? 0)
    return reader.expand(caller.team.teamId, request, sentBytes, expanded =>
      use(expanded.request, expanded.earlier),
    )
  }

  const create = defineRoute<Caller, typeof responsesRequestSchema, undefined>({
    method: 'POST',
    path: '/v1/responses',
    tag,
    summary: "Create a response in OpenAI's Responses format",
    description:
      'For Codex and newer SDKs. With `stream: true` the reply is `text/event-stream` with typed events; the last one has usage and the cost in US ' +
      'dollars as `usage.cost`. Whole answers have the cost in `x-gateway-response-cost`. ' +
      'Unless `store` is false, the response is stored for a limited time before the answer ends: `previous_response_id` continues it, and items of the type ' +
      '`item_reference` refer to its output. Only keys of the same team can read it. Otherwise send all earlier items in `input`, including reasoning items ' +
      'with their `encrypted_content`, which carry model state. ' +
      'Functions, namespaces of functions and custom tools (free text) are passed to the model; the only built-in tool is web search, if the ' +
      'model has a price for it and no functions are declared. Tools of unknown types are ignored. The reply does not repeat `instructions` and `tools`. ' +
      'Codex and opencode, which retry by rules of their own, get some errors with another status or code: a spent budget with 400, a model that is not allowed with 404, model provider trouble with 503 `server_is_overloaded`, and a conversation that is too long ' +
      'with 400 `context_length_exceeded`.',
    body: responsesRequestSchema,
    maxBodyBytes,
    replies: { 200: [responseSchema, responseEventSchema] },
    replyHeaders: ['x-gateway-output-cap', 'cache-control', 'x-accel-buffering'],
    errors,
    writeError: writeResponsesError,
    handle: (caller, call) => {
      const { body: sent, callId } = call
      const model = findAllowedModel(catalog, caller, sent.model, 'chat')
      const isKept = keep.isOn && sent.store !== false
      return expand(caller, call, sent, (request, earlier) => {
        const { conversation, tools, isCompaction, places } = translateRequest(request, model, earlier)
        // What comes before a compaction is not needed to continue from it, and may be deleted.
        const previous = isCompaction ? null : sent.previous_response_id
        const prepare = (): KeptResponse | null =>
          isKept
            ? keep.prepare(originOf(caller, callId, previous), JSON.stringify(listItems(sent.input)))
            : null
        const form = { ...describeForm(request, model), tools, isCompaction }
        return answerTurn(dependencies, caller, call, {
          endpoint: 'responses',
          model,
          conversation,
          isStreamed: request.stream === true,
          createWriter: () => new ResponseWriter(request, form, callId, prepare()),
          buildBody: (results, created) => {
            const answer = readAnswer(results, form, callId)
            const response = buildResponse(buildFrame(request, callId, created), answer)
            const kept = prepare()
            if (kept === null) return response
            const stored = { ...response, store: true }
            return kept.store(stored).then(isStored => (isStored ? stored : response))
          },
          explainImage: failure => nameInRequest(failure, places),
        })
      })
    },
  })

  const compact = defineRoute<Caller, typeof compactRequestSchema, undefined>({
    method: 'POST',
    path: '/v1/responses/compact',
    tag,
    summary: 'Compact a conversation',
    description:
      'The model summarises the conversation. The answer has one `compaction` item, which replaces the earlier items in the `input` of later requests. ' +
      'It is charged like any answer (`x-gateway-response-cost`) and not stored.',
    body: compactRequestSchema,
    maxBodyBytes,
    replies: { 200: compactedResponseSchema },
    replyHeaders: ['x-gateway-output-cap'],
    errors,
    writeError: writeResponsesError,
    handle: (caller, call) => {
      const { body, callId } = call
      const model = findAllowedModel(catalog, caller, body.model, 'chat')
      return expand(caller, call, askForCompaction(body), (request, earlier) => {
        const { conversation, tools, isCompaction, places } = translateRequest(request, model, earlier)
        const form = { ...describeForm(request, model), tools, isCompaction }
        return answerTurn(dependencies, caller, call, {
          endpoint: 'responses',
          model,
          conversation,
          isStreamed: false,
          createWriter: () => new ResponseWriter(request, form, callId),
          buildBody: (results, created_at) => {
            const { output, usage } = readAnswer(results, form, callId)
            return { id: writeResponseId(callId), object: 'response.compaction', created_at, output, usage }
          },
          explainImage: failure => nameInRequest(failure, places),
        })
      })
    },
  })

  return [create, compact]
}

const tag = 'Responses'

function originOf({ team }: Caller, callId: string, previous: string | null | undefined) {
  return { teamId: team.teamId, callId, previousCallId: previous ? readResponseId(previous) : null }
}

function describeForm(
  request: ResponsesRequest,
  model: CatalogModel,
): Pick<AnswerForm, 'model' | 'showsReasoning' | 'hasOneCall'> {
  return {
    model,
    showsReasoning: showsReasoning(request.reasoning?.summary),
    hasOneCall: request.parallel_tool_calls === false,
  }
}

/** Throws ApiError for an answer that cannot be used. */
function readAnswer(results: Results<ChatResult>, form: AnswerForm, callId: string) {
  const items = new AnswerItems(form, callId, ignore)
  for (const choice of results[0].choices.slice(0, 1))
    for (const event of listEvents(choice)) items.take(event)
  if (items.fault !== null) throw explainFault(items.fault)
  const usage = buildResponsesUsage(
    results.map(result => result.usage),
    null,
  )
  const { output, finish } = items
  return { output, finish, usage }
}

const ignore = () => undefined

/** As Codex's other way to ask for it: the last item is the trigger. */
function askForCompaction({ input, ...rest }: CompactRequest): ResponsesRequest {
  if ((input ?? null) === null && !rest.previous_response_id)
    throw invalidRequest('input', 'input or previous_response_id is required: there is nothing to compact.')
  const items = listItems(input ?? [])
  const last = items.at(-1)?.type === 'compaction_trigger' ? [] : [{ type: 'compaction_trigger' } as const]
  return { ...rest, input: [...items, ...last] }
}
