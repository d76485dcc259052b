// Embeddings: our call → the body of OpenAI's embeddings, and its reply → vectors in the order of the texts.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { EmbeddingsCall, EmbeddingsResult } from '../../media-port.ts'
import { asArray, asRecord, type JsonRecord } from '../../narrow-json.ts'
import { mapUsage } from '../map-usage.ts'

export function buildEmbeddingsBody({ model, texts, dimensions }: EmbeddingsCall): object {
  return {
    model: model.upstreamId,
    input: texts,
    encoding_format: 'float',
    ...(dimensions === null ? {} : { dimensions }),
  }
}

/** Throws ApiError `upstream_error` unless there is one vector of numbers for each text. */
export function mapEmbeddingsReply(reply: unknown, count: number): EmbeddingsResult {
  const record = asRecord(reply) ?? {}
  const items = asArray(record.data).map(item => asRecord(item) ?? {})
  const ordered = items.every(({ index }) => typeof index === 'number')
    ? items.toSorted((left, right) => Number(left.index) - Number(right.index))
    : items
  const vectors = ordered.map(readVector)
  if (vectors.length === count && vectors.every(vector => vector.length > 0))
    return { vectors, usage: mapUsage(record) }
  throw new ApiError('upstream_error', { message: 'The model provider sent too few vectors.' })
}

function readVector({ embedding }: JsonRecord): number[] {
  return asArray(embedding).filter(value => typeof value === 'number')
}
