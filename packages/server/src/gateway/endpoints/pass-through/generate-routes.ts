// POST …:generateContent and …:streamGenerateContent: text, images, speech, songs and transcripts in the vendor's own form.
import { geminiGenerateSchema } from '@fairgate/contracts/gemini/generate-request.ts'
import { geminiContentReplySchema } from '@fairgate/contracts/gemini/replies.ts'
import Type from 'typebox'
import type { CatalogModel, Modality } from '../../../catalog/types.ts'
import type { Route } from '../../../http/route.ts'
import type { Caller } from '../../stages/1-authenticate.ts'
import { checkCall, plainQuery, streamQuery } from './check-call.ts'
import { checkGenerate, countCandidates } from './check-generate.ts'
import { planGenerate } from './plan-generate.ts'
import { createBodyReader } from './read-body.ts'
import { readClientNames } from './read-client-names.ts'
import { readUsage } from './read-usage.ts'
import {
  type BytesContext,
  createFind,
  describeVerb,
  findPathModel,
  type PassThroughDependencies,
  respondWith,
} from './relay-facts.ts'
import { rewriteModels } from './rewrite-models.ts'

export const generating: Modality[] = ['chat', 'image', 'speech', 'music', 'transcription']

const readGenerate = createBodyReader(geminiGenerateSchema)

const geminiEventSchema = Type.Object(geminiContentReplySchema.properties, {
  description:
    'With `alt=sse`: the `data` of each event. Without it: the same objects as one JSON array that grows',
  contentMediaType: 'text/event-stream',
})

const streamQuerySchema = Type.Object({
  alt: Type.Optional(
    Type.Enum(['sse', 'json'], {
      description: '`sse` for events; else one JSON array that grows',
      examples: ['sse'],
    }),
  ),
})

export function generateRoutes(dependencies: PassThroughDependencies): Route<Caller>[] {
  const { catalog, relay, mediaCall, streamCall } = dependencies

  const countInput = async (model: CatalogModel, body: object): Promise<number | null> => {
    const counted = await relay.countTokens(model, body)
    return counted.kind === 'reported' ? counted.usage.inputTokens : null
  }

  const read = (caller: Caller, context: BytesContext) => {
    const model = findPathModel(catalog, caller, context, generating)
    const body = readGenerate(context.body)
    const request = body.value
    checkGenerate(request, model)
    const plan = planGenerate({
      request,
      model,
      bodyBytes: body.bytes.byteLength,
      countInput,
    })
    return { model, plan, request, bytes: rewriteModels(body, model, createFind(catalog, caller)) }
  }

  const unary: Route<Caller> = {
    ...describeVerb(dependencies, 'generateContent', geminiGenerateSchema, geminiContentReplySchema),
    summary: 'One answer in the form of the vendor',
    description:
      'Text, images, speech, music and transcripts. Body and reply are relayed byte for byte; the header ' +
      '`x-gateway-response-cost` carries the cost in US dollars. What is not listed here is refused. Errors are in the shape of the vendor: the codes below are the `reason` in its details.',
    handle: async (caller: Caller, context: BytesContext) => {
      checkCall(context.request, plainQuery)
      const { model, plan, bytes } = read(caller, context)
      return mediaCall(caller, context, {
        plan,
        call: async () => {
          const names = readClientNames(context.request.headers)
          const reply = await relay.call({ model, verb: 'generateContent', body: bytes, names })
          return { reply, usage: readUsage(reply.body, model) }
        },
        respond: respondWith,
      })
    },
  }

  const streamed: Route<Caller> = {
    ...describeVerb(dependencies, 'streamGenerateContent', geminiGenerateSchema, geminiContentReplySchema),
    replies: { 200: [geminiEventSchema, Type.Array(geminiContentReplySchema)] },
    replyHeaders: ['cache-control', 'x-accel-buffering'],
    summary: 'An answer as it is made',
    description: 'As `generateContent`. The usage of each piece is that of the whole so far.',
    query: streamQuerySchema,
    handle: async (caller: Caller, context: BytesContext) => {
      const asEvents = checkCall(context.request, streamQuery).get('alt') === 'sse'
      const { model, plan, request, bytes } = read(caller, context)
      const names = readClientNames(context.request.headers)
      return streamCall(caller, context, {
        plan,
        form: asEvents ? 'events' : 'array',
        candidates: countCandidates(request),
        open: signal =>
          relay.open({ model, verb: 'streamGenerateContent', asEvents, body: bytes, names }, signal),
      })
    },
  }
  return [unary, streamed]
}
