// Measures a request's input for the estimates: its text in bytes, and the maximum cost of its media.
import type { UserPart } from '@fairgate/contracts/chat/content-parts.ts'
import { countBytes, readDataUrl } from '@fairgate/contracts/chat/data-url.ts'
import type { AssistantMessage, ChatMessage } from '@fairgate/contracts/chat/message.ts'
import type { Tool } from '@fairgate/contracts/chat/tools.ts'
import type { CatalogModel } from '../../catalog/types.ts'
import type { HoldMedium } from '../../ledger/hold-ratio.ts'
import { boundPages, likelyPages } from '../../media/bound-pages.ts'
import { boundWavSeconds } from '../../media/recording-length/read-seconds.ts'
import { buildAnswerFormat } from '../../upstream/gemini/chat/build-generation-config.ts'
import { cleanSchema } from '../../upstream/gemini/chat/clean-schema.ts'
import type { Conversation } from '../../upstream/port.ts'

export type InputSize = {
  /** Texts, tool calls and results, tool declarations, the answer's schema or the words for it. */
  readonly utf8Bytes: number
  /** Parts for which the vendor adds marks of its own: messages, calls, tools. */
  readonly messages: number
  /** Never fewer than the attached media really have; Infinity if only the context limit bounds them. */
  readonly mediaTokens: number
  /** For the token windows. */
  readonly likelyMediaTokens: number
  /** The kind of attached media with the most costly size to misjudge, in the words of `MediumKind`. */
  readonly medium: MediumKind
  /** False if web search results come back as input. */
  readonly isMeasurable: boolean
}

/** An upstream's count is another basis of a hold. */
export type MediumKind = Exclude<HoldMedium, 'counted'>

/** Max length of a function's name; the vendor gets the name with each result. */
const longestName = 64

/** The properties of a model that decide how large its input is. */
type MeasuredModel = Pick<CatalogModel, 'kind' | 'reasoning'>

type MediumPart = Exclude<UserPart, { type: 'text' }>

type Tally = {
  utf8Bytes: number
  messages: number
  mediaTokens: number
  likelyMediaTokens: number
  medium: MediumKind
}

export function measureInput(request: Conversation, model: MeasuredModel): InputSize {
  const tally: Tally = {
    utf8Bytes: 0,
    messages: request.messages.length,
    mediaTokens: 0,
    likelyMediaTokens: 0,
    medium: 'text',
  }
  for (const message of request.messages) {
    if (typeof message.content === 'string') tally.utf8Bytes += Buffer.byteLength(message.content)
    else addParts(tally, message, model)
    if (message.role === 'assistant') addCalls(tally, message)
    else if (message.role === 'tool') tally.utf8Bytes += longestName
  }
  addTools(tally, request)
  tally.utf8Bytes += measureFormat(request, model)
  const { web_search_options: search } = request
  return { ...tally, isMeasurable: search === null || search === undefined }
}

function addParts(tally: Tally, { content }: ChatMessage, model: MeasuredModel): void {
  if (content === null || content === undefined || typeof content === 'string') return
  for (const part of content) {
    if (part.type === 'text') tally.utf8Bytes += Buffer.byteLength(part.text)
    else if (part.type === 'refusal') tally.utf8Bytes += Buffer.byteLength(part.refusal)
    else addMedia(tally, part, model)
  }
}

function addMedia(tally: Tally, part: MediumPart, { kind }: MeasuredModel): void {
  tally.messages += 1
  const { most, likely } = kind === 'anthropic' ? anthropicMedia(part) : mediaTokensOf(part)
  tally.mediaTokens += most
  tally.likelyMediaTokens += likely
  tally.medium = moreDoubtful(tally.medium, mediumOf(part))
}

/** Includes ids: they can carry reasoning, which comes back as input. */
function addCalls(tally: Tally, message: AssistantMessage): void {
  if (typeof message.refusal === 'string') tally.utf8Bytes += Buffer.byteLength(message.refusal)
  for (const call of message.tool_calls ?? []) {
    tally.messages += 1
    tally.utf8Bytes += call.id.length + call.function.name.length
    tally.utf8Bytes += Buffer.byteLength(call.function.arguments)
  }
  for (const block of message.thinking_blocks ?? []) tally.utf8Bytes += block.signature?.length ?? 0
}

