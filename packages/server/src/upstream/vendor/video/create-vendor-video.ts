// The film upstream that speaks the vendor's API: orders, polls and downloads, each with the key that the film belongs to.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { redact } from '../../redact.ts'
import type { FileRequest, StartedOperation, VideoCall, VideoUpstream } from '../../video-port.ts'
import { mapVendorError } from '../map-vendor-error.ts'
import { type KeyedExchange, readTextReply } from './keyed-exchange.ts'
import { buildVideoBody, mapOperation } from './map-video.ts'
import type { OrderOperation } from './order-operation.ts'

export function createVendorVideo(
  { exchange, follow, findKey }: KeyedExchange,
  orderOperation: OrderOperation,
): VideoUpstream {
  return Object.freeze({
    start: async (call: VideoCall): Promise<StartedOperation> => {
      const body = JSON.stringify(buildVideoBody(call))
      return orderOperation({ upstreamId: call.model.upstreamId, body }, mapVendorError)
    },

    poll: async ({ operation, upstreamKey }: StartedOperation, signal: AbortSignal) => {
      const key = findKey(upstreamKey)
      const { status, json } = await exchange({ path: operation, key, signal }, readTextReply)
      if (status === 404) return { state: 'unknown' } as const
      if (status !== 200) throw mapVendorError(status, json, key.secret)
      const progress = mapOperation(json)
      if (progress.state !== 'failed') return progress
      const { code, message } = progress.failure
      return { state: 'failed', failure: { code, message: redact(message, key.secret) } } as const
    },

    openFile: async ({ file, upstreamKey, range, signal }: FileRequest) => {
      const key = findKey(upstreamKey)
      const headers: Record<string, string> = range === null ? {} : { range }
      const path = `files/${encodeURIComponent(file)}:download?alt=media`
      const first = await exchange({ path, key, headers, signal }, asItIs)
      // The storage behind the redirect gets no key.
      const response =
        first.status === 302 || first.status === 307
          ? await follow(readLocation(first), { headers, signal }, asItIs)
          : first
      if ([200, 206, 416].includes(response.status)) return response
      throw mapVendorError(response.status, (await readTextReply(response)).json, key.secret)
    },
  } satisfies VideoUpstream)
}

const asItIs = (response: Response): Response => response

function readLocation(response: Response): string {
  const location = response.headers.get('location') ?? ''
  if (/^https?:\/\//.test(location)) return location
  throw new ApiError('upstream_error', { message: 'The model provider did not say where the file is.' })
}
