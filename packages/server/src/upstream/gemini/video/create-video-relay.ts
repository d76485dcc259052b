// Relays video calls of clients that speak the vendor's API: orders, operations and descriptions of files, in its own words.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { StartedOperation, VideoRelay } from '../../video-port.ts'
import { showReply } from '../clean-reply.ts'
import { relayGeminiError } from '../relay-gemini-error.ts'
import type { KeyedExchange } from './keyed-exchange.ts'
import { mapOperation, showFailure } from './map-video.ts'
import type { OrderOperation } from './order-operation.ts'

export function createVideoRelay(
  { exchange, findKey }: KeyedExchange,
  orderOperation: OrderOperation,
): VideoRelay {
  /** The text of a reply of 200. */
  const read = async (path: string, upstreamKey: string, model: CatalogModel | null) => {
    const key = findKey(upstreamKey)
    const { status, text, json } = await exchange({ path, key })
    if (status !== 200) throw relayGeminiError(model)(status, json, key.secret)
    if (json === null) throw new ApiError('upstream_error')
    return { reply: showReply(text, key.secret), json, secret: key.secret }
  }

  return Object.freeze({
    start: (model: CatalogModel, body: Uint8Array) =>
      orderOperation({ upstreamId: model.upstreamId, body }, relayGeminiError(model)),

    poll: async ({ operation, upstreamKey }: StartedOperation, model: CatalogModel) => {
      const { reply, json, secret } = await read(operation, upstreamKey, model)
      const progress = mapOperation(json)
      if (progress.state !== 'failed') return { reply, progress }
      return {
        reply,
        progress: { state: 'failed', failure: showFailure(progress.failure, secret) } as const,
      }
    },

    describeFile: async (file: string, upstreamKey: string) =>
      (await read(`files/${encodeURIComponent(file)}`, upstreamKey, null)).reply,
  } satisfies VideoRelay)
}
