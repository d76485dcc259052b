// Converts the items of a request to messages of a chat turn: instructions first, each step of the model as one message, then its results.
import type { UserPart } from '@fairgate/contracts/chat/content-parts.ts'
import type { ChatMessage } from '@fairgate/contracts/chat/message.ts'
import type { ToolCall } from '@fairgate/contracts/chat/response.ts'
import { readArguments } from '@fairgate/contracts/chat/tools.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { Content, ContentPart } from '@fairgate/contracts/responses/content.ts'
import type { InputItem, MessageItem } from '@fairgate/contracts/responses/input-items.ts'
import type { ResponsesRequest } from '@fairgate/contracts/responses/request.ts'
import { isNestedDeeper, maxJsonDepth } from '@fairgate/contracts/text/nested-json.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import { parseOrNull } from '../../../upstream/narrow-json.ts'
import { joinToolCallId } from '../../../upstream/tool-call-id.ts'
import { unpackReasoning } from '../../conversation/reasoning-envelope.ts'
import { buildAnswer, remind } from '../../conversation/repair-history.ts'
import type { ToolNames } from '../../conversation/tool-names.ts'
import { unpackSummary } from './compaction.ts'
import { wrapCustomInput } from './read-tools.ts'
import { nameItem } from './response-ids.ts'

export type ReadInput = {
  readonly messages: readonly ChatMessage[]
  /** The place in the request from which the content of each message comes, for errors. */
  readonly places: ReadonlyMap<ChatMessage, string>
  /** The answer should be the compacted conversation. */
  readonly isCompaction: boolean
}

