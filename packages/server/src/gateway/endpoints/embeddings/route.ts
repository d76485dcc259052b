// POST /embeddings: a vector for each text. Upstreams accept fewer texts at once than clients send, so a request is asked in batches.

import {
  type EmbeddingsRequest,
  embeddingsRequestSchema,
  maximumTexts,
  maximumTokensTogether,
} from '@fairgate/contracts/embeddings/request.ts'
import { type EmbeddingsResponse, embeddingsResponseSchema } from '@fairgate/contracts/embeddings/response.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { defineRoute } from '../../../http/route.ts'
import type { EmbeddingsCall, EmbeddingsResult } from '../../../upstream/media-port.ts'
import { planTexts } from '../../flow/admit.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { paidCallErrors } from '../../flow/call-errors.ts'
import { findAllowedModel } from '../../flow/find-model.ts'
import { sumUsage } from '../../flow/meter.ts'
import type { Results } from '../../flow/paid-call.ts'
import type { EndpointParts } from '../endpoint-parts.ts'
import { readTexts } from './read-texts.ts'

/** Texts of one upstream call: the vendor's limit for `batchEmbedContents`. */
const batchTexts = 100
/** Upstream calls of one request at the same time: 2,048 texts are 21 of them. */
const batchesAtOnce = 4

type Batch = { readonly call: EmbeddingsCall; readonly firstIndex: number }

/** The answer to a batch: its part of the reply instead of its vectors, so that a large reply is not written in one go. */
type WrittenBatch = Omit<EmbeddingsResult, 'vectors'> & { readonly texts: number; readonly items: string }

export function embeddingsRoute({ paidCall, catalog, media, maxBodyBytes }: EndpointParts) {
  return defineRoute<Caller, typeof embeddingsRequestSchema, undefined>({
    method: 'POST',
    path: '/v1/embeddings',
    tag: 'Embeddings',
    summary: 'Create embeddings',
    description:
      `Up to ${maximumTexts} texts per request. They are sent to the model provider in batches of ${batchTexts} and charged together. ` +
      'If a batch fails, the batches that were answered are charged and the error says how many texts that is. ' +
      'The header `x-gateway-response-cost` has the cost in US dollars.',
    body: embeddingsRequestSchema,
    maxBodyBytes,
    maxBodyValues: maximumTokensTogether + 2 * maximumTexts,
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
        translate: () => cutBatches(wish),
        atOnce: batchesAtOnce,
        ask: async ({ call: batch, firstIndex }) => {
          const { vectors, ...answered } = await media.embed(batch, caller.team.teamId)
          return { ...answered, texts: vectors.length, items: writeItems(vectors, firstIndex, request) }
        },
        failPartly: (failure, answered) => describePartFailure(failure, answered, texts.length),
        respond: (batches, headers) => writeReply(batches, request, headers),
      })
    },
  })
}

function countBytes(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

function cutBatches(wish: EmbeddingsCall): readonly Batch[] {
  const { texts } = wish
  return Array.from({ length: Math.ceil(texts.length / batchTexts) }, (_, number) => {
    const firstIndex = number * batchTexts
    return { call: { ...wish, texts: texts.slice(firstIndex, firstIndex + batchTexts) }, firstIndex }
  })
}

function describePartFailure(failure: ApiError, answered: readonly WrittenBatch[], all: number): ApiError {
  const charged = answered.reduce((sum, { texts }) => sum + texts, 0)
  return new ApiError(failure.code, {
    message: `${failure.message} ${charged} of ${all} texts had been answered and are charged. Send the request again to get all vectors.`,
    status: failure.status,
    headers: failure.headers,
    cause: failure,
  })
}

/** Items of `data`, separated by commas. 100 vectors of 3,072 numbers take 40 ms. */
function writeItems(
  vectors: EmbeddingsResult['vectors'],
  firstIndex: number,
  { encoding_format }: EmbeddingsRequest,
): string {
  return vectors
    .map((vector, index) => {
      const embedding = encoding_format === 'base64' ? encode(vector) : [...vector]
      const item: EmbeddingsResponse['data'][number] = {
        object: 'embedding',
        index: firstIndex + index,
        embedding,
      }
      return JSON.stringify(item)
    })
    .join(',')
}

function writeReply(
  batches: Results<WrittenBatch>,
  request: EmbeddingsRequest,
  headers: Readonly<Record<string, string>>,
): Response {
  const { inputTokens: tokens } = sumUsage(batches.map(({ usage }) => usage))
  const items = batches.map(batch => batch.items).join(',')
  const ending = {
    model: request.model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  } satisfies Omit<EmbeddingsResponse, 'object' | 'data'>
  const body = `{"object":"list","data":[${items}],${JSON.stringify(ending).slice(1)}`
  return new Response(body, { headers: { ...headers, 'content-type': 'application/json;charset=utf-8' } })
}

function encode(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}
