// Relays film calls of clients that speak the vendor's API: orders, operations and descriptions of files, in its own words.
import type { CatalogModel } from '../../../catalog/types.ts'
import { redact } from '../../redact.ts'
import type { StartedOperation, VideoRelay } from '../../video-port.ts'
import { relayVendorError } from '../relay-vendor-error.ts'
import { type KeyedExchange, readTextReply } from './keyed-exchange.ts'
import { mapOperation } from './map-video.ts'
import type { OrderOperation } from './order-operation.ts'

export function createVideoRelay(
  { exchange, findKey }: KeyedExchange,
  orderOperation: OrderOperation,
): VideoRelay {
  /** The text of a reply of 200. */
  const read = async (path: string, upstreamKey: string, model: CatalogModel | null) => {
    const key = findKey(upstreamKey)
    const { status, text, json } = await exchange({ path, key }, readTextReply)
    if (status !== 200) throw relayVendorError(model)(status, json, key.secret)
    return { reply: text, json, secret: key.secret }
  }

  return Object.freeze({
    start: (model: CatalogModel, body: Uint8Array) =>
      orderOperation({ upstreamId: model.upstreamId, body }, relayVendorError(model)),

    poll: async ({ operation, upstreamKey }: StartedOperation, model: CatalogModel) => {
      const { reply, json, secret } = await read(operation, upstreamKey, model)
      const progress = mapOperation(json)
      if (progress.state !== 'failed') return { reply, progress }
      const { code, message } = progress.failure
      return {
        reply,
        progress: { state: 'failed', failure: { code, message: redact(message, secret) } } as const,
      }
    },

    describeFile: async (file: string, upstreamKey: string) =>
      (await read(`files/${encodeURIComponent(file)}`, upstreamKey, null)).reply,
  } satisfies VideoRelay)
}
