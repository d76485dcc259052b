// One chunk of an OpenAI-compatible stream → chat events. Calls and the finish reason come apart: they are held back to the end.
import { usageTold } from '../../chat-events.ts'
import { mapOpenaiLogprobs } from '../../map-logprobs.ts'
import { asArray, asRecord, asString, type JsonRecord } from '../../narrow-json.ts'
import type { ChatEvent } from '../../port.ts'
import { findUsage } from '../map-usage.ts'
import { readMessage } from './read-message.ts'

export type MappedChunk = {
  readonly events: readonly ChatEvent[]
  /** Pieces of tool calls. */
  readonly calls: readonly JsonRecord[]
  /** As the server says it; null where an earlier chunk counts. */
  readonly usage: JsonRecord | null
  readonly hasRefusal: boolean
  /** As the server says it; null in most chunks. */
  readonly finish: string | null
}

/** Takes usage from any chunk: servers put it into the last one with content, into one without choices, or into each. */
export function mapStreamChunk(chunk: JsonRecord): MappedChunk {
  const events: ChatEvent[] = []
  const choice = asRecord(asArray(chunk.choices)[0]) ?? {}
  const { text, reasoning, hasRefusal, calls, images, audio } = readMessage(asRecord(choice.delta) ?? {})
  const logprobs = mapOpenaiLogprobs(choice)
  if (reasoning !== null && reasoning !== '') events.push({ type: 'reasoning-delta', text: reasoning })
  if (logprobs !== null && logprobs.length > 0)
    events.push({ type: 'text-delta', text: text ?? '', logprobs })
  else if (text !== null && text !== '') events.push({ type: 'text-delta', text })
  for (const image of images) events.push({ type: 'image', image })
  if (audio !== null) events.push({ type: 'audio-delta', audio })
  const usage = findUsage(chunk)
  if (usage !== null) events.push(usageTold)
  return { events, calls, usage, hasRefusal, finish: asString(choice.finish_reason) }
}
