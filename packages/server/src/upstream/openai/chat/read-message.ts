// The content of a message, or of a delta of one, under the names that servers use: text, reasoning, refusal, calls, images, audio.
import { type DataUrl, readDataUrl } from '@fairgate/contracts/chat/data-url.ts'
import { asArray, asRecord, asString, type JsonRecord } from '../../narrow-json.ts'

export type MessageParts = {
  /** Null where there is none; a refusal in words is text too. */
  readonly text: string | null
  readonly reasoning: string | null
  readonly hasRefusal: boolean
  readonly calls: readonly JsonRecord[]
  readonly images: readonly DataUrl[]
  readonly audio: DataUrl | null
}

export function readMessage(message: JsonRecord): MessageParts {
  const refusal = asString(message.refusal) || null
  const audio = asRecord(message.audio)
  const text = joinTexts(message.content) ?? refusal ?? asString(audio?.transcript)
  const samples = asString(audio?.data) || null
  return {
    text,
    reasoning: asString(message.reasoning_content) ?? asString(message.reasoning),
    hasRefusal: refusal !== null,
    calls: asArray(message.tool_calls)
      .map(asRecord)
      .filter(call => call !== null),
    images: asArray(message.images).flatMap(readImage),
    audio: samples === null ? null : { mimeType: 'audio/pcm;rate=24000', base64: samples },
  }
}

/** A text, or parts of which some are text. */
function joinTexts(content: unknown): string | null {
  if (!Array.isArray(content)) return asString(content)
  const texts = content.map(part => asString(asRecord(part)?.text) ?? '')
  return texts.length === 0 ? null : texts.join('')
}

function readImage(item: unknown): DataUrl[] {
  const url = asString(asRecord(asRecord(item)?.image_url)?.url)
  const image = url === null ? null : readDataUrl(url)
  return image === null ? [] : [image]
}
