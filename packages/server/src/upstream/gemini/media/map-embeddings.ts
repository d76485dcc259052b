// Embeddings: our call → the body of the vendor's batchEmbedContents, and its reply → vectors.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { EmbeddingsCall } from '../../media-port.ts'
import { asArray, asRecord } from '../../narrow-json.ts'

export function buildEmbeddingsBody({ model, texts, dimensions }: EmbeddingsCall): object {
  const requests = texts.map(text => ({
    model: `models/${model.upstreamId}`,
    content: { parts: [{ text }] },
    ...(dimensions === null ? {} : { outputDimensionality: dimensions }),
  }))
  return { requests }
}

/** Throws ApiError `upstream_error` unless there is one vector of numbers for each text. */
export function mapEmbeddings(reply: unknown, count: number): number[][] {
  const vectors = asArray(asRecord(reply)?.embeddings).map(item =>
    asArray(asRecord(item)?.values).filter(value => typeof value === 'number'),
  )
  if (vectors.length === count && vectors.every(vector => vector.length > 0)) return vectors
  throw new ApiError('upstream_error', { message: 'The model provider sent too few vectors.' })
}
