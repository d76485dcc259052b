// POST /chat/completions: one chat turn, whole or streamed (spec 2.3, 4.1).
import { chatRequestSchema } from '@fairgate/contracts/chat/request.ts'
import { chatChunkSchema, chatCompletionSchema } from '@fairgate/contracts/chat/response.ts'
import Type from 'typebox'
import { defineRoute } from '../../../http/route.ts'
import { answerTurn, type TurnDependencies } from '../../conversation/answer-turn.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { paidCallErrors } from '../../flow/call-errors.ts'
import { findAllowedModel } from '../../flow/find-model.ts'
import { clientHabits } from '../client-habits.ts'
import { ChunkWriter } from './build-chunks.ts'
import { buildCompletion, leaveOutEmptyImages } from './build-completion.ts'

const chatEventSchema = Type.Object(chatChunkSchema.properties, {
  description:
    'With `stream: true`: the `data` of each event. The last event is `data: [DONE]`; an error in mid-stream arrives as an event with `error` as its only member.',
  contentMediaType: 'text/event-stream',
})

export function chatCompletionsRoute(dependencies: TurnDependencies) {
  return defineRoute<Caller, typeof chatRequestSchema, undefined>({
    method: 'POST',
    path: '/v1/chat/completions',
    tag: 'Chat',
    summary: 'Create a chat completion',
    description:
      'With `stream: true` the reply is `text/event-stream` with `chat.completion.chunk` events and a final `[DONE]`. ' +
      'The header `x-gateway-response-cost` has the cost in US dollars; streams have it as `usage.cost` when `stream_options.include_usage` is set. ' +
      'Tool call ids and the signatures of thinking blocks carry model state: send them back unchanged. ' +
      'Tool results may contain images and PDF files. `is_error: true` marks a function that failed. ' +
      'Speech models only return audio: set `modalities: ["audio"]` and put a voice in `audio`. ' +
      'When the budget is nearly spent, the output cap is reduced; `x-gateway-output-cap` shows it.',
    body: chatRequestSchema,
    maxBodyBytes: dependencies.maxBodyBytes,
    replies: { 200: [chatCompletionSchema, chatEventSchema] },
    replyHeaders: ['x-gateway-output-cap', 'cache-control', 'x-accel-buffering'],
    errors: paidCallErrors,
    handle: (caller, call) => {
      const { body: request, callId } = call
      return answerTurn(dependencies, caller, call, {
        endpoint: 'chat',
        model: findAllowedModel(dependencies.catalog, caller, request.model, 'chat', 'image', 'speech'),
        conversation: request,
        isStreamed: request.stream === true,
        createWriter: () => new ChunkWriter(request, callId),
        buildBody: (results, created) => {
          const completion = buildCompletion({ results, request, callId, created })
          return clientHabits.langChainJs.fits(call.request.headers)
            ? leaveOutEmptyImages(completion)
            : completion
        },
      })
    },
  })
}
