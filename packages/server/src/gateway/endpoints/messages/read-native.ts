// Checks a request that is relayed to Anthropic's API as it is: members, tools and blocks that would cost something without a price, or
// reach what other teams have stored, are refused. Measures its input on the way.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { CountTokensRequest, MessagesRequest } from '@fairgate/contracts/messages/request.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import { type CacheWrites, cacheWriteUnits } from '../../../ledger/price.ts'
import { asArray, asRecord, asString, isPresent, type JsonRecord } from '../../../upstream/narrow-json.ts'
import { anthropicDocument, anthropicImage, moreDoubtful } from '../../conversation/measure-input.ts'
import type { TurnSize } from '../../conversation/plan-chat.ts'
import { isEnvelope } from '../../conversation/reasoning-envelope.ts'
import { refuseForeign } from './convert-request.ts'

type Given = MessagesRequest | CountTokensRequest

export type NativeRequest = {
  /** As received, without thoughts that another model has signed. Model and cap are set for each upstream call. */
  readonly body: JsonRecord
  readonly size: TurnSize
  /** Cache lifetimes that the request asks for. */
  readonly writes: ReadonlySet<CacheWriteUnit>
}

type CacheWriteUnit = keyof CacheWrites

/** Members that are relayed. Any other could change the price, so it is refused until it is known. */
const relayed: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'max_tokens',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'stream',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'metadata',
  'cache_control',
  'context_management',
  'service_tier',
  'speed',
])

/** Accepted values of members that have other prices with another one. */
const standard: Readonly<Record<string, string>> = { service_tier: 'standard_only', speed: 'standard' }

/** Declared in Anthropic's words, and run by the client. */
const clientTools = /^(?:bash|text_editor|memory|computer)_\d{8}$/
/** Edits of the context that cost nothing; a compaction is another, unreported answer. */
const freeEdits = /^clear_(?:thinking|tool_uses)_\d{8}$/

/** Throws ApiError `invalid_request`. */
export function readNative(request: Given, model: CatalogModel): NativeRequest {
  refuseForeign(request)
  const { container: _, mcp_servers: __, ...given } = request
  refuseMembers(given)
  const reader = new BlockReader(model)
  reader.readControl(asRecord(given)?.cache_control, 'cache_control')
  asArray(request.tools).forEach((tool, index) => {
    reader.readTool(asRecord(tool) ?? {}, `tools[${index}]`)
  })
  reader.readBlocks(request.system, 'system')
  request.messages.forEach(({ content }, index) => {
    reader.readBlocks(content, `messages[${index}].content`)
  })
  const body = { ...given, messages: request.messages.map(withoutForeignThoughts) }
  const { tally, writes } = reader
  const utf8Bytes = Buffer.byteLength(JSON.stringify(body)) - tally.mediaBytes
  const messages = request.messages.length + asArray(request.tools).length
  return {
    body,
    size: { ...tally, utf8Bytes, messages, isMeasurable: true, writesCache: writes.size > 0 },
    writes,
  }
}

/** The members that a token count has. */
export function pickInput(body: JsonRecord): object {
  const { max_tokens, stream, stop_sequences, temperature, top_p, top_k, metadata, service_tier, ...input } =
    body
  return input
}

function refuseMembers(given: JsonRecord): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue
    if (!relayed.has(name)) {
      const shown = name.slice(0, 100)
      // The beginning is what Anthropic says. Claude Code then leaves the member out.
      throw invalidRequest(
        shown,
        `${shown}: Extra inputs are not permitted. The gateway does not relay this member: leave it out.`,
      )
    }
    const usual = Object.hasOwn(standard, name) ? standard[name] : undefined
    if (usual !== undefined && value !== usual)
      throw invalidRequest(name, `${name} must be "${usual}", or left out: the others have no price here.`)
  }
  asArray(asRecord(given.context_management)?.edits).forEach((edit, index) => {
    const type = asString(asRecord(edit)?.type) ?? ''
    const place = `context_management.edits[${index}].type`
    if (!freeEdits.test(type))
      throw invalidRequest(
        place,
        `${place}: ${type.slice(0, 100)} is not offered. Compact the conversation in your client.`,
      )
  })
}

