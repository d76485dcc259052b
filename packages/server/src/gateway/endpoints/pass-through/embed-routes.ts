// POST …:embedContent and …:batchEmbedContents: vectors of texts, charged by the tokens that the upstream counts beside them.
import {
  type GeminiEmbed,
  geminiEmbedBatchSchema,
  geminiEmbedSchema,
} from '@fairgate/contracts/gemini/embed-request.ts'
import { geminiEmbedBatchReplySchema, geminiEmbedReplySchema } from '@fairgate/contracts/gemini/replies.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { Route } from '../../../http/route.ts'
import type { ClientNames, RelayVerb } from '../../../upstream/relay-port.ts'
import type { Caller } from '../../stages/1-authenticate.ts'
import { checkCall, plainQuery } from './check-call.ts'
import { buildCountOfTexts, planEmbed } from './plan-per-item.ts'
import { createBodyReader, type GeminiBody } from './read-body.ts'
import { readClientNames } from './read-client-names.ts'
import { requireVectors } from './read-usage.ts'
import {
  type BytesContext,
  createFind,
  describeVerb,
  findPathModel,
  type PassThroughDependencies,
  type RelayResult,
  respondWith,
} from './relay-facts.ts'
import { rewriteModels } from './rewrite-models.ts'

const readOne = createBodyReader(geminiEmbedSchema)
const readBatch = createBodyReader(geminiEmbedBatchSchema)

export function embedRoutes(dependencies: PassThroughDependencies): Route<Caller>[] {
  const { catalog, relay, mediaCall } = dependencies

  const embed = async (
    model: CatalogModel,
    verb: RelayVerb,
    body: Uint8Array,
    wishes: readonly GeminiEmbed[],
    names: ClientNames,
  ): Promise<RelayResult> => {
    const [reply, usage] = await Promise.all([
      relay.call({ model, verb, body, names }),
      relay.countTokens(model, buildCountOfTexts(wishes)),
    ])
    requireVectors(reply.body)
    return { reply, usage }
  }

  const handle =
    <Value>(
      verb: RelayVerb,
      read: (bytes: Uint8Array) => GeminiBody<Value>,
      wishesOf: (value: Value) => readonly GeminiEmbed[],
    ) =>
    async (caller: Caller, context: BytesContext): Promise<Response> => {
      checkCall(context.request, plainQuery)
      const model = findPathModel(catalog, caller, context, ['embedding'])
      const body = read(context.body)
      const wishes = wishesOf(body.value)
      const bytes = rewriteModels(body, model, createFind(catalog, caller))
      return mediaCall(caller, context, {
        plan: planEmbed(wishes, body.bytes.byteLength, model),
        call: () => embed(model, verb, bytes, wishes, readClientNames(context.request.headers)),
        respond: respondWith,
      })
    }

  return [
    {
      ...describeVerb(dependencies, 'embedContent', geminiEmbedSchema, geminiEmbedReplySchema),
      summary: 'The vector of a text',
      handle: handle('embedContent', readOne, value => [value]),
    },
    {
      ...describeVerb(
        dependencies,
        'batchEmbedContents',
        geminiEmbedBatchSchema,
        geminiEmbedBatchReplySchema,
      ),
      summary: 'The vectors of several texts',
      handle: handle('batchEmbedContents', readBatch, value => value.requests),
    },
  ]
}
