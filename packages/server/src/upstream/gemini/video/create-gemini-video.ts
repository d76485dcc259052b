// The video upstream that speaks the vendor's API: orders, polls and downloads, each with the key that the video belongs to.
import { boundSilence } from '../../bound-silence.ts'
import { readErrorBody, requireIdentity } from '../../read-whole.ts'
import type { FileRequest, StartedOperation, VideoCall, VideoUpstream } from '../../video-port.ts'
import { mapGeminiError } from '../map-gemini-error.ts'
import type { KeyedExchange } from './keyed-exchange.ts'
import { buildVideoBody, mapOperation, showFailure } from './map-video.ts'
import type { OrderOperation } from './order-operation.ts'

export function createGeminiVideo(
  { exchange, download, findKey }: KeyedExchange,
  orderOperation: OrderOperation,
  /** Between two pieces of a file. */
  silenceMs: number,
): VideoUpstream {
  return Object.freeze({
    start: async (call: VideoCall): Promise<StartedOperation> => {
      const body = JSON.stringify(buildVideoBody(call))
      return orderOperation({ upstreamId: call.model.upstreamId, body }, mapGeminiError)
    },

    poll: async ({ operation, upstreamKey }: StartedOperation, signal: AbortSignal) => {
      const key = findKey(upstreamKey)
      const { status, json } = await exchange({ path: operation, key, signal })
      if (status === 404) return { state: 'unknown' } as const
      if (status !== 200) throw mapGeminiError(status, json, key.secret)
      const progress = mapOperation(json)
      if (progress.state !== 'failed') return progress
      return { state: 'failed', failure: showFailure(progress.failure, key.secret) } as const
    },

    openFile: async ({ file, upstreamKey, range, signal }: FileRequest) => {
      const key = findKey(upstreamKey)
      const headers: Record<string, string> = range === null ? {} : { range }
      const path = `files/${encodeURIComponent(file)}:download?alt=media`
      const response = await download({ path, key, headers, signal })
      const { status, body } = response
      if (![200, 206, 416].includes(status))
        throw mapGeminiError(status, await readErrorBody(response, silenceMs), key.secret)
      requireIdentity(response)
      return new Response(body && boundSilence(body, silenceMs), { status, headers: response.headers })
    },
  } satisfies VideoUpstream)
}
