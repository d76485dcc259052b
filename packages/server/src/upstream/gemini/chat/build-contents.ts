// Converts the messages of a conversation to the vendor's turns, their parts, and its instruction, in one pass.
import type { AssistantContent, UserContent, UserPart } from '@fairgate/contracts/chat/content-parts.ts'
import { readDataUrl } from '@fairgate/contracts/chat/data-url.ts'
import { type AssistantMessage, type ToolMessage, textOf } from '@fairgate/contracts/chat/message.ts'
import { readArguments, readJsonObject } from '@fairgate/contracts/chat/tools.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { LargeFiles } from '../../large-files.ts'
import type { ChatCall } from '../../port.ts'
import { readSignature } from '../../tool-call-id.ts'

export type Content = { readonly role: 'user' | 'model'; readonly parts: readonly Part[] }

/** Tool results are user turns too, kept apart from the user's own text. */
type Turn =
  | { readonly kind: 'user' | 'model'; readonly parts: Part[] }
  | { readonly kind: 'tool'; readonly results: ToolResult[] }

/** An earlier call of the conversation. Clients send its id with the result; the vendor needs its name. */
type EarlierCall = { readonly name: string; readonly position: number }

/** `instruction` is '' if there is none. Throws ApiError `invalid_request` if a result belongs to no call. */
export function buildContents({ request, model }: ChatCall): {
  readonly contents: readonly Content[]
  readonly instruction: string
} {
  const hasLevels = model.reasoning === 'level'
  const turns: Turn[] = []
  const calls = new Map<string, EarlierCall>()
  let instruction = ''
  let index = -1
  for (const message of request.messages) {
    index += 1
    switch (message.role) {
      case 'system':
      case 'developer': {
        const text = textOf(message.content)
        if (text !== '') instruction += instruction === '' ? text : `\n\n${text}`
        break
      }
      case 'user':
        append(turns, 'user', buildUserParts(message.content, index, request.largeFiles))
        break
      case 'assistant':
        append(turns, 'model', buildAssistantParts(message, index, hasLevels && !endsWithCalls(turns)))
        for (const { id, function: called } of message.tool_calls ?? [])
          calls.set(id, { name: called.name, position: calls.size })
        break
      case 'tool': {
        const result = readResult(message, index, calls, hasLevels, request.largeFiles)
        const last = turns.at(-1)
        if (last?.kind === 'tool') last.results.push(result)
        else turns.push({ kind: 'tool', results: [result] })
      }
    }
  }
  return { contents: finishTurns(turns), instruction }
}

function append(turns: Turn[], kind: 'user' | 'model', parts: readonly Part[]): void {
  const last = turns.at(-1)
  if (last?.kind === kind) last.parts.push(...parts)
  else turns.push({ kind, parts: [...parts] })
}

/** The calls of one step can come in multiple messages; the vendor signs only the first of a step. */
function endsWithCalls(turns: readonly Turn[]): boolean {
  const last = turns.at(-1)
  return last?.kind === 'model' && last.parts.some(part => 'functionCall' in part)
}

function readResult(
  message: ToolMessage,
  index: number,
  calls: ReadonlyMap<string, EarlierCall>,
  takesMedia: boolean,
  large: LargeFiles | undefined,
): ToolResult {
  const called = calls.get(message.tool_call_id)
  if (called !== undefined) return buildToolResult(message, index, called, takesMedia, large)
  const param = `messages[${index}].tool_call_id`
  throw invalidRequest(param, `${param} does not match a tool call in an earlier message.`)
}

/** The vendor refuses a turn without parts, and a request without turns. */
function finishTurns(turns: readonly Turn[]): Content[] {
  if (turns.length === 0) return [{ role: 'user', parts: [blank] }]
  return turns.map(turn => {
    const { kind } = turn
    const parts = kind === 'tool' ? joinResults(turn.results) : turn.parts
    return { role: kind === 'model' ? 'model' : 'user', parts: parts.length > 0 ? parts : [blank] }
  })
}

/** The vendor matches results of one function to its calls by their order, and allows nothing between them. */
function joinResults(results: ToolResult[]): Part[] {
  results.sort((a, b) => a.position - b.position)
  return [...results.map(({ part }) => part), ...results.flatMap(({ attached }) => attached)]
}