/** Walks the blocks of a request: each once. */
class BlockReader {
  readonly tally = {
    mediaBytes: 0,
    mediaTokens: 0,
    likelyMediaTokens: 0,
    medium: 'text' as TurnSize['medium'],
  }
  readonly writes = new Set<CacheWriteUnit>()
  private readonly model: CatalogModel

  constructor(model: CatalogModel) {
    this.model = model
  }

  readTool(tool: JsonRecord, place: string): void {
    const type = asString(tool.type) ?? 'custom'
    if (type !== 'custom' && !clientTools.test(type)) {
      const message = `${place}.type: '${type.slice(0, 100)}' is not offered: the provider runs it, and it has no price here. Declare a tool with name and input_schema, and run it in your client.`
      throw invalidRequest(`${place}.type`, message)
    }
    this.readControl(tool.cache_control, `${place}.cache_control`)
  }

  readBlocks(content: unknown, place: string): void {
    asArray(content).forEach((value, index) => {
      const block = asRecord(value)
      if (block !== null) this.readBlock(block, `${place}[${index}]`)
    })
  }

  private readBlock(block: JsonRecord, place: string): void {
    this.readControl(block.cache_control, `${place}.cache_control`)
    switch (block.type) {
      case 'tool_result':
        this.readBlocks(block.content, `${place}.content`)
        break
      case 'image':
      case 'document':
        this.readMedium(block.type, asRecord(block.source) ?? {}, `${place}.source`)
        break
      case 'container_upload':
        throw invalidRequest(
          `${place}.type`,
          `${place}.type: container_upload is not offered: the gateway does not run code.`,
        )
    }
  }

  private readMedium(kind: 'image' | 'document', source: JsonRecord, place: string): void {
    if (source.type === 'file')
      throw invalidRequest(
        `${place}.type`,
        `${place}.type: models of this provider take no uploaded files. Send the data as base64.`,
      )
    if (source.type === 'content') this.readBlocks(source.content, `${place}.content`)
    if (source.type === 'content' || source.type === 'text') return
    const data = asString(source.data) ?? ''
    const { most, likely } = kind === 'image' ? anthropicImage : anthropicDocument(data)
    this.tally.mediaBytes += data.length
    this.tally.mediaTokens += most
    this.tally.likelyMediaTokens += likely
    this.tally.medium = moreDoubtful(this.tally.medium, kind)
  }

  /** Throws ApiError `invalid_request` if the model has no price for what is asked to be cached. */
  readControl(control: unknown, place: string): void {
    if (!isPresent(control)) return
    const [short, long] = cacheWriteUnits
    const isLong = asRecord(control)?.ttl === '1h'
    const unit = isLong ? long : short
    if (this.model.price.tiers[0].rates[unit] === undefined) {
      const what = isLong ? 'an hour' : 'five minutes'
      throw invalidRequest(
        place,
        `${place}: ${this.model.id} has no price for input that is cached for ${what}. Leave it out.`,
      )
    }
    this.writes.add(unit)
  }
}

type Message = Given['messages'][number]

/** After a fallback the history has envelopes of ours, and clients add unsigned thoughts. The API refuses a request for either. */
function withoutForeignThoughts(message: Message): Message {
  const { role, content } = message
  if (role !== 'assistant' || typeof content === 'string' || !content.some(isForeign)) return message
  return { ...message, content: content.filter(block => !isForeign(block)) }
}

type AnswerBlock = Exclude<Extract<Message, { role: 'assistant' }>['content'], string>[number]

function isForeign(block: AnswerBlock): boolean {
  return block.type === 'thinking' && (!block.signature || isEnvelope(block.signature))
}
