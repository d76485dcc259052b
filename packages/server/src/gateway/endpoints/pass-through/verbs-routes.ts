// The verbs of a model, POST …/models/{model}:verb, with relayed answers. Each one describes how its request is read, what it
// can cost, and what its answer has cost.
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'
import {
  type GeminiEmbed,
  geminiEmbedBatchSchema,
  geminiEmbedSchema,
} from '@fairgate/contracts/gemini/embed-request.ts'
import {
  type GeminiGenerate,
  geminiCountSchema,
  geminiGenerateSchema,
} from '@fairgate/contracts/gemini/generate-request.ts'
import { geminiPredictSchema } from '@fairgate/contracts/gemini/predict-request.ts'
import {
  geminiContentReplySchema,
  geminiCountReplySchema,
  geminiEmbedBatchReplySchema,
  geminiEmbedReplySchema,
  geminiPredictReplySchema,
} from '@fairgate/contracts/gemini/replies.ts'
import Type, { type Static, type TSchema } from 'typebox'
import type { CatalogModel, Modality } from '../../../catalog/types.ts'
import type { Call } from '../../../http/call.ts'
import type { Route } from '../../../http/route.ts'
import { streamOf } from '../../../http/server-sent-events.ts'
import type { LargeFiles } from '../../../upstream/large-files.ts'
import type { Served, UsageReport } from '../../../upstream/port.ts'
import type { RelayCall, RelayedReply, RelayVerb } from '../../../upstream/relay-port.ts'
import { type CallPlan, planTexts, planUnits } from '../../flow/admit.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { readClientNames, streamQuery } from './check-call.ts'
import { checkGenerate, checkReferences, contentsOf, countCandidates } from './check-generate.ts'
import {
  describeVerb,
  type PassThroughParts,
  type ReadVerb,
  readVerb,
  type VerbReading,
} from './describe-verb.ts'
import { findFiles, insertFiles } from './insert-files.ts'
import { buildCountOfTexts, type GeneratePlan, planGenerate } from './plan-generate.ts'
import { createBodyReader } from './read-body.ts'
import { readUsage, requireVectors } from './read-usage.ts'
import { RelayedPieces } from './relayed-pieces.ts'

const generating: readonly [Modality, ...Modality[]] = ['chat', 'image', 'speech', 'music', 'transcription']

/** The vendor defines predict's input as free-form: its names have one spelling. */
const readPredict = createBodyReader(geminiPredictSchema, (_, value) => value)
const readEmbed = createBodyReader(geminiEmbedSchema)
const readEmbedBatch = createBodyReader(geminiEmbedBatchSchema)
const readCount = createBodyReader(geminiCountSchema)

const generateReading = {
  modalities: generating,
  read: createBodyReader(geminiGenerateSchema),
  check: checkGenerate,
} as const

type Relayed = Served & { readonly reply: RelayedReply; readonly usage: UsageReport }

/** A verb with one charged answer. */
type PaidVerb<Value> = VerbReading<Value> & {
  readonly verb: RelayVerb
  readonly summary: string
  readonly description?: string
  readonly body: TSchema
  readonly reply: TSchema
  readonly plan: (read: ReadVerb<Value>) => CallPlan
  readonly ask: (asked: RelayCall, team: string, value: Value) => Promise<Relayed>
}

