// The vendor's event stream → chat events, as they arrive, with the finish reason last.
import type { FinishReason } from '@fairgate/contracts/chat/response.ts'
import { asRecord, type JsonRecord } from '../../narrow-json.ts'
import type { ChatEvent } from '../../port.ts'
import { createSseDecoder } from '../../sse-decoder.ts'
import type { VendorStream } from '../vendor-client.ts'
import { mapStreamChunk } from './map-stream-chunk.ts'

/**
 * Reads a stream once and closes it on every way out. Throws ApiError when the stream carries an error, is cut, runs past
 * its deadline, or ends without a finish reason.
 */
export async function* readChatStream(stream: VendorStream): AsyncGenerator<ChatEvent> {
  const decoder = createSseDecoder()
  const reader = stream.body.getReader()
  let finish: FinishReason | null = null
  try {
    for (let ended = false; !ended; ) {
      const { done, value } = await reader.read()
      ended = done
      for (const payload of value === undefined ? decoder.end() : decoder.push(value)) {
        const mapped = mapStreamChunk(parseChunk(payload, stream.mapError))
        finish = mapped.finish ?? finish
        for (const event of mapped.events) yield event
      }
    }
    if (finish === null) throw new Error('The stream ended without a finish reason.')
  } catch (cause) {
    throw stream.explain(cause)
  } finally {
    stream.close()
  }
  yield { type: 'finish', reason: finish }
}

/** Errors after the start may come wrapped in an array; nothing else does. */
function parseChunk(payload: string, mapError: VendorStream['mapError']): JsonRecord {
  const parsed: unknown = JSON.parse(payload)
  const chunk = asRecord(Array.isArray(parsed) ? parsed[0] : parsed)
  const error = asRecord(chunk?.error)
  if (error !== null) throw mapError(typeof error.code === 'number' ? error.code : 500, chunk)
  if (chunk === null || Array.isArray(parsed)) throw new Error('A chunk of the stream is not an object.')
  return chunk
}
