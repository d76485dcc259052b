// Reads content blocks of Anthropic's Messages: checks them, counts their tokens, and finds what the answer depends on.
import { countTokens } from '../count-tokens.ts'
import { isObject, type Json } from '../json.ts'
import { countPages } from '../request/read-medium.ts'
import { VendorError } from '../vendor-error.ts'
import { refuseMember } from './anthropic-error.ts'
import { checkThinking } from './sign-thinking.ts'

export type Role = 'user' | 'assistant' | 'system'

export type ReadBlock = { readonly type: string; readonly text: string; readonly tokens: number }

/** The API's formula: an image is scaled down to 1,568 pixels a side, and 750 pixels are a token. */
const pixelsPerToken = 750
const longestSide = 1_568
const maxImageTokens = 1_600
const tokensPerPage = 3_000

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/** `place`: as errors name it. Throws VendorError 400 for a block that this role cannot have. */
function readBlock(value: unknown, role: Role, place: string): ReadBlock {
  const block = requireMember(value, place)
  const type = requireText(block.type, `${place}.type`)
  const read = readers[role][type]
  if (read === undefined)
    throw refuseMember(
      place,
      `Input tag '${type}' found using 'type' does not match any of the expected tags: ${Object.keys(
        readers[role],
      )
        .map(name => `'${name}'`)
        .join(', ')}`,
    )
  return { type, ...read(block, place, type) }
}

/** A text counts as one block of text. */
export function readBlocks(content: unknown, role: Role, place: string): readonly ReadBlock[] {
  if (typeof content === 'string') return [readBlock({ type: 'text', text: content }, role, place)]
  if (!Array.isArray(content)) throw refuseMember(place, 'Input should be a valid list')
  return content.map((block, index) => readBlock(block, role, `${place}.${index}`))
}

type Read = (block: Json, place: string, type: string) => Omit<ReadBlock, 'type'>

const readText: Read = ({ text }, place) => {
  if (typeof text !== 'string') throw refuseMember(`${place}.text.text`, 'Field required')
  if (text === '') throw new VendorError(400, 'messages: text content blocks must be non-empty')
  if (text.trim() === '')
    throw new VendorError(400, 'messages: text content blocks must contain non-whitespace text')
  return { text, tokens: countTokens(text) }
}

