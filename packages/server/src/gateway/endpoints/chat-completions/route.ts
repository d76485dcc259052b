// POST /chat/completions: one chat turn, whole or streamed (spec 2.3, 4.1).
import { chatRequestSchema } from '@fairgate/contracts/chat/request.ts'
import { chatChunkSchema, chatCompletionSchema } from '@fairgate/contracts/chat/response.ts'
import Type from 'typebox'
import type { Catalog } from '../../../catalog/types.ts'
import { defineRoute } from '../../../http/route.ts'
import type { ChatCall, ChatUpstream } from '../../../upstream/port.ts'
import { hasRemoteImages, type InlineImages } from '../../../upstream/remote-media/create-image-inliner.ts'
import { AnswerPieces } from '../../conversation/answer-pieces.ts'
import { readAnswerText } from '../../conversation/gather-texts.ts'
import { buildCalls, type ChatPlanDependencies, planChat } from '../../conversation/plan-chat.ts'
import type { Admitted } from '../../flow/admit.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { paidCallErrors } from '../../flow/call-errors.ts'
import { findAllowedModel } from '../../flow/find-model.ts'
import type { RunPaidCall } from '../../flow/paid-call.ts'
import type { RunPaidStream } from '../../flow/paid-stream.ts'
import { ChunkWriter } from './build-chunks.ts'
import { buildCompletion } from './build-completion.ts'

const chatEventSchema = Type.Object(chatChunkSchema.properties, {
  description:
    'With `stream: true`: the `data` of each event. The last event is `data: [DONE]`; an error in mid-stream is an event with `error` as its only member.',
  contentMediaType: 'text/event-stream',
})

export type ChatDependencies = ChatPlanDependencies & {
  readonly paidCall: RunPaidCall
  readonly paidStream: RunPaidStream
  readonly catalog: Catalog
  readonly upstream: Pick<ChatUpstream, 'complete' | 'stream'>
  /** Fetches the images that a request only names, and puts them into it. */
  readonly inlineImages: InlineImages
  /** Unix ms. */
  readonly clock: () => number
  readonly maxBodyBytes: number
}

export function chatCompletionsRoute(dependencies: ChatDependencies) {
  const { paidCall, paidStream, catalog, upstream, inlineImages, clock, maxBodyBytes } = dependencies
  return defineRoute<Caller, typeof chatRequestSchema, undefined>({
    method: 'POST',
    path: '/v1/chat/completions',
    aliases: ['/chat/completions'],
    tag: 'Chat',
    summary: 'A chat completion, whole or streamed',
    description:
      'With `stream: true` the reply is `text/event-stream` with `chat.completion.chunk` events and a final `[DONE]`. ' +
      'The header `x-gateway-response-cost` carries the cost in US dollars; streams carry it as `usage.cost` when `stream_options.include_usage` is set. ' +
      'Ids of tool calls and signatures of thinking blocks carry state of the model: send them back unchanged. ' +
      'Results of tools may hold images and PDF files, and `is_error: true` says that the function failed. ' +
      'Speech models answer with audio alone: `modalities: ["audio"]`, and `audio` with a voice. ' +
      'When the budget is nearly spent the output cap is reduced; `x-gateway-output-cap` then shows it.',
    body: chatRequestSchema,
    maxBodyBytes,
    replies: { 200: [chatCompletionSchema, chatEventSchema] },
    replyHeaders: ['x-gateway-output-cap', 'cache-control', 'x-accel-buffering'],
    errors: paidCallErrors,
    handle: (caller, call) => {
      const { body: request, callId } = call
      const model = findAllowedModel(catalog, caller, request.model, 'chat', 'image', 'speech')
      // The signal is asked for by few calls, and not free.
      const plan = planChat(request, model, () => call.signal, dependencies, 'chat')
      const translate = (admitted: Admitted): ChatCall[] | Promise<ChatCall[]> =>
        hasRemoteImages(request)
          ? inlineImages(request, call.signal).then(whole => buildCalls(admitted, whole, plan))
          : buildCalls(admitted, request, plan)
      if (request.stream === true) {
        return paidStream(caller, call, {
          plan,
          translate: async admitted => {
            const writer = new ChunkWriter(request, callId)
            return new AnswerPieces({
              admitted,
              plan,
              writer,
              calls: await translate(admitted),
              upstream,
              clock,
            })
          },
        })
      }
      return paidCall(caller, call, {
        plan,
        translate,
        ask: asked => upstream.complete(asked, null),
        answerOf: results => readAnswerText(results),
        respond: (results, headers) => {
          const created = Math.floor(clock() / 1000)
          return Response.json(buildCompletion({ results, request, callId, created }), { headers })
        },
      })
    },
  })
}
