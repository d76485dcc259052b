// POST /embeddings: a vector for each text.
import { type EmbeddingsRequest, embeddingsRequestSchema } from '@fairgate/contracts/embeddings/request.ts'
import { type EmbeddingsResponse, embeddingsResponseSchema } from '@fairgate/contracts/embeddings/response.ts'
import { defineRoute } from '../../../http/route.ts'
import type { EmbeddingsCall, EmbeddingsResult } from '../../../upstream/media-port.ts'
import { planTexts } from '../../flow/admit.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { paidCallErrors } from '../../flow/call-errors.ts'
import { findAllowedModel } from '../../flow/find-model.ts'
import { sumUsage } from '../../flow/meter.ts'
import type { EndpointParts } from '../endpoint-parts.ts'
import { readTexts } from './read-texts.ts'

export function embeddingsRoute({ paidCall, catalog, media, maxBodyBytes }: EndpointParts) {
  return defineRoute<Caller, typeof embeddingsRequestSchema, undefined>({
    method: 'POST',
    path: '/v1/embeddings',
    tag: 'Embeddings',
    summary: 'Create embeddings',
    description: 'The header `x-gateway-response-cost` has the cost in US dollars.',
    body: embeddingsRequestSchema,
    maxBodyBytes,
    replies: { 200: embeddingsResponseSchema },
    errors: paidCallErrors,
    handle: async (caller, call) => {
      const { body: request } = call
      const model = findAllowedModel(catalog, caller, request.model, 'embedding')
      const texts = await readTexts(request.input)
      const wish: EmbeddingsCall = { model, texts, dimensions: request.dimensions ?? null }
      return paidCall(caller, call, {
        // Every text is a message of its own.
        plan: planTexts(model, 'embeddings', countBytes(texts), texts.length),
        translate: () => [wish],
        ask: asked => media.embed(asked, caller.team.teamId),
        respond: ([result], headers) => Response.json(buildReply(result, request), { headers }),
      })
    },
  })
}

function countBytes(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

function buildReply({ vectors, usage }: EmbeddingsResult, request: EmbeddingsRequest): EmbeddingsResponse {
  const { inputTokens: tokens } = sumUsage([usage])
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
