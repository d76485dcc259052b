// POST /responses: one turn in OpenAI's Responses dialect, whole or streamed, and the refusals of stored responses, since there are none.
import { responsesRequestSchema } from '@fairgate/contracts/responses/request.ts'
import { responseEventSchema, responseSchema } from '@fairgate/contracts/responses/response.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { answerTurn, explainFault, type TurnDependencies } from '../../conversation/answer-turn.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { paidCallErrors } from '../../flow/call-errors.ts'
import { findAllowedModel } from '../../flow/find-model.ts'
import { type AnswerForm, AnswerItems, listEvents } from './answer-items.ts'
import { buildFrame, buildResponse, buildResponsesUsage, ResponseWriter } from './response-writer.ts'
import { showsReasoning, translateRequest } from './translate-request.ts'
import { nameInRequest, writeResponsesError } from './write-responses-error.ts'

export function responsesRoute(dependencies: TurnDependencies): Route<Caller> {
  return defineRoute<Caller, typeof responsesRequestSchema, undefined>({
    method: 'POST',
    path: '/v1/responses',
    tag: 'Responses',
    summary: "Create a response in OpenAI's Responses format",
    description:
      'For Codex and newer SDKs. With `stream: true` the reply is `text/event-stream` with typed events; the last one has usage and the cost in US ' +
      'dollars as `usage.cost`. Whole answers have the cost in `x-gateway-response-cost`. ' +
      'Nothing is stored: send all earlier items in `input`, including reasoning items with their `encrypted_content`, which carry model state. ' +
      'Functions, namespaces of functions and custom tools (free text) are passed to the model; the only built-in tool is web search, if the ' +
      'model has a price for it and no functions are declared. Tools of unknown types are ignored. The reply does not repeat `instructions` and `tools`. ' +
      'Codex and opencode, which retry by rules of their own, get some errors with another status or code: a spent budget with 400, a model that is not allowed with 404, model provider trouble with 503 `server_is_overloaded`, and a conversation that is too long ' +
      'with 400 `context_length_exceeded`.',
    body: responsesRequestSchema,
    maxBodyBytes: dependencies.maxBodyBytes,
    replies: { 200: [responseSchema, responseEventSchema] },
    replyHeaders: ['x-gateway-output-cap', 'cache-control', 'x-accel-buffering'],
    errors: paidCallErrors,
    writeError: writeResponsesError,
    handle: (caller, call) => {
      const { body: request, callId } = call
      const model = findAllowedModel(dependencies.catalog, caller, request.model, 'chat')
      const { conversation, tools, isCompaction, places } = translateRequest(request, model)
      const form: AnswerForm = {
        model,
        tools,
        isCompaction,
        showsReasoning: showsReasoning(request.reasoning?.summary),
        hasOneCall: request.parallel_tool_calls === false,
      }
      return answerTurn(dependencies, caller, call, {
        endpoint: 'responses',
        model,
        conversation,
        isStreamed: request.stream === true,
        createWriter: () => new ResponseWriter(request, form, callId),
        buildBody: (results, created) => {
          const items = new AnswerItems(form, callId, ignore)
          for (const choice of results[0].choices.slice(0, 1))
            for (const event of listEvents(choice)) items.take(event)
          if (items.fault !== null) throw explainFault(items.fault)
          const usage = buildResponsesUsage(
            results.map(result => result.usage),
            null,
          )
          return buildResponse(buildFrame(request, callId, created), { ...items, usage })
        },
        explainImage: failure => nameInRequest(failure, places),
      })
    },
  })
}

const ignore = () => undefined
