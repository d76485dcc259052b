// Converts messages from Anthropic's format to ours: blocks become text, media, calls and results, and signatures return to their calls.
import type { ToolContent, UserPart } from '@fairgate/contracts/chat/content-parts.ts'
import { imageTypes, isBase64 } from '@fairgate/contracts/chat/data-url.ts'
import type { ChatMessage } from '@fairgate/contracts/chat/message.ts'
import type { ToolCall } from '@fairgate/contracts/chat/response.ts'
import { readJsonObject } from '@fairgate/contracts/chat/tools.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type {
  AssistantBlock,
  DocumentBlock,
  ImageBlock,
  ResultContent,
  SearchResultBlock,
  TextContent,
  UserBlock,
} from '@fairgate/contracts/messages/content-blocks.ts'
import type { Message } from '@fairgate/contracts/messages/request.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import { joinToolCallId } from '../../../upstream/tool-call-id.ts'
import { unpackReasoning } from '../../conversation/reasoning-envelope.ts'
import { buildAnswer, remind } from '../../conversation/repair-history.ts'
import type { ToolNames } from '../../conversation/tool-names.ts'

/**
 * System messages that come first join the instructions. Later ones stay in place, as marked user text. Throws ApiError
 * `invalid_request` for media that no model accepts, and if nothing is left to answer.
 */
export function convertMessages(
  instructions: readonly string[],
  messages: readonly Message[],
  names: ToolNames,
  model: CatalogModel,
): ChatMessage[] {
  const leading = [...instructions]
  const turns: ChatMessage[] = []
  messages.forEach((message, index) => {
    if (message.role === 'user') turns.push(...convertUser(message.content, `messages[${index}].content`))
    else if (message.role === 'assistant') turns.push(...convertAnswer(message.content, names, model))
    else if (turns.length === 0) leading.push(...textsOf(message.content))
    else
      turns.push(...textsOf(message.content).map(text => ({ role: 'user' as const, content: remind(text) })))
  })
  if (turns.length === 0)
    throw invalidRequest('messages', 'messages contain nothing for the model to answer.')
  return [...leading.map(content => ({ role: 'system' as const, content })), ...turns]
}

function convertUser(content: string | readonly UserBlock[], place: string): ChatMessage[] {
  if (typeof content === 'string') return content === '' ? [] : [{ role: 'user', content }]
  const messages: ChatMessage[] = []
  let said: UserPart[] = []
  const endSaid = () => {
    if (said.length > 0) messages.push({ role: 'user', content: said })
    said = []
  }
  content.forEach((block, index) => {
    const here = `${place}[${index}]`
    switch (block.type) {
      case 'text':
        if (block.text !== '') said.push({ type: 'text', text: block.text })
        break
      case 'image':
        said.push(convertImage(block, here))
        break
      case 'document':
        said.push(...convertDocument(block, here))
        break
      case 'search_result':
        said.push(writeSearchResult(block))
        break
      case 'tool_result':
        endSaid()
        messages.push({
          role: 'tool',
          tool_call_id: block.tool_use_id,
          content: convertResult(block.content, `${here}.content`),
          ...(block.is_error === true ? { is_error: true } : {}),
        })
    }
  })
  endSaid()
  return messages
}

type Part = Exclude<ToolContent, string>[number]

/** Texts are on lines of their own. */
function convertResult(content: ResultContent, place: string): ToolContent {
  if (typeof content === 'string') return content
  const parts: Part[] = []
  for (const part of (content ?? []).flatMap((block, index) => convertGiven(block, `${place}[${index}]`))) {
    const last = parts.at(-1)
    if (part.type !== 'text' || last?.type !== 'text') parts.push(part)
    else parts.splice(-1, 1, { type: 'text', text: `${last.text}\n${part.text}` })
  }
  const [only] = parts
  if (only === undefined) return ''
  return parts.length === 1 && only.type === 'text' ? only.text : parts
}

type GivenBlock = Exclude<ResultContent, string | null | undefined>[number]

/** An agent cannot take back a tool's result: media that no model accepts become a note there, but are refused in user messages. */
function convertGiven(block: GivenBlock, place: string): Part[] {
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [block]
    case 'image':
    case 'document': {
      const { source } = block
      if (source.type === 'base64' && !isReadable(block.type, source.media_type))
        return [{ type: 'text', text: `(The model cannot read the type ${source.media_type}.)` }]
      return block.type === 'image' ? [convertImage(block, place)] : convertDocument(block, place)
    }
    case 'search_result':
      return [writeSearchResult(block)]
    case 'tool_reference':
      return [{ type: 'text', text: `The tool ${block.tool_name} is now available.` }]
    default:
      return []
  }
}

