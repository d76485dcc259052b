// The size of a request's input, for the estimates: its text in bytes, and what its media can cost at most.
import type { UserPart } from '@fairgate/contracts/chat/content-parts.ts'
import { readDataUrl } from '@fairgate/contracts/chat/data-url.ts'
import type { AssistantMessage, ChatMessage } from '@fairgate/contracts/chat/message.ts'
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import type { Tool } from '@fairgate/contracts/chat/tools.ts'
import { cleanSchema } from '../../upstream/gemini/chat/clean-schema.ts'
import { audioTokens, documentTokens, imageTokens } from './media-tokens.ts'

export type InputSize = {
  /** Texts, tool calls and results, declarations of tools, the schema of the answer. */
  readonly utf8Bytes: number
  /** Pieces for which the vendor adds marks of its own: messages, calls, tools. */
  readonly messages: number
  /** Never fewer than the attached media really have. */
  readonly mediaTokens: number
  /** False when what the model finds on the web comes back as input. */
  readonly isMeasurable: boolean
}

/** Of a function, which the vendor is told with each result. */
const longestName = 64

type Tally = { utf8Bytes: number; messages: number; mediaTokens: number }

export function measureInput(request: ChatRequest): InputSize {
  const tally: Tally = { utf8Bytes: 0, messages: request.messages.length, mediaTokens: 0 }
  for (const message of request.messages) {
    if (typeof message.content === 'string') tally.utf8Bytes += Buffer.byteLength(message.content)
    else addParts(tally, message)
    if (message.role === 'assistant') addCalls(tally, message)
    else if (message.role === 'tool') tally.utf8Bytes += longestName
  }
  addOptions(tally, request)
  const { web_search_options: search } = request
  const { utf8Bytes, messages, mediaTokens } = tally
  return { utf8Bytes, messages, mediaTokens, isMeasurable: search === null || search === undefined }
}

function addParts(tally: Tally, { content }: ChatMessage): void {
  if (content === null || content === undefined || typeof content === 'string') return
  for (const part of content) {
    if (part.type === 'text') tally.utf8Bytes += Buffer.byteLength(part.text)
    else if (part.type === 'refusal') tally.utf8Bytes += Buffer.byteLength(part.refusal)
    else addMedia(tally, part)
  }
}

function addMedia(tally: Tally, part: Exclude<UserPart, { type: 'text' }>): void {
  tally.messages += 1
  tally.mediaTokens += mediaTokensOf(part)
}

/** Ids are part of it: they can carry reasoning, which comes back as input. */
function addCalls(tally: Tally, message: AssistantMessage): void {
  if (typeof message.refusal === 'string') tally.utf8Bytes += Buffer.byteLength(message.refusal)
  for (const call of message.tool_calls ?? []) {
    tally.messages += 1
    tally.utf8Bytes += call.id.length + call.function.name.length
    tally.utf8Bytes += Buffer.byteLength(call.function.arguments)
  }
  for (const block of message.thinking_blocks ?? []) tally.utf8Bytes += block.signature?.length ?? 0
}

function addOptions(tally: Tally, { tools, response_format: format }: ChatRequest): void {
  for (const tool of tools ?? []) {
    tally.messages += 1
    tally.utf8Bytes += sizeOf(tool.function) + measureGrowth(tool.function.parameters)
  }
  if (format?.type === 'json_schema') tally.utf8Bytes += sizeOf(format.json_schema.schema)
}

/** A schema that is written out for the vendor can become longer than it came. */
function measureGrowth(schema: Tool['function']['parameters']): number {
  const cleaned = schema ? cleanSchema(schema) : null
  if (cleaned === null || cleaned === schema) return 0
  return Math.max(0, sizeOf(cleaned) - sizeOf(schema))
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** The most tokens that one medium can have. */
export function mediaTokensOf(part: Exclude<UserPart, { type: 'text' }>): number {
  switch (part.type) {
    case 'image_url':
      return imageTokens
    case 'input_audio':
      return audioTokens(part.input_audio.data, part.input_audio.format)
    case 'file':
      return documentTokens(readDataUrl(part.file.file_data)?.base64 ?? '')
  }
}