export function paidVerbsRoutes(dependencies: PassThroughParts): Route<Caller>[] {
  const { relay } = dependencies

  const ask = async (asked: RelayCall, team: string): Promise<Relayed> => {
    const reply = await relay.call(asked, team)
    return { reply, usage: readUsage(reply.body, asked.model), upstreamKey: reply.upstreamKey ?? null }
  }
  /** Replies with vectors have no usage: the upstream counts the texts in parallel. */
  const askVectors = async (
    asked: RelayCall,
    team: string,
    wishes: readonly GeminiEmbed[],
  ): Promise<Relayed> => {
    const [reply, usage] = await Promise.all([
      relay.call(asked, team),
      relay.countTokens(asked.model, buildCountOfTexts(wishes), team),
    ])
    requireVectors(reply.body)
    return { reply, usage, upstreamKey: reply.upstreamKey ?? null }
  }

  return [
    paidVerbRoute(dependencies, {
      ...generateReading,
      verb: 'generateContent',
      summary: "Generate an answer in the vendor's format",
      description:
        'Text, images, speech, music and transcripts. Body and reply are relayed byte for byte; the header ' +
        '`x-gateway-response-cost` carries the cost in US dollars. Anything not listed here is refused. Errors have the vendor’s format: the codes below are the `reason` in its details.',
      body: geminiGenerateSchema,
      reply: geminiContentReplySchema,
      plan: read => planGenerateOf(dependencies, read),
      ask,
    }),
    streamRoute(dependencies),
    paidVerbRoute(dependencies, {
      verb: 'embedContent',
      summary: 'Embed a text',
      body: geminiEmbedSchema,
      reply: geminiEmbedReplySchema,
      modalities: ['embedding'],
      read: readEmbed,
      plan: ({ bodyBytes, model }) => planTexts(model, 'embedContent', bodyBytes, 1),
      ask: (asked, team, value) => askVectors(asked, team, [value]),
    }),
    paidVerbRoute(dependencies, {
      verb: 'batchEmbedContents',
      summary: 'Embed multiple texts',
      body: geminiEmbedBatchSchema,
      reply: geminiEmbedBatchReplySchema,
      modalities: ['embedding'],
      read: readEmbedBatch,
      plan: ({ value, bodyBytes, model }) =>
        planTexts(model, 'embedContent', bodyBytes, value.requests.length),
      ask: (asked, team, { requests }) => askVectors(asked, team, requests),
    }),
    paidVerbRoute(dependencies, {
      verb: 'predict',
      summary: 'Generate one to four images',
      body: geminiPredictSchema,
      reply: geminiPredictReplySchema,
      modalities: ['imggen'],
      read: readPredict,
      // The hold covers as many images as requested; the charge is for those that come.
      plan: ({ value, model }) => planUnits(model, 'predict', { image: value.parameters?.sampleCount ?? 1 }),
      ask,
    }),
  ]
}

function paidVerbRoute<Value>(
  dependencies: PassThroughParts,
  { verb, summary, description, body, reply, plan, ask, ...reading }: PaidVerb<Value>,
): Route<Caller> {
  const { catalog, paidCall } = dependencies
  return {
    ...describeVerb(dependencies, verb, body, reply),
    summary,
    ...(description === undefined ? {} : { description }),
    handle: withFiles(dependencies, (caller, call, large) => {
      const read = readVerb(catalog, caller, call, reading, large)
      return paidCall(caller, call, {
        plan: plan(read),
        translate: () => [buildRelayCall(verb, read, call)],
        ask: asked => ask(asked, caller.team.teamId, read.value),
        respond: ([{ reply }], headers) => relayReply(reply, headers),
      })
    }),
  }
}

const geminiEventSchema = Type.Object(geminiContentReplySchema.properties, {
  description:
    'With `alt=sse`: the `data` of each event. Without it: the same objects as one growing JSON array',
  contentMediaType: 'text/event-stream',
})

const streamQuerySchema = Type.Object({
  alt: Type.Optional(
    Type.Enum(['sse', 'json'], {
      description: '`sse` for events; otherwise one growing JSON array',
      examples: ['sse'],
    }),
  ),
})

function streamRoute(dependencies: PassThroughParts): Route<Caller> {
  const { catalog, relay, paidStream } = dependencies
  const verb = 'streamGenerateContent'
  return {
    ...describeVerb(dependencies, verb, geminiGenerateSchema, geminiContentReplySchema),
    replies: { 200: [geminiEventSchema, Type.Array(geminiContentReplySchema)] },
    replyHeaders: ['cache-control', 'x-accel-buffering'],
    summary: 'Stream an answer',
    description: 'Like `generateContent`. The usage in each event covers the reply so far.',
    query: streamQuerySchema,
    handle: withFiles(dependencies, (caller, call, large) => {
      const read = readVerb(catalog, caller, call, { ...generateReading, query: streamQuery }, large)
      const plan = planGenerateOf(dependencies, read)
      const asEvents = read.query.get('alt') === 'sse'
      return paidStream(caller, call, {
        plan,
        translate: admitted => {
          const asked = { ...buildRelayCall(verb, read, call), asEvents }
          return new RelayedPieces({
            admitted,
            plan,
            form: asEvents ? 'events' : 'array',
            candidates: countCandidates(read.value),
            open: signal => relay.open(asked, signal, caller.team.teamId),
            largeFiles: large,
          })
        },
      })
    }),
  }
}