/** Throws ApiError `invalid_request` for content that cannot be passed to the model. */
export function readInput(
  { input, instructions }: Pick<ResponsesRequest, 'input' | 'instructions'>,
  model: CatalogModel,
  names: ToolNames,
  earlier = 0,
): ReadInput {
  const reader = new InputReader(model, names)
  if (instructions) reader.instruct(instructions)
  const items: readonly InputItem[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  items.forEach((item, index) => {
    reader.read(item, nameItem(index, earlier))
  })
  const { messages, places } = reader.end()
  return { messages, places, isCompaction: items.at(-1)?.type === 'compaction_trigger' }
}

/** The model's output in one step, until someone else speaks. */
type Step = {
  readonly texts: string[]
  readonly calls: ToolCall[]
  /** Signatures of the calls that come next. */
  signatures: readonly (string | null)[]
  textSignature: string | null
}

class InputReader {
  private readonly model: CatalogModel
  private readonly names: ToolNames
  private readonly messages: ChatMessage[] = []
  private readonly places = new Map<ChatMessage, string>()
  /** Before anyone has spoken. */
  private readonly instructions: string[] = []
  private step: Step | null = null

  constructor(model: CatalogModel, names: ToolNames) {
    this.model = model
    this.names = names
  }

  instruct(text: string): void {
    this.instructions.push(text)
  }

  read(item: InputItem, place: string): void {
    switch (item.type) {
      case undefined:
      case null:
      case 'message':
        this.readMessage(item, `${place}.content`)
        return
      case 'reasoning':
        this.readReasoning(item.encrypted_content ?? '')
        return
      case 'function_call':
        this.addCall(item, readCallArguments(item.arguments, `${place}.arguments`))
        return
      case 'custom_tool_call':
        this.addCall(item, wrapCustomInput(item.input))
        return
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.push(
          { role: 'tool', tool_call_id: item.call_id, content: readResult(item.output, `${place}.output`) },
          `${place}.output`,
        )
        return
      case 'compaction': {
        const summary = unpackSummary(item.encrypted_content)
        if (summary !== null)
          this.push(
            { role: 'user', content: remind(`The conversation so far, in short:\n${summary}`) },
            place,
          )
        return
      }
      default:
      // Tools were read before, and references are resolved; items that other services produced by themselves are left out.
    }
  }

  end(): Pick<ReadInput, 'messages' | 'places'> {
    this.endStep()
    const instruction = this.instructions.join('\n\n')
    const first: ChatMessage[] = instruction === '' ? [] : [{ role: 'system', content: instruction }]
    return { messages: [...first, ...this.messages], places: this.places }
  }

  private readMessage({ role, content }: MessageItem, place: string): void {
    switch (role) {
      case 'user':
        this.push({ role, content: mapParts(content, place, readUserPart) }, place)
        return
      case 'assistant':
        this.openStep().texts.push(textOf(content, place, ''))
        return
      case 'system':
      case 'developer': {
        // Agents put a section into each part.
        const text = textOf(content, place, '\n\n')
        if (text === '') return
        if (this.messages.length === 0 && this.step === null) this.instruct(text)
        // The upstream accepts instructions only before the conversation.
        else this.push({ role: 'user', content: remind(text) }, place)
      }
    }
  }

  private readReasoning(packed: string): void {
    const reasoning = unpackReasoning(this.model, packed)
    if (reasoning === null) return
    const step = this.openStep()
    step.signatures = reasoning.calls
    step.textSignature = reasoning.text ?? step.textSignature
  }

  private addCall(
    call: { readonly call_id: string; readonly name: string; readonly namespace?: string | null | undefined },
    callArguments: string,
  ): void {
    const step = this.openStep()
    const [signature = null, ...others] = step.signatures
    step.signatures = others
    const id = joinToolCallId(call.call_id, signature)
    const name = this.names.toInner(call.name, call.namespace)
    step.calls.push({ id, type: 'function', function: { name, arguments: callArguments } })
  }

  private openStep(): Step {
    this.step ??= { texts: [], calls: [], signatures: [], textSignature: null }
    return this.step
  }

  private endStep(): void {
    const { step } = this
    this.step = null
    if (step === null) return
    const { calls, textSignature } = step
    const text = step.texts.filter(each => each !== '').join('\n\n')
    this.messages.push(...buildAnswer(text, calls, textSignature))
  }

  private push(message: ChatMessage, place: string): void {
    this.endStep()
    this.messages.push(message)
    this.places.set(message, place)
  }
}

/**
 * Wraps arguments that are not a JSON object, since the upstream accepts only objects. Models write broken JSON now and then, and
 * agents send it back. Valid JSON that is nested too deep was never a model's answer.
 */
function readCallArguments(text: string, param: string): string {
  if (readArguments(text) !== null) return text
  if (!isNestedDeeper(text, parseOrNull(text), maxJsonDepth)) return JSON.stringify({ _raw: text })
  throw invalidRequest(
    param,
    `${param} must be a JSON object as a string, nested at most ${maxJsonDepth} levels deep.`,
  )
}

function mapParts<Part>(
  content: Content,
  place: string,
  read: (part: ContentPart, place: string) => Part,
): string | Part[] {
  if (typeof content === 'string') return content
  // In the same order and number, so that a place in the message is one in the request.
  return content.map((part, index) => read(part, `${place}[${index}]`))
}

type TextPart = Extract<UserPart, { readonly type: 'text' }>
type MediaPart = Exclude<UserPart, { readonly type: 'text' | 'input_audio' }>

function readUserPart(part: ContentPart, place: string): UserPart {
  return part.type === 'input_audio'
    ? { type: 'input_audio', input_audio: part.input_audio }
    : readPart(part, place)
}

function readResult(output: Content, place: string) {
  return mapParts(output, place, (part, where) => {
    if (part.type === 'input_audio')
      throw invalidRequest(where, `${where}: tool results cannot contain audio.`)
    return readPart(part, where)
  })
}

function readPart(
  part: Exclude<ContentPart, { readonly type: 'input_audio' }>,
  place: string,
): TextPart | MediaPart {
  switch (part.type) {
    case 'input_image': {
      if (part.image_url) return { type: 'image_url', image_url: { url: part.image_url } }
      if (part.file_id) return { type: 'file', file: { file_id: part.file_id } }
      throw invalidRequest(`${place}.image_url`, `${place} needs image_url or file_id.`)
    }
    case 'input_file': {
      if (part.file_data)
        return { type: 'file', file: { file_data: part.file_data, filename: part.filename ?? null } }
      if (part.file_id) return { type: 'file', file: { file_id: part.file_id } }
      throw invalidRequest(
        `${place}.file_data`,
        `${place} needs file_data or file_id: files are not fetched by URL.`,
      )
    }
    case 'refusal':
      return { type: 'text', text: part.refusal }
    default:
      return { type: 'text', text: part.text }
  }
}

/** Reads the text of an instruction, or the model's own text. */
function textOf(content: Content, place: string, separator: string): string {
  if (typeof content === 'string') return content
  const texts = content.map((part, index) => {
    const where = `${place}[${index}]`
    if (part.type === 'refusal') return part.refusal
    if ('text' in part) return part.text
    throw invalidRequest(where, `${where} must be text: only user messages can contain media.`)
  })
  return texts.filter(text => text !== '').join(separator)
}
