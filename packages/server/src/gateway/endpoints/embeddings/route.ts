// POST /embeddings: a vector for each text.
import { type EmbeddingsRequest, embeddingsRequestSchema } from '@fairgate/contracts/embeddings/request.ts'
import { type EmbeddingsResponse, embeddingsResponseSchema } from '@fairgate/contracts/embeddings/response.ts'
import type { Catalog } from '../../../catalog/types.ts'
import { defineRoute } from '../../../http/route.ts'
import { inputCeiling, inputEstimate } from '../../../ledger/estimate-tokens.ts'
import { costOf } from '../../../ledger/price.ts'
import type { EmbeddingsCall, EmbeddingsResult, MediaUpstream } from '../../../upstream/media-port.ts'
import { findAllowedModel } from '../../find-allowed-model.ts'
import type { MediaCall } from '../../media-call.ts'
import { paidCallErrors } from '../../paid-call-errors.ts'
import type { Caller } from '../../stages/1-authenticate.ts'
import type { CallPlan } from '../../stages/2-admit.ts'
import { createVocabularyLoader } from './load-vocabulary.ts'
import { createReadTexts } from './read-texts.ts'

export function embeddingsRoute(dependencies: {
  readonly mediaCall: MediaCall
  readonly catalog: Catalog
  readonly media: Pick<MediaUpstream, 'embed'>
  readonly maxBodyBytes: number
}) {
  const { mediaCall, catalog, media, maxBodyBytes } = dependencies
  const readTexts = createReadTexts(createVocabularyLoader())
  return defineRoute<Caller, typeof embeddingsRequestSchema, undefined>({
    method: 'POST',
    path: '/v1/embeddings',
    tag: 'Embeddings',
    summary: 'A vector for each text',
    description: 'The header `x-gateway-response-cost` carries the cost in US dollars.',
    body: embeddingsRequestSchema,
    maxBodyBytes,
    replies: { 200: embeddingsResponseSchema },
    errors: paidCallErrors,
    handle: async (caller, context) => {
      const { body: request } = context
      const model = findAllowedModel(catalog, caller, request.model, 'embedding')
      const texts = await readTexts(request.input)
      const call: EmbeddingsCall = { model, texts, dimensions: request.dimensions ?? null }
      return mediaCall(caller, context, {
        plan: planEmbeddings(call),
        call: () => media.embed(call),
        respond: (result, headers) => Response.json(buildReply(result, request), { headers }),
      })
    },
  })
}

/** Every text is a message of its own; the charge is what the upstream counts, the hold its ceiling. */
function planEmbeddings({ model, texts }: EmbeddingsCall): CallPlan {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const inputText = inputCeiling(bytes, texts.length)
  return {
    model,
    endpoint: 'embeddings',
    tokens: { input: inputEstimate(bytes, texts.length), output: 0 },
    estimate: { kind: 'fixed', cost: costOf(model.price, { inputText }, inputText) },
  }
}

function buildReply({ vectors, usage }: EmbeddingsResult, request: EmbeddingsRequest): EmbeddingsResponse {
  const tokens = usage.kind === 'reported' ? usage.usage.inputTokens : 0
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: request.encoding_format === 'base64' ? encode(vector) : [...vector],
    })),
    model: request.model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}

function encode(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}
