// POST /chat/completions: one chat turn, whole or streamed (spec 2.3, 4.1).
import { chatRequestSchema } from '@fairgate/contracts/chat/request.ts'
import { chatChunkSchema, chatCompletionSchema } from '@fairgate/contracts/chat/response.ts'
import Type from 'typebox'
import { defineRoute } from '../../../http/route.ts'
import { paidCallErrors } from '../../paid-call-errors.ts'
import type { RunChat } from '../../pipeline.ts'
import type { Caller } from '../../stages/1-authenticate.ts'

const chatEventSchema = Type.Object(chatChunkSchema.properties, {
  description:
    'With `stream: true`: the `data` of each event. The last event is `data: [DONE]`; an error in mid-stream is an event with `error` as its only member.',
  contentMediaType: 'text/event-stream',
})

export function chatCompletionsRoute(dependencies: {
  readonly runChat: RunChat
  readonly maxBodyBytes: number
}) {
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
      'Speech models answer with audio alone: `modalities: ["audio"]`, and `audio` with a voice. ' +
      'When the budget is nearly spent the output cap is reduced; `x-gateway-output-cap` then shows it.',
    body: chatRequestSchema,
    maxBodyBytes: dependencies.maxBodyBytes,
    replies: { 200: [chatCompletionSchema, chatEventSchema] },
    replyHeaders: ['x-gateway-output-cap', 'cache-control', 'x-accel-buffering'],
    errors: paidCallErrors,
    handle: dependencies.runChat,
  })
}
