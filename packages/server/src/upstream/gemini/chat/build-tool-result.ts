// What a function gave → the vendor's functionResponse, with the images and documents of the result.
import { type ToolMessage, textOf } from '@fairgate/contracts/chat/message.ts'
import { readJsonObject } from '@fairgate/contracts/chat/tools.ts'
import { buildMedia, type InlinePart, type Part } from './build-parts.ts'

export type ToolResult = {
  readonly part: Part
  /** Media for which the model has no place within a result: they follow all results of the turn. */
  readonly attached: readonly InlinePart[]
  /** Of the call among all calls of the conversation. */
  readonly position: number
}

/** `index` of the message, for errors. `takesMedia`: models of the third generation take media within a result. */
export function buildToolResult(
  message: ToolMessage,
  index: number,
  { name, position }: { readonly name: string; readonly position: number },
  takesMedia: boolean,
): ToolResult {
  const text = textOf(message.content)
  const media = readMedia(message, index)
  if (media.length === 0 || takesMedia) {
    const response = buildResponse(message, text)
    const parts = media.length === 0 ? {} : { parts: media }
    return { part: { functionResponse: { name, response, ...parts } }, attached: [], position }
  }
  const kind = media.every(part => part.inlineData.mimeType.startsWith('image/')) ? 'image' : 'file'
  const announced = text === '' ? `(${kind} follows)` : `${text}\n(${kind} follows)`
  const response = message.is_error === true ? { error: announced } : { output: announced }
  return { part: { functionResponse: { name, response } }, attached: media, position }
}

/** The vendor takes only objects. */
function buildResponse({ is_error: isError }: ToolMessage, text: string): Readonly<Record<string, unknown>> {
  if (isError === true) return { error: text }
  return readJsonObject(text) ?? { output: text }
}

function readMedia({ content }: ToolMessage, index: number): InlinePart[] {
  if (typeof content === 'string') return []
  return content.flatMap((part, position) =>
    part.type === 'text' ? [] : [buildMedia(part, `messages[${index}].content[${position}]`)],
  )
}
