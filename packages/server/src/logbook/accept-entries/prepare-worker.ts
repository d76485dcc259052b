// The thread that parses, checks and digests large requests, so that the thread that serves them stays free.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { prepareEntries } from './prepare-entries.ts'
import type { PrepareReply, PrepareRequest } from './prepare-messages.ts'

declare const self: Worker

function answer({ id, bytes, now }: PrepareRequest): PrepareReply {
  try {
    return { id, kind: 'prepared', batch: prepareEntries(bytes, now) }
  } catch (error) {
    if (error instanceof ApiError) {
      return { id, kind: 'refused', code: error.code, message: error.message, param: error.param }
    }
    return { id, kind: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}

/** Text of this size leaves garbage that the runtime sees late: 66 requests of 16 MB grew the process to 599 MB. */
const largeBytes = 4 * 1024 * 1024

self.onmessage = (message: MessageEvent<PrepareRequest>) => {
  const isLarge = message.data.bytes.byteLength >= largeBytes
  self.postMessage(answer(message.data))
  if (isLarge) Bun.gc(true)
}
