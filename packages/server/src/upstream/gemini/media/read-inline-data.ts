// The media in the vendor's candidates: images and audio arrive as Base64 parts, under two spellings.
import { asArray, asRecord, asString, eitherMember, type JsonRecord } from '../../narrow-json.ts'

export type InlineData = { readonly mimeType: string; readonly base64: string }

/** All parts of that kind in order (`kind`: `image` or `audio`); interim images of a model's thoughts are passed over. */
export function readInlineData(reply: unknown, kind: 'image' | 'audio'): InlineData[] {
  return partsOf(reply).flatMap(part => {
    if (part.thought === true) return []
    const data = asRecord(eitherMember(part, 'inlineData', 'inline_data'))
    if (data === null) return []
    const mimeType = asString(eitherMember(data, 'mimeType', 'mime_type')) ?? ''
    const base64 = asString(data.data) ?? ''
    return mimeType.startsWith(`${kind}/`) && base64 !== '' ? [{ mimeType, base64 }] : []
  })
}

function partsOf(reply: unknown): JsonRecord[] {
  return asArray(asRecord(reply)?.candidates)
    .flatMap(candidate => asArray(asRecord(asRecord(candidate)?.content)?.parts))
    .map(asRecord)
    .filter(part => part !== null)
}