const blank: Part = { text: ' ' }

export type InlinePart = { readonly inlineData: { readonly mimeType: string; readonly data: string } }

/** `fileUri`: a mark in place of the address. */
type StoredPart = { readonly fileData: { readonly mimeType: string; readonly fileUri: string } }

type MediaPart = InlinePart | StoredPart

/** One part of a turn in the vendor's format. */
export type Part =
  | { readonly text: string; readonly thoughtSignature?: string }
  | MediaPart
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
function buildUserParts(content: UserContent, index: number, large: LargeFiles | undefined): readonly Part[] {
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
    parts.push(buildMedia(part, `messages[${index}].content[${position}]`, large))
  })
  endText()
  return parts
}

/** `place` of the part, for errors. */
function buildMedia(
  part: Exclude<UserPart, { type: 'text' }>,
  place: string,
  large: LargeFiles | undefined,
): MediaPart {
  switch (part.type) {
    case 'image_url':
      return inline(part.image_url.url, `${place}.image_url.url`)
    case 'file': {
      const stored = part.file.file_data ? undefined : large?.files.get(part.file.file_id ?? '')
      if (stored !== undefined) return { fileData: { mimeType: stored.mimeType, fileUri: stored.mark } }
      return inline(part.file.file_data ?? '', `${place}.file.file_data`)
    }
    case 'input_audio': {
      const { data, format } = part.input_audio
      return { inlineData: { mimeType: format === 'wav' ? 'audio/wav' : 'audio/mp3', data } }
    }
  }
}

/** Image URLs have been replaced by data URLs before this. */
function inline(url: string, param: string): InlinePart {
  const media = readDataUrl(url)
  if (media === null) throw invalidRequest(param, `${param} is not a data URL.`)
  return { inlineData: { mimeType: media.mimeType, data: media.base64 } }
}

/** The vendor's marker for calls that another model made. Models with reasoning levels refuse such calls without it. */
const foreignSignature = 'skip_thought_signature_validator'

/** `index` of the message, for errors. `needsSignature`: the model refuses calls without one. */
function buildAssistantParts(
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
  throw invalidRequest(param, `${param} must be a JSON object as a string.`)
}

export type ToolResult = {
  readonly part: Part
  /** Media that the model does not accept within a result: they follow all results of the turn. */
  readonly attached: readonly MediaPart[]
  /** Position of the call among all calls of the conversation. */
  readonly position: number
}

/** `index` of the message, for errors. `takesMedia`: third-generation models accept media within a result. */
function buildToolResult(
  message: ToolMessage,
  index: number,
  { name, position }: { readonly name: string; readonly position: number },
  takesMedia: boolean,
  large: LargeFiles | undefined,
): ToolResult {
  const text = textOf(message.content)
  const media = readMedia(message, index, large)
  const inlined = media.filter(part => 'inlineData' in part)
  if (media.length === 0 || (takesMedia && inlined.length === media.length)) {
    const response = buildResponse(message, text)
    const parts = inlined.length === 0 ? {} : { parts: inlined }
    return { part: { functionResponse: { name, response, ...parts } }, attached: [], position }
  }
  const isOfImages = media.every(part => mimeTypeOf(part).startsWith('image/'))
  const kind = isOfImages ? 'image' : 'file'
  const announced = text === '' ? `(${kind} follows)` : `${text}\n(${kind} follows)`
  const response = message.is_error === true ? { error: announced } : { output: announced }
  return { part: { functionResponse: { name, response } }, attached: media, position }
}

/** The vendor accepts only objects. */
function buildResponse({ is_error: isError }: ToolMessage, text: string): Readonly<Record<string, unknown>> {
  if (isError === true) return { error: text }
  return readJsonObject(text) ?? { output: text }
}

function mimeTypeOf(part: MediaPart): string {
  return 'inlineData' in part ? part.inlineData.mimeType : part.fileData.mimeType
}

function readMedia({ content }: ToolMessage, index: number, large: LargeFiles | undefined): MediaPart[] {
  if (typeof content === 'string') return []
  return content.flatMap((part, position) =>
    part.type === 'text' ? [] : [buildMedia(part, `messages[${index}].content[${position}]`, large)],
  )
}