const readImage: Read = (block, place) => {
  const source = requireMember(block.source, `${place}.image.source`)
  if (source.type !== 'base64') return readElsewhere(source, `${place}.image.source`, maxImageTokens)
  const type = String(source.media_type)
  const sourcePlace = `${place}.image.source.base64`
  if (!imageTypes.includes(type))
    throw refuseMember(
      `${sourcePlace}.media_type`,
      "Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    )
  const bytes = decode(source.data, `${sourcePlace}.data`)
  const real = findImageType(bytes)
  if (real === null) throw refuseMember(`${sourcePlace}.data`, 'Could not process image')
  if (real !== type)
    throw refuseMember(
      `${sourcePlace}.data`,
      `The image was specified using the ${type} media type, but the image appears to be a ${real} image`,
    )
  return { text: '', tokens: countImage(bytes, type) }
}

const readDocument: Read = (block, place) => {
  const source = requireMember(block.source, `${place}.document.source`)
  const sourcePlace = `${place}.document.source`
  if (source.type === 'text') return { text: '', tokens: countTokens(String(source.data)) }
  if (source.type === 'content') {
    const parts = readBlocks(source.content, 'user', `${sourcePlace}.content`)
    return { text: '', tokens: sumTokens(parts) }
  }
  if (source.type !== 'base64') return readElsewhere(source, sourcePlace, tokensPerPage)
  if (source.media_type !== 'application/pdf')
    throw refuseMember(`${sourcePlace}.base64.media_type`, "Input should be 'application/pdf'")
  const bytes = decode(source.data, `${sourcePlace}.base64.data`)
  if (Buffer.from(bytes.subarray(0, 1024)).indexOf('%PDF') < 0)
    throw refuseMember(`${sourcePlace}.base64.data`, 'The PDF specified was not valid.')
  return { text: '', tokens: countPages(bytes) * tokensPerPage }
}

/** The sandbox fetches nothing, so a medium at an address counts as a large one. It keeps no files. */
function readElsewhere(source: Json, place: string, tokens: number): { text: string; tokens: number } {
  if (source.type === 'url' && /^https:\/\//.test(String(source.url))) return { text: '', tokens }
  if (source.type === 'url') throw refuseMember(`${place}.url`, 'Only HTTPS URLs are supported.')
  if (source.type === 'file') throw new VendorError(404, `File not found: ${String(source.file_id)}`)
  throw refuseMember(
    place,
    `Input tag '${String(source.type)}' found using 'type' does not match any of the expected tags`,
  )
}

const readCall: Read = ({ id, name, input }, place) => {
  if (!/^[a-zA-Z0-9_-]+$/.test(requireText(id, `${place}.tool_use.id`)))
    throw refuseMember(`${place}.tool_use.id`, "String should match pattern '^[a-zA-Z0-9_-]+$'")
  requireText(name, `${place}.tool_use.name`)
  requireMember(input, `${place}.tool_use.input`)
  return { text: '', tokens: countTokens(JSON.stringify({ name, input })) }
}

const readResult: Read = ({ tool_use_id, content }, place) => {
  requireText(tool_use_id, `${place}.tool_result.tool_use_id`)
  if (content === undefined || content === '') return { text: '', tokens: 1 }
  if (typeof content === 'string') return { text: content, tokens: countTokens(content) }
  const parts = readBlocks(content, 'user', `${place}.tool_result.content`)
  return { text: parts.map(({ text }) => text).join('\n'), tokens: sumTokens(parts) }
}

const readThought: Read = (block, place, type) => {
  checkThinking(block, place)
  return { text: '', tokens: countTokens(String(type === 'thinking' ? block.thinking : block.data)) }
}

const readAnyOther: Read = block => ({ text: '', tokens: countTokens(JSON.stringify(block)) })

const readers: Readonly<Record<Role, Readonly<Record<string, Read>>>> = {
  user: {
    text: readText,
    image: readImage,
    document: readDocument,
    search_result: readAnyOther,
    tool_result: readResult,
  },
  assistant: {
    text: readText,
    thinking: readThought,
    redacted_thinking: readThought,
    tool_use: readCall,
    server_tool_use: readAnyOther,
    web_search_tool_result: readAnyOther,
    web_fetch_tool_result: readAnyOther,
  },
  system: { text: readText },
}

export function sumTokens(blocks: readonly { readonly tokens: number }[]): number {
  return blocks.reduce((sum, { tokens }) => sum + tokens, 0)
}

export function requireMember(value: unknown, place: string): Json {
  if (isObject(value)) return value
  throw refuseMember(place, value === undefined ? 'Field required' : 'Input should be a valid dictionary')
}

export function requireText(value: unknown, place: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw refuseMember(place, value === undefined ? 'Field required' : 'Input should be a valid string')
}

function decode(data: unknown, place: string): Uint8Array {
  if (typeof data === 'string' && data !== '' && /^[A-Za-z0-9+/\s]+={0,2}$/.test(data))
    return Buffer.from(data, 'base64')
  throw refuseMember(place, 'Invalid base64 data')
}

function findImageType(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (start.startsWith('\x89PNG')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (start.startsWith('GIF8')) return 'image/gif'
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'image/webp' : null
}

/** Only the size of a PNG is read; others count as large. */
function countImage(bytes: Uint8Array, type: string): number {
  if (type !== 'image/png' || bytes.length < 24) return maxImageTokens
  const header = Buffer.from(bytes.subarray(16, 24))
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const scale = Math.min(1, longestSide / Math.max(width, height, 1))
  const tokens = Math.ceil((width * scale * height * scale) / pixelsPerToken)
  return Math.min(maxImageTokens, Math.max(1, tokens))
}