const errorsOfPaying: readonly ErrorCode[] = [
  'rpm_exceeded',
  'tpm_exceeded',
  'budget_exceeded',
  'budget_held',
  'content_policy_violation',
]

/** Counts the tokens of a prompt. Free of charge: it takes a parallel slot like any free call. */
export function countRoute(dependencies: PassThroughParts): Route<Caller> {
  const { catalog, relay, freeCall } = dependencies
  const verb = 'countTokens'
  const description = describeVerb(dependencies, verb, geminiCountSchema, geminiCountReplySchema)
  return {
    ...description,
    // It costs nothing and counts in no window: a paid route would refuse and record it like a paid call.
    errors: description.errors.filter(code => !errorsOfPaying.includes(code)),
    summary: 'Count the tokens of a prompt, free of charge',
    handle: withFiles(dependencies, (caller, call, large) => {
      const reading: VerbReading<Static<typeof geminiCountSchema>> = {
        modalities: [...generating, 'embedding'],
        read: readCount,
        check: ({ contents = [], generateContentRequest: whole }) =>
          checkReferences(whole === undefined ? contents : [...contents, ...contentsOf(whole)], large),
      }
      const read = readVerb(catalog, caller, call, reading, large)
      call.keepOpen()
      call.note({ team_id: caller.team.teamId, key_name: caller.key.keyName, model: read.model.id })
      return freeCall(caller, call, async headers =>
        relayReply(await relay.call(buildRelayCall(verb, read, call), caller.team.teamId), headers),
      )
    }),
  }
}

type HandleBytes = (caller: Caller, call: Call<Uint8Array>, large?: LargeFiles) => Promise<Response>

/** Inserts the uploaded files that a body names before anything reads it. */
function withFiles(
  { readFiles }: Pick<PassThroughParts, 'readFiles'>,
  handle: HandleBytes,
): (caller: Caller, call: Call<Uint8Array>) => Promise<Response> {
  return (caller, call) => {
    const places = findFiles(call.body)
    if (places === null) return handle(caller, call)
    return insertFiles(call.body, places, caller.team.teamId, readFiles, call.signal).then(
      async ({ body, largeFiles, release }) => {
        let stream: ReturnType<typeof streamOf>
        try {
          call.body = body
          const response = await handle(caller, call, largeFiles)
          stream = streamOf(response)
          return response
        } finally {
          if (stream === undefined) release()
          else void stream.ended.then(release)
        }
      },
    )
  }
}

function planGenerateOf(
  { relay }: Pick<PassThroughParts, 'relay'>,
  { model, value: request, bodyBytes, largeFiles }: ReadVerb<GeminiGenerate>,
): GeneratePlan {
  const countInput = async (counted: CatalogModel, body: object, teamId: string): Promise<number | null> => {
    const report = await relay.countTokens(counted, body, teamId, largeFiles)
    return report.kind === 'reported' ? report.usage.inputTokens : null
  }
  return planGenerate({ request, model, bodyBytes, countInput })
}

function buildRelayCall(
  verb: RelayVerb,
  { model, body, largeFiles }: ReadVerb<unknown>,
  { request }: Call,
): RelayCall {
  return { model, verb, body, largeFiles, names: readClientNames(request.headers) }
}

/** The vendor's bytes under our headers. */
function relayReply(reply: RelayedReply, headers: Readonly<Record<string, string>>): Response {
  return new Response(reply.body, { headers: { ...headers, 'content-type': reply.contentType } })
}
