// Converts the event stream of an OpenAI-compatible server to chat events, as they arrive, with whole tool calls and the finish reason last.
import type { ToolCall } from '@fairgate/contracts/chat/response.ts'
import { tooLarge } from '../../byte-reader.ts'
import { type SaidChunk, StreamedAnswer, usageReported } from '../../chat-events.ts'
import type { UpstreamStream } from '../../exchange.ts'
import { mapOpenaiLogprobs } from '../../map-logprobs.ts'
import { asArray, asRecord, asString, isPresent, type JsonRecord } from '../../narrow-json.ts'
import type { ChatEvent, UsageReport } from '../../port.ts'
import { statusOfError } from '../map-openai-error.ts'
import { findUsage, mapUsage } from '../map-usage.ts'
import { mapFinishReason, readMessage } from './map-chat-response.ts'

/** A stream that ends with neither a finish reason nor `[DONE]` is cut off. */
export class OpenaiAnswer extends StreamedAnswer {
  readonly #assembler: ToolCallAssembler
  #hasRefusal = false

  /** `newId`: fresh ids for tool calls that have none. */
  constructor(stream: Pick<UpstreamStream, 'endWithin' | 'mapError'>, newId: () => string) {
    super(stream)
    this.#assembler = new ToolCallAssembler(newId)
  }

  override add(payload: string, events: ChatEvent[]): void {
    this.isDone = payload === '[DONE]'
    if (this.isDone) this.finish ??= 'stop'
    else super.add(payload, events)
  }

  protected override findError(said: JsonRecord | null): number | null {
    return isPresent(said?.error) || said?.object === 'error' ? statusOfError(said) : null
  }

  /** Reads usage from any chunk: servers put it into the last one with content, into one without choices, or into each. */
  protected override read(said: JsonRecord): SaidChunk {
    const events: ChatEvent[] = []
    const choice = asRecord(asArray(said.choices)[0]) ?? {}
    const { text, reasoning, hasRefusal, calls, images, audio } = readMessage(asRecord(choice.delta) ?? {})
    this.#hasRefusal ||= hasRefusal
    // A call is sent only when it is whole. Its size counts at once, for the charge if the client leaves now.
    let characters = 0
    for (const call of calls) characters += this.#assembler.add(call)
    if (characters > 0) events.push({ type: 'progress', characters })
    const logprobs = mapOpenaiLogprobs(choice)
    if (reasoning !== null && reasoning !== '') events.push({ type: 'reasoning-delta', text: reasoning })
    if (logprobs !== null && logprobs.length > 0)
      events.push({ type: 'text-delta', text: text ?? '', logprobs })
    else if (text !== null && text !== '') events.push({ type: 'text-delta', text })
    for (const image of images) events.push({ type: 'image', image })
    if (audio !== null) events.push({ type: 'audio-delta', audio })
    const usage = findUsage(said)
    if (usage !== null) events.push(usageReported)
    return { events, usage, finish: asString(choice.finish_reason) }
  }

  override usage(): UsageReport | null {
    return this.reported === null ? null : mapUsage({ usage: this.reported })
  }

  protected override addLast(events: ChatEvent[], finish: string): void {
    const calls = this.#assembler.take()
    for (const call of calls) events.push({ type: 'tool-call', call, isMeasured: true })
    const reason = mapFinishReason(finish, { hasCalls: calls.length > 0, hasRefusal: this.#hasRefusal })
    const isEmpty = reason === 'stop' && !this.hasContent
    events.push(isEmpty ? { type: 'finish', reason, fault: 'empty' } : { type: 'finish', reason })
  }
}

// Assembles the tool calls of a stream from their pieces, even if a server sends no index, or the same for every call.

type OpenCall = { readonly index: number | null; id: string | null; name: string; args: string }

/** Characters of all calls: they are kept until the answer ends. */
const maxHeld = 32 * 1024 * 1024

class ToolCallAssembler {
  readonly #newId: () => string
  #open: OpenCall[] = []
  #held = 0

  /** `newId`: fresh ids for calls that have none. */
  constructor(newId: () => string) {
    this.#newId = newId
  }

  /** Reads one piece and returns how many characters of output it had. Throws ApiError `upstream_error` beyond a bound. */
  add(piece: JsonRecord): number {
    const index = typeof piece.index === 'number' ? piece.index : null
    const id = asString(piece.id) || null
    const given = asRecord(piece.function) ?? {}
    const name = asString(given.name) ?? ''
    const args =
      asString(given.arguments) ?? (asRecord(given.arguments) ? JSON.stringify(given.arguments) : '')
    this.#held += name.length + args.length
    if (this.#held > maxHeld) throw tooLarge()
    const call = this.#find(index, id, name)
    if (call === undefined) this.#open.push({ index, id, name, args })
    else {
      call.id ??= id
      // Names come whole. Some servers repeat the name with each piece, so it is not appended.
      if (call.name === '') call.name = name
      call.args += args
    }
    return name.length + args.length
  }

  /** The calls in the order in which they started, each once. */
  take(): readonly ToolCall[] {
    const calls = this.#open.filter(({ name }) => name !== '')
    this.#open = []
    return calls.map(({ id, name, args }) => buildToolCall(id, name, args, this.#newId))
  }

  /** The call that a piece belongs to; undefined if it starts a new one. */
  #find(index: number | null, id: string | null, name: string): OpenCall | undefined {
    if (index === null)
      return id === null && name === ''
        ? this.#open.at(-1)
        : this.#open.find(call => id !== null && call.id === id)
    const found = this.#open.findLast(call => call.index === index)
    const isOther = id !== null && found !== undefined && found.id !== null && found.id !== id
    return isOther ? undefined : found
  }
}

/**
 * A call with an id, and with arguments that can be parsed. `args`: JSON as text; some servers send the object itself. `newId`: a fresh id
 * of letters and digits, for servers that send none.
 */
export function buildToolCall(id: string | null, name: string, args: unknown, newId: () => string): ToolCall {
  const text = typeof args === 'string' ? args : JSON.stringify(args ?? {})
  return {
    id: id || `call_${newId()}`,
    type: 'function',
    function: { name, arguments: text.trim() === '' ? '{}' : text },
  }
}
