// One message → the vendor's parts: a user's text and attachments, or the model's text, calls and thought signatures.
import type { AssistantContent, UserContent, UserPart } from '@fairgate/contracts/chat/content-parts.ts'
import { readDataUrl } from '@fairgate/contracts/chat/data-url.ts'
import type { AssistantMessage } from '@fairgate/contracts/chat/message.ts'
import { readArguments } from '@fairgate/contracts/chat/tools.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { readSignature } from '../../tool-call-id.ts'

export type InlinePart = { readonly inlineData: { readonly mimeType: string; readonly data: string } }

/** One part of a turn as the vendor takes it. */
export type Part =
  | { readonly text: string; readonly thoughtSignature?: string }
  | InlinePart
  | {
      readonly functionCall: { readonly name: string; readonly args: Readonly<Record<string, unknown>> }
      readonly thoughtSignature?: string
    }
  | {
      readonly functionResponse: {
        readonly name: string
        readonly response: Readonly<Record<string, unknown>>
        readonly parts?: readonly InlinePart[]
      }
    }

/** Joins neighbouring texts. `index` of the message, for errors. */
export function buildUserParts(content: UserContent, index: number): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }]
  const parts: Part[] = []
  let text = ''
  const endText = () => {
    if (text !== '') parts.push({ text })
    text = ''
  }
  content.forEach((part, position) => {
    if (part.type === 'text') {
      text += part.text
      return
    }
    endText()
    parts.push(buildMedia(part, `messages[${index}].content[${position}]`))
  })
  endText()
  return parts
}

/** `place` of the part, for errors. */
export function buildMedia(part: Exclude<UserPart, { type: 'text' }>, place: string): InlinePart {
  switch (part.type) {
    case 'image_url':
      return inline(part.image_url.url, `${place}.image_url.url`)
    case 'file':
      return inline(part.file.file_data, `${place}.file.file_data`)
    case 'input_audio': {
      const { data, format } = part.input_audio
      return { inlineData: { mimeType: format === 'wav' ? 'audio/wav' : 'audio/mp3', data } }
    }
  }
}

/** Image addresses have been replaced by data URLs before this. */
function inline(url: string, param: string): InlinePart {
  const media = readDataUrl(url)
  if (media === null) throw invalidRequest(param, `${param} is not a data URL.`)
  return { inlineData: { mimeType: media.mimeType, data: media.base64 } }
}

/** The vendor's marker for calls that another model made. Models with reasoning levels refuse such calls without it. */
const foreignSignature = 'skip_thought_signature_validator'

/** `index` of the message, for errors. `needsSignature`: the model refuses calls without one. */
export function buildAssistantParts(
  message: AssistantMessage,
  index: number,
  needsSignature: boolean,
): readonly Part[] {
  const { content, refusal, tool_calls: toolCalls, thinking_blocks: blocks } = message
  const text = typeof content === 'string' ? content : joinParts(content ?? null, refusal ?? '')
  const calls = toolCalls ?? []
  if (calls.length === 0 && !blocks?.length) return text === '' ? [] : [{ text }]
  const ofCalls = calls.map(call => readSignature(call.id))
  const isSigned = ofCalls.some(signature => signature !== null)
  const ofBlocks = blocks?.findLast(block => typeof block.signature === 'string')?.signature || null
  const parts: Part[] = []
  // The vendor signs the text, or else the first call. A signature without either goes on an empty text.
  if (ofBlocks !== null && (text !== '' || calls.length === 0 || isSigned))
    parts.push({ text, thoughtSignature: ofBlocks })
  else if (text !== '') parts.push({ text })
  calls.forEach((call, position) => {
    const given = ofCalls[position] ?? null
    const isFirstUnsigned = position === 0 && !isSigned
    const fallback = (text === '' ? ofBlocks : null) ?? (needsSignature ? foreignSignature : null)
    const signature = given ?? (isFirstUnsigned ? fallback : null)
    const functionCall = {
      name: call.function.name,
      args: argumentsOf(
        call.function.arguments,
        `messages[${index}].tool_calls[${position}].function.arguments`,
      ),
    }
    parts.push(signature === null ? { functionCall } : { functionCall, thoughtSignature: signature })
  })
  return parts
}

function joinParts(content: Exclude<AssistantContent, string> | null, refusal: string): string {
  if (content === null) return refusal
  return content.map(part => (part.type === 'text' ? part.text : part.refusal)).join('')
}

function argumentsOf(text: string, param: string): Readonly<Record<string, unknown>> {
  const args = readArguments(text)
  if (args !== null) return args
  throw invalidRequest(param, `${param} must be a JSON object as text.`)
}
