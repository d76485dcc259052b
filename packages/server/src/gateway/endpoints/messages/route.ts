// POST /v1/messages and /v1/messages/count_tokens: a turn of a conversation in Anthropic's format, and the size of its input.
import {
  type CountTokensRequest,
  countTokensRequestSchema,
  type MessagesRequest,
  messagesRequestSchema,
} from '@fairgate/contracts/messages/request.ts'
import {
  messageEventSchema,
  messageSchema,
  relayedMessageSchema,
  tokenCountSchema,
} from '@fairgate/contracts/messages/response.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import { hasFiles } from '../../../files/inline-files.ts'
import type { Call } from '../../../http/call.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { RouteFamily } from '../../../http/route-family.ts'
import type { ChatResult, Conversation } from '../../../upstream/port.ts'
import { hasRemoteImages } from '../../../upstream/remote-media/create-image-inliner.ts'
import { answerTurn, explainFault } from '../../conversation/answer-turn.ts'
import { planChat } from '../../conversation/plan-chat.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { freeCallErrors, paidCallErrors, upstreamErrors } from '../../flow/call-errors.ts'
import { findAllowedModel } from '../../flow/find-model.ts'
import type { EndpointParts } from '../endpoint-parts.ts'
import { type AnswerForm, buildMessage } from './build-message.ts'
import { convertRequest } from './convert-request.ts'
import { MessageWriter } from './message-writer.ts'
import { countNative, relayMessage, type Translation } from './relay-message.ts'

const tag = 'Messages'

/** A paid route, which accepts an Idempotency-Key. */
export function messagesRoute(parts: EndpointParts, family: RouteFamily<Caller>): Route<Caller> {
  const { catalog, maxBodyBytes } = parts

  const answer = (caller: Caller, call: Call<MessagesRequest>): Promise<Response> => {
    const { body: request } = call
    const model = findAllowedModel(catalog, caller, request.model, 'chat')
    if (model.kind === 'anthropic')
      return relayMessage(parts, caller, call, model, {
        translate: by => translate(call, by),
        createWriter,
        buildBody,
      })
    const { conversation, form } = translate(call, model)
    return answerTurn(parts, caller, call, {
      endpoint: 'messages',
      model,
      conversation,
      isStreamed: request.stream === true,
      createWriter: () => createWriter(form),
      buildBody: ([result]) => buildBody(result, form),
    })
  }

  return {
    ...defineRoute<Caller, typeof messagesRequestSchema, undefined>({
      method: 'POST',
      path: '/v1/messages',
      tag,
      summary: "Create a message in Anthropic's format",
      description:
        'With `stream: true` the reply is `text/event-stream` with the events of Anthropic’s API. ' +
        'The header `x-gateway-response-cost` has the cost in US dollars; streams have it as `usage.cost` of `message_delta`, unless they are relayed. ' +
        'Requests to models of Anthropic are relayed, and so are their answers, with another name for the model. ' +
        'For all others, members, blocks and tools of unknown types are ignored. Send thinking blocks back unchanged: their signatures carry model state. ' +
        'Thinking is off unless `thinking` enables it. Tools that Anthropic runs itself are left out if the client has tools of its own. ' +
        'When the budget is nearly spent, the output cap is reduced; `x-gateway-output-cap` shows it.',
      body: messagesRequestSchema,
      maxBodyBytes,
      replies: { 200: [messageSchema, relayedMessageSchema, messageEventSchema] },
      replyHeaders: ['request-id', 'x-gateway-output-cap', 'cache-control', 'x-accel-buffering'],
      errors: paidCallErrors,
      handle: (caller, call) => answer(caller, call).then(response => nameRequest(response, call)),
    }),
    family,
  }
}

function translate({ body: request, callId }: Call<MessagesRequest>, model: CatalogModel): Translation {
  const { conversation, names } = convertRequest(request, model)
  return {
    conversation,
    form: {
      modelName: request.model,
      model,
      callId,
      names,
      showsThoughts: conversation.thinking?.isShown === true,
      hasOneCall: conversation.parallel_tool_calls === false,
    },
  }
}

function createWriter(form: AnswerForm): MessageWriter {
  return new MessageWriter(form)
}

/** Throws ApiError for an answer without content. */
function buildBody(result: ChatResult, form: AnswerForm): object {
  const fault = result.choices[0]?.fault
  if (fault !== undefined) throw explainFault(fault)
  return buildMessage(result, form)
}

/** A free route: agents call it dozens of times in a moment. */
export function countTokensRoute(parts: EndpointParts, family: RouteFamily<Caller>): Route<Caller> {
  const { freeCall, catalog, inlineImages, inlineFiles, countInput, maxBodyBytes } = parts

  /** Exact if the upstream can count, otherwise the estimate that token windows are charged by. */
  const count = async (caller: Caller, call: Call<CountTokensRequest>): Promise<number> => {
    const { body, signal } = call
    const model = findAllowedModel(catalog, caller, body.model, 'chat')
    if (model.kind === 'anthropic') return countNative(parts, caller, call, model)
    const { conversation } = convertRequest(body, model)
    const { teamId } = caller.team
    const read = hasFiles(conversation) ? await inlineFiles(conversation, model, teamId, signal) : null
    try {
      const given = read?.conversation ?? conversation
      const plan = planChat(given, model, () => signal, parts, 'messages')
      const whole: Conversation = hasRemoteImages(given) ? await inlineImages(given, signal) : given
      const counted = await countInput(whole, model, plan.askedOutput, signal, teamId)
      return counted ?? plan.estimatedInput
    } finally {
      read?.release()
    }
  }

  return {
    ...defineRoute<Caller, typeof countTokensRequestSchema, undefined>({
      method: 'POST',
      path: '/v1/messages/count_tokens',
      tag,
      summary: "Count the input tokens of a message in Anthropic's format",
      description:
        'Free: does not count towards rate limits or the budget. The upstream counts if it can; otherwise the figure is an estimate. Models of Anthropic only count upstream.',
      body: countTokensRequestSchema,
      maxBodyBytes,
      replies: { 200: tokenCountSchema },
      replyHeaders: ['request-id'],
      errors: [...freeCallErrors, ...upstreamErrors, 'model_not_found', 'model_not_allowed'],
      waitsForItsOwn: true,
      handle: async (caller, call) => {
        const answered = freeCall(caller, call, async () => ({ input_tokens: await count(caller, call) }))
        return nameRequest(await answered, call)
      },
    }),
    family,
  }
}

/** Anthropic's clients show this request id in their errors and logs. */
function nameRequest(response: Response, { callId }: Pick<Call, 'callId'>): Response {
  response.headers.set('request-id', callId)
  return response
}