function addTools(tally: Tally, { tools }: Conversation): void {
  for (const tool of tools ?? []) {
    tally.messages += 1
    tally.utf8Bytes += sizeOf(tool.function) + measureGrowth(tool.function.parameters)
  }
}

/** The schema as received, or the version sent to the vendor if that is longer. */
function measureFormat(request: Conversation, model: MeasuredModel): number {
  const { response_format: format } = request
  if (!format) return 0
  const given = format.type === 'json_schema' ? sizeOf(format.json_schema.schema) : 0
  if (model.kind !== 'vendor') return given
  const { config, instruction } = buildAnswerFormat({ request, model })
  const { responseJsonSchema: sent } = config
  return Math.max(given, sent === undefined ? 0 : sizeOf(sent), Buffer.byteLength(instruction))
}

/** A schema that is written out for the vendor can become longer than the original. */
function measureGrowth(schema: Tool['function']['parameters']): number {
  const cleaned = schema ? cleanSchema(schema) : null
  if (cleaned === null || cleaned === schema) return 0
  return Math.max(0, sizeOf(cleaned) - sizeOf(schema))
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Maximum and likely tokens of one medium. */
export function mediaTokensOf(part: MediumPart): MediaTokens {
  switch (part.type) {
    case 'image_url':
      return { most: imageTokens, likely: imageTokens }
    case 'input_audio':
      return audioTokens(part.input_audio.data)
    case 'file':
      return part.file.file_data ? documentTokens(readDataUrl(part.file.file_data)?.base64 ?? '') : largeFile
  }
}

function anthropicMedia(part: MediumPart): MediaTokens {
  switch (part.type) {
    case 'image_url':
      return anthropicImage
    case 'input_audio':
      return audioTokens(part.input_audio.data)
    case 'file':
      if (!part.file.file_data) return largeFile
      return anthropicDocument(readDataUrl(part.file.file_data ?? '')?.base64 ?? '')
  }
}

/** Anthropic scales images down to at most 4,784 tokens. */
export const anthropicImage: MediaTokens = { most: 5000, likely: 1600 }

/** A page is billed as an image and as its text, which no page bounds. Pages of text have 1,500 to 3,000 tokens. */
export function anthropicDocument(base64: string): MediaTokens {
  const likely = likelyPages(base64) * (anthropicImage.likely + 3000)
  return { most: Number.POSITIVE_INFINITY, likely }
}

function mediumOf({ type }: MediumPart): MediumKind {
  if (type === 'image_url') return 'image'
  return type === 'input_audio' ? 'audio' : 'document'
}

/** A call has one medium: the part with the least certain size. */
export function moreDoubtful(one: MediumKind, other: MediumKind): MediumKind {
  return doubt.indexOf(one) >= doubt.indexOf(other) ? one : other
}

const doubt: readonly MediumKind[] = ['text', 'image', 'audio', 'document']

// Max tokens of one attached image, recording or document, and the likely number for the token windows.

export const imageTokens = 2600
const audioTokensPerSecond = 32
/** A file that stays a reference is not read here: it may fill the whole context. */
export const largeFile: MediaTokens = { most: Number.POSITIVE_INFINITY, likely: Number.POSITIVE_INFINITY }
/** Second-generation models bill 258; third-generation models bill what an image has: 560, or up to 1,120 unless set otherwise. */
const tokensPerPage = 1120
/** Enough of a WAV file to reach its audio; a file with a longer header is not measured. */
const headerCharacters = 4096

/** `most` is Infinity if only the context limit bounds it. */
export type MediaTokens = { readonly most: number; readonly likely: number }

export function audioTokens(base64: string): MediaTokens {
  const head = Buffer.from(base64.slice(0, headerCharacters), 'base64')
  const seconds = boundWavSeconds(head, countBytes(base64))
  const tokens = Math.max(audioTokensPerSecond, Math.ceil(seconds * audioTokensPerSecond))
  return { most: tokens, likely: tokens }
}

export function documentTokens(base64: string, perPage = tokensPerPage): MediaTokens {
  const most = boundPages(base64)
  return { most: most * perPage, likely: Math.min(most, likelyPages(base64)) * perPage }
}
