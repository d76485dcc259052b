// Converts the events of a streamed message of Anthropic's API to chat events, as they arrive, with each tool call once it is whole.
import { readJsonObject } from '@fairgate/contracts/chat/tools.ts'
import { tooLarge } from '../../byte-reader.ts'
import { type SaidChunk, StreamedAnswer, usageReported } from '../../chat-events.ts'
import type { UpstreamStream } from '../../exchange.ts'
import { asRecord, asString, type JsonRecord } from '../../narrow-json.ts'
import type { ChatEvent, UsageReport } from '../../port.ts'
import { statusOfEvent } from '../map-anthropic-error.ts'
import { measureDelta, StreamedUsage } from '../map-usage.ts'
import { type AnswerNames, buildToolCall, mapStopReason } from './map-chat-response.ts'
import { packThoughts, readThought, type Thought } from './thoughts.ts'

/** Characters of thoughts and calls: they are kept until their block ends. */
const maxHeld = 32 * 1024 * 1024

type OpenBlock = { readonly start: JsonRecord; thinking: string[]; signature: string; args: string[] }

/** A stream that ends without a stop reason is cut off. */
export class AnthropicAnswer extends StreamedAnswer {
  readonly #names: AnswerNames
  readonly #usage = new StreamedUsage()
  readonly #thoughts: Thought[] = []
  #block: OpenBlock | null = null
  #held = 0
  #calls = 0

  constructor(stream: Pick<UpstreamStream, 'endWithin' | 'mapError'>, names: AnswerNames) {
    super(stream)
    this.#names = names
  }

  protected override findError(said: JsonRecord | null): number | null {
    return statusOfEvent(said)
  }

  protected override read(said: JsonRecord): SaidChunk {
    this.isDone = said.type === 'message_stop'
    const hasFigures = this.#usage.read(said)
    const events = this.#readBlock(said)
    if (hasFigures) events.push(usageReported)
    const isEnd = said.type === 'message_delta'
    const finish = isEnd ? (asString(asRecord(said.delta)?.stop_reason) ?? 'end_turn') : null
    return { events, usage: hasFigures && isEnd ? said : null, finish }
  }

  #readBlock(said: JsonRecord): ChatEvent[] {
    switch (said.type) {
      case 'content_block_start': {
        const start = asRecord(said.content_block) ?? {}
        this.#block = { start, thinking: [], signature: '', args: [] }
        return writeText(asString(start.text))
      }
      case 'content_block_delta':
        return this.#readDelta(asRecord(said.delta) ?? {})
      case 'content_block_stop':
        return this.#endBlock()
      default:
        return []
    }
  }

  #readDelta(delta: JsonRecord): ChatEvent[] {
    const characters = measureDelta(delta)
    const text = asString(delta.text)
    if (text !== null) return writeText(text)
    this.#held += characters
    if (this.#held > maxHeld) throw tooLarge()
    const thinking = asString(delta.thinking) ?? ''
    if (this.#block !== null) {
      if (thinking !== '') this.#block.thinking.push(thinking)
      this.#block.signature += asString(delta.signature) ?? ''
      this.#block.args.push(asString(delta.partial_json) ?? '')
    }
    if (thinking !== '') return [{ type: 'reasoning-delta', text: thinking }]
    return characters === 0 ? [] : [{ type: 'progress', characters }]
  }

  #endBlock(): ChatEvent[] {
    if (this.#block === null) return []
    const { start, thinking, signature, args } = this.#block
    this.#block = null
    if (start.type !== 'tool_use') {
      const thought = readThought({ ...start, thinking: thinking.join(''), signature })
      if (thought !== null) this.#thoughts.push(thought)
      return []
    }
    const json = args.join('').trim() || JSON.stringify(start.input ?? {})
    // The cap has cut it off.
    if (readJsonObject(json) === null) return []
    const state = this.#calls === 0 ? packThoughts(this.#thoughts) : null
    this.#calls += 1
    const call = buildToolCall({ id: start.id, name: start.name, args: json, state }, this.#names)
    return [{ type: 'tool-call', call, isMeasured: true }]
  }

  override usage(): UsageReport | null {
    return this.#usage.report()
  }

  protected override addLast(events: ChatEvent[], finish: string): void {
    const state = this.#calls === 0 ? packThoughts(this.#thoughts) : null
    if (state !== null) events.push({ type: 'signature', signature: state })
    const reason = mapStopReason(finish, this.#calls > 0)
    const isEmpty = reason === 'stop' && !this.hasContent
    events.push(isEmpty ? { type: 'finish', reason, fault: 'empty' } : { type: 'finish', reason })
  }
}

function writeText(text: string | null): ChatEvent[] {
  return text === null || text === '' ? [] : [{ type: 'text-delta', text }]
}
