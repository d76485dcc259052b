// Turns chat events into the events of a streamed message in Anthropic's format: blocks one after another, each opened and closed.
import type { FinishReason, ToolCall } from '@fairgate/contracts/chat/response.ts'
import type { ContentBlock } from '@fairgate/contracts/messages/response.ts'
import { toApiError } from '../../../http/write-error.ts'
import type { AnswerFault, ChatEvent, UsageReport } from '../../../upstream/port.ts'
import { splitToolCallId } from '../../../upstream/tool-call-id.ts'
import type { AnswerWriter } from '../../conversation/answer-pieces.ts'
import { explainFault } from '../../conversation/answer-turn.ts'
import { packReasoning } from '../../conversation/reasoning-envelope.ts'
import {
  type AnswerForm,
  buildSearch,
  buildUsage,
  refusalText,
  showCallId,
  stopReasonOf,
} from './build-message.ts'
import { buildMessagesError } from './messages-family.ts'

export class MessageWriter implements AnswerWriter {
  private readonly form: AnswerForm
  private usage: () => UsageReport | null = () => null
  private hasStarted = false
  /** Index of the next block, or of the open one. */
  private index = 0
  private open: 'text' | 'thinking' | null = null
  private hasText = false
  private calls = 0
  /** Signature of a text, until a block can carry it. */
  private ofText: string | null = null
  private reason: FinishReason = 'stop'
  private fault: AnswerFault | null = null

  constructor(form: AnswerForm) {
    this.form = form
  }

  begin(_created: number, usage: () => UsageReport | null): void {
    this.usage = usage
  }

  write(_index: number, event: ChatEvent): string {
    switch (event.type) {
      case 'text-delta':
        return event.text === '' ? '' : this.writeText(event.text)
      case 'reasoning-delta': {
        if (!this.form.showsThoughts || event.text === '') return ''
        const opening = this.openBlock('thinking')
        return opening + this.delta({ type: 'thinking_delta', thinking: event.text })
      }
      case 'signature':
        this.ofText = event.signature
        return ''
      case 'tool-call':
        return this.writeCall(event.call)
      case 'metadata':
        return buildSearch(event.annotations, this.form.callId)
          .map(block => this.wholeBlock(block))
          .join('')
      case 'finish':
        this.reason = event.reason
        this.fault = event.fault ?? null
        return ''
      // Models of this endpoint make no media; usage is sent at the end.
      default:
        return ''
    }
  }

  /** Shows that the answer is still being made. It may not come before the start of the message. */
  keepAlive(): string {
    return this.start() + writeEvent('ping', {})
  }

  /** `costUsd` is the charge. */
  end(usage: readonly UsageReport[], costUsd: number): string {
    if (this.fault !== null) return this.fail(explainFault(this.fault))
    const hasShown = this.hasText || this.calls > 0
    const refusal = this.reason === 'content_filter' && !hasShown ? this.writeText(refusalText) : ''
    const closing = this.start() + refusal + this.closeBlock()
    const delta = { stop_reason: stopReasonOf(this.reason, this.calls > 0), stop_sequence: null }
    const figures = { ...buildUsage(usage), cost: costUsd }
    return closing + writeEvent('message_delta', { delta, usage: figures }) + writeEvent('message_stop', {})
  }

  fail(error: unknown): string {
    return writeFailure(error, this.form.callId)
  }

  /** With the input tokens, which the upstream's first chunk has reported by now. */
  private start(): string {
    if (this.hasStarted) return ''
    this.hasStarted = true
    const reported = this.usage()
    const message = {
      id: `msg_${this.form.callId}`,
      type: 'message',
      role: 'assistant',
      model: this.form.modelName,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: buildUsage(reported === null ? [] : [reported]),
    }
    return writeEvent('message_start', { message })
  }

  private writeText(text: string): string {
    this.hasText = true
    return this.openBlock('text') + this.delta({ type: 'text_delta', text })
  }

  /** Puts a signature into the envelope of a thinking block before its call: the open one, or an empty one. */
  private writeCall({ id: signedId, function: called }: ToolCall): string {
    if (this.calls > 0 && this.form.hasOneCall) return ''
    this.calls += 1
    const { id, signature } = splitToolCallId(signedId)
    const isSigned = signature !== null || this.ofText !== null
    const opening = isSigned ? this.openBlock('thinking') : ''
    const closing = this.open === 'thinking' ? this.closeThinking([signature]) : this.closeBlock()
    const name = this.form.names.toOuter(called.name).name
    return (
      this.start() +
      opening +
      closing +
      this.startBlock({ type: 'tool_use', id: showCallId(id), name, input: {} }) +
      this.delta({ type: 'input_json_delta', partial_json: called.arguments }) +
      this.stopBlock()
    )
  }

  private openBlock(kind: 'text' | 'thinking'): string {
    if (this.open === kind) return ''
    const closing = this.start() + this.closeBlock()
    this.open = kind
    const empty = kind === 'text' ? { type: kind, text: '' } : { type: kind, thinking: '', signature: '' }
    return closing + this.startBlock(empty)
  }

  private closeBlock(): string {
    if (this.open === null) return ''
    return this.open === 'thinking' ? this.closeThinking([]) : this.stopBlock()
  }

  /** `calls`: the signatures of the calls that follow. */
  private closeThinking(calls: readonly (string | null)[]): string {
    const signature = packReasoning(this.form.model, { calls, text: this.ofText })
    this.ofText = null
    return this.delta({ type: 'signature_delta', signature }) + this.stopBlock()
  }

  private wholeBlock(block: ContentBlock): string {
    return this.start() + this.closeBlock() + this.startBlock(block) + this.stopBlock()
  }

  private startBlock(block: object): string {
    return writeEvent('content_block_start', { index: this.index, content_block: block })
  }

  private delta(delta: object): string {
    return writeEvent('content_block_delta', { index: this.index, delta })
  }

  private stopBlock(): string {
    const text = writeEvent('content_block_stop', { index: this.index })
    this.index += 1
    this.open = null
    return text
  }
}

/** Clients raise on this event and read no further. */
export function writeFailure(error: unknown, callId: string): string {
  return `event: error\ndata: ${JSON.stringify(buildMessagesError(toApiError(error), callId))}\n\n`
}

/** The line `event:` repeats the type: clients distinguish events by one or the other. */
export function writeEvent(type: string, members: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`
}
