// One chunk of the vendor's stream → chat events. The finish reason comes apart: it is held back to the end.
import type { FinishReason } from '@fairgate/contracts/chat/response.ts'
import { asArray, asRecord, asString, type JsonRecord } from '../../narrow-json.ts'
import type { ChatEvent } from '../../port.ts'
import { mapFinishReason } from './map-finish-reason.ts'
import { mapUsage } from './map-usage.ts'
import { readParts } from './read-parts.ts'

export type MappedChunk = { readonly events: readonly ChatEvent[]; readonly finish: FinishReason | null }

export function mapStreamChunk(chunk: JsonRecord): MappedChunk {
  const events: ChatEvent[] = []
  const candidate = asRecord(asArray(chunk.candidates)[0])
  if (candidate !== null) {
    const { text, reasoning } = readParts(candidate)
    if (reasoning !== null && reasoning !== '') events.push({ type: 'reasoning-delta', text: reasoning })
    if (text !== null && text !== '') events.push({ type: 'text-delta', text })
  }
  const usage = mapUsage(chunk)
  // An empty usage block must not wipe out what an earlier chunk reported.
  if (usage.kind !== 'absent') events.push({ type: 'usage', usage })
  return { events, finish: readFinish(chunk, candidate) }
}

/** A blocked prompt has no candidate: the block is the finish. */
function readFinish(chunk: JsonRecord, candidate: JsonRecord | null): FinishReason | null {
  const reason = asString(candidate?.finishReason)
  if (reason !== null) return mapFinishReason(reason)
  return asString(asRecord(chunk.promptFeedback)?.blockReason) === null ? null : 'content_filter'
}
