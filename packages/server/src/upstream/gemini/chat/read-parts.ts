// The content of one of the vendor's candidates, whole or one chunk of it: text, thoughts, calls, media.
import type { DataUrl } from '@fairgate/contracts/chat/data-url.ts'
import type { ToolCall } from '@fairgate/contracts/chat/response.ts'
import { asArray, asRecord, asString, eitherMember, type JsonRecord } from '../../narrow-json.ts'
import { writeToolCallId } from '../../tool-call-id.ts'

export type FunctionCall = {
  readonly name: string
  readonly args: JsonRecord
  readonly signature: string | null
}

export type CandidateParts = {
  /** Text and reasoning, each joined from its parts; null when there is none. */
  readonly text: string | null
  readonly reasoning: string | null
  /** The last thought signature outside the calls. */
  readonly signature: string | null
  readonly calls: readonly FunctionCall[]
  readonly images: readonly DataUrl[]
  readonly audio: readonly DataUrl[]
}

const none: readonly never[] = []

/** Skips parts of other kinds, and images that belong to a thought. */
export function readParts(candidate: JsonRecord): CandidateParts {
  let text: string | null = null
  let reasoning: string | null = null
  let signature: string | null = null
  let calls: readonly FunctionCall[] = none
  let images: readonly DataUrl[] = none
  let audio: readonly DataUrl[] = none
  for (const item of asArray(asRecord(candidate.content)?.parts)) {
    const part = asRecord(item)
    if (part === null) continue
    const partSignature = asString(eitherMember(part, 'thoughtSignature', 'thought_signature')) || null
    const piece = asString(part.text)
    if (piece !== null) {
      if (part.thought === true) reasoning = (reasoning ?? '') + piece
      else text = (text ?? '') + piece
      signature = partSignature ?? signature
      continue
    }
    const call = readCall(part, partSignature)
    if (call !== null) {
      calls = [...calls, call]
      continue
    }
    const media = readMedia(part)
    // Signatures of media are dropped: they are large, and clients do not send such answers back.
    if (media === null) signature = partSignature ?? signature
    else if (part.thought === true) continue
    else if (media.mimeType.startsWith('image/')) images = [...images, media]
    else if (media.mimeType.startsWith('audio/')) audio = [...audio, media]
  }
  return { text, reasoning, signature, calls, images, audio }
}

/** The media of that kind in a whole reply, in order, without those that belong to a thought. */
export function readInlineData(reply: JsonRecord, kind: 'image' | 'audio'): DataUrl[] {
  return asArray(reply.candidates)
    .flatMap(candidate => asArray(asRecord(asRecord(candidate)?.content)?.parts))
    .flatMap(item => {
      const part = asRecord(item)
      const media = part === null || part.thought === true ? null : readMedia(part)
      return media?.mimeType.startsWith(`${kind}/`) && media.base64 !== '' ? [media] : []
    })
}

/** Models sometimes put the namespace of their own before the name of a declared function. */
const vendorPrefix = /^default_api[:.](?=.)/

function readCall(part: JsonRecord, signature: string | null): FunctionCall | null {
  const call = asRecord(eitherMember(part, 'functionCall', 'function_call'))
  const name = asString(call?.name)?.replace(vendorPrefix, '') ?? null
  return name === null ? null : { name, args: asRecord(call?.args) ?? {}, signature }
}

function readMedia(part: JsonRecord): DataUrl | null {
  const inline = asRecord(eitherMember(part, 'inlineData', 'inline_data'))
  if (inline === null) return null
  const mimeType = asString(eitherMember(inline, 'mimeType', 'mime_type'))
  const base64 = asString(inline.data)
  return mimeType === null || base64 === null ? null : { mimeType, base64 }
}

/** `newId`: a fresh id of letters and digits. */
export function buildToolCall(call: FunctionCall, newId: () => string): ToolCall {
  return {
    id: writeToolCallId(newId(), call.signature),
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.args) },
  }
}
