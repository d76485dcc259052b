// The vendor's event stream → chat events, as they arrive, with the finish reason last.
import type { FinishReason } from '@fairgate/contracts/chat/response.ts'
import { afterAnswerMs, afterFinishMs } from '../../after-answer.ts'
import type { UpstreamStream } from '../../exchange.ts'
import { asRecord, type JsonRecord } from '../../narrow-json.ts'
import { parseReply } from '../../parse-json.ts'
import type { ChatEvent, UsageReport } from '../../port.ts'
import { createSseDecoder } from '../../sse-decoder.ts'

import { buildAnnotations } from './build-annotations.ts'
import { type ChunkMetadata, mapStreamChunk } from './map-stream-chunk.ts'

/**
 * `newId`: fresh ids for tool calls. Reads a stream once and closes it on every way out. Throws ApiError when the stream carries an error, is cut, runs past
 * its deadline, or ends without a finish reason.
 */
export async function* readChatStream(
  stream: UpstreamStream,
  newId: () => string,
): AsyncGenerator<ChatEvent> {
  const decoder = createSseDecoder()
  let finish: FinishReason | null = null
  let metadata: ChunkMetadata | null = null
  let hasCalls = false
  let hasUsage = false
  /** What citations count their places in; of an endless answer only its beginning is kept. */
  let text = ''
  let searches = 0
  /** Tokens are told again with each chunk, searches only with the one that cites them. */
  const keepSearches = (report: UsageReport): UsageReport => {
    if (report.kind !== 'reported') return report
    searches = Math.max(searches, report.usage.searches ?? 0)
    return searches === 0 ? report : { kind: 'reported', usage: { ...report.usage, searches } }
  }
  try {
    for (let ended = false; !ended; ) {
      const { done, value } = await stream.read()
      ended = done
      for (const payload of value === undefined ? decoder.end() : decoder.push(value)) {
        const mapped = mapStreamChunk(parseChunk(payload, stream.mapError), newId)
        finish = mapped.finish ?? finish
        hasUsage ||= mapped.events.some(({ type }) => type === 'usage')
        // All is said: whether the vendor also closes, and when, is its own affair.
        if (finish !== null) stream.endWithin(hasUsage ? afterAnswerMs : afterFinishMs)
        metadata = mergeMetadata(metadata, mapped.metadata)
        for (const event of mapped.events) {
          if (event.type === 'text-delta') {
            if (text.length < mostCitedText) text += event.text
          } else if (event.type === 'tool-call') hasCalls = true
          if (event.type === 'usage') yield { type: 'usage', usage: keepSearches(event.usage) }
          else yield event
        }
      }
    }
    if (finish === null) throw new Error('The stream ended without a finish reason.')
  } catch (cause) {
    throw stream.explain(cause)
  } finally {
    stream.close()
  }
  if (metadata !== null) {
    yield { type: 'metadata', ...metadata, annotations: buildAnnotations(metadata.groundingMetadata, text) }
  }
  // The vendor has no reason of its own for calls.
  yield { type: 'finish', reason: hasCalls ? 'tool_calls' : finish }
}

const mostCitedText = 4 * 1024 * 1024

/** The latest of each kind counts. */
function mergeMetadata(known: ChunkMetadata | null, next: ChunkMetadata | null): ChunkMetadata | null {
  if (known === null || next === null) return next ?? known
  return {
    citationMetadata: next.citationMetadata ?? known.citationMetadata,
    groundingMetadata: next.groundingMetadata ?? known.groundingMetadata,
    urlContextMetadata: next.urlContextMetadata ?? known.urlContextMetadata,
  }
}

/** Errors after the start may come wrapped in an array; nothing else does. */
function parseChunk(payload: string, mapError: UpstreamStream['mapError']): JsonRecord {
  const parsed: unknown = parseReply(payload)
  const chunk = asRecord(Array.isArray(parsed) ? parsed[0] : parsed)
  const error = asRecord(chunk?.error)
  if (error !== null) throw mapError(typeof error.code === 'number' ? error.code : 500, chunk)
  if (chunk === null || Array.isArray(parsed)) throw new Error('A chunk of the stream is not an object.')
  return chunk
}