function isReadable(kind: 'image' | 'document', mediaType: string): boolean {
  return kind === 'image' ? imageTypes.includes(nameType(mediaType)) : mediaType === 'application/pdf'
}

function nameType(mediaType: string): string {
  const name = mediaType.toLowerCase()
  return name === 'image/jpg' ? 'image/jpeg' : name
}

function convertImage({ source }: ImageBlock, place: string): Part {
  const { type } = source
  if (type === 'base64')
    return { type: 'image_url', image_url: { url: writeDataUrl('image', source, place) } }
  if (type === 'file') return { type: 'file', file: { file_id: source.file_id } }
  if (type !== 'url') throw refuseSource(place, 'as base64, by URL or as an uploaded file')
  if (/^https:\/\//i.test(source.url)) return { type: 'image_url', image_url: { url: source.url } }
  throw invalidRequest(`${place}.source.url`, `${place}.source.url must be an https URL.`)
}

function convertDocument({ source, title, context }: DocumentBlock, place: string): Part[] {
  const heading = [title, context].filter(text => text).join('\n')
  return [
    ...(heading === '' ? [] : [{ type: 'text' as const, text: heading }]),
    ...convertSource(source, place),
  ]
}

function convertSource(source: DocumentBlock['source'], place: string): Part[] {
  switch (source.type) {
    case 'base64':
      return [{ type: 'file', file: { file_data: writeDataUrl('document', source, place) } }]
    case 'file':
      return [{ type: 'file', file: { file_id: source.file_id } }]
    case 'text':
      return source.data === '' ? [] : [{ type: 'text', text: source.data }]
    case 'content': {
      const { content } = source
      if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
      return content.flatMap((block, index): Part[] => {
        if (block.type === 'text') return block.text === '' ? [] : [block]
        return block.type === 'image' ? [convertImage(block, `${place}.source.content[${index}]`)] : []
      })
    }
    default:
      throw refuseSource(place, 'as base64, as text or as an uploaded file')
  }
}

function refuseSource(place: string, offered: string) {
  return invalidRequest(`${place}.source.type`, `${place} must be sent ${offered}.`)
}

type Base64 = { readonly media_type: string; readonly data: string }

function writeDataUrl(
  kind: 'image' | 'document',
  { media_type: mediaType, data }: Base64,
  place: string,
): string {
  if (!isReadable(kind, mediaType)) {
    const types = kind === 'image' ? 'PNG, JPEG, WebP, HEIC or HEIF' : 'application/pdf'
    throw invalidRequest(`${place}.source.media_type`, `${place}.source.media_type must be ${types}.`)
  }
  if (!isBase64(data)) throw invalidRequest(`${place}.source.data`, `${place}.source.data must be base64.`)
  return `data:${nameType(mediaType)};base64,${data}`
}

function writeSearchResult({ title, source, content }: SearchResultBlock) {
  const text = [title, source, ...textsOf(content)].join('\n')
  return { type: 'text' as const, text }
}

/** The non-empty texts of a content. */
export function textsOf(content: TextContent): string[] {
  if (typeof content === 'string') return content === '' ? [] : [content]
  return content.flatMap(block => (block.type === 'text' && block.text !== '' ? [block.text] : []))
}

/** An envelope has the signatures of the calls that follow it, up to the next one. The thoughts themselves are not repeated. */
function convertAnswer(
  content: string | readonly AssistantBlock[],
  names: ToolNames,
  model: CatalogModel,
): ChatMessage[] {
  if (typeof content === 'string') return content === '' ? [] : [{ role: 'assistant', content }]
  let text = ''
  let ofText: string | null = null
  let ofCalls: readonly (string | null)[] = []
  const calls: ToolCall[] = []
  for (const block of content) {
    if (block.type === 'text') text += block.text
    else if (block.type === 'thinking') {
      const signatures = unpackReasoning(model, block.signature ?? '')
      ofCalls = signatures?.calls ?? []
      ofText = signatures?.text ?? ofText
    } else if (block.type === 'tool_use') {
      const [signature = null, ...others] = ofCalls
      ofCalls = others
      calls.push({
        id: joinToolCallId(block.id, signature),
        type: 'function',
        function: { name: names.toInner(block.name), arguments: writeArguments(block.input) },
      })
    }
  }
  return buildAnswer(text, calls, ofText)
}

/** Always an object, as upstreams require. */
function writeArguments(input: unknown): string {
  if (input === null || input === undefined) return '{}'
  if (typeof input === 'object' && !Array.isArray(input)) return JSON.stringify(input)
  if (typeof input === 'string' && readJsonObject(input) !== null) return input
  return JSON.stringify({ _raw: input })
}
