// Turns the model's output into the output items of a response, and the events that report them as they grow.
import type { FinishReason, ToolCall } from '@fairgate/contracts/chat/response.ts'
import type {
  Citation,
  OutputItem,
  OutputMessage,
  ReasoningItem,
} from '@fairgate/contracts/responses/response.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { AnswerFault, ChatChoice, ChatEvent } from '../../../upstream/port.ts'
import { splitToolCallId } from '../../../upstream/tool-call-id.ts'
import { packReasoning } from '../../conversation/reasoning-envelope.ts'
import { packSummary } from './compaction.ts'
import type { ToolTable } from './read-tools.ts'
import { unwrapCustomInput } from './read-tools.ts'
import { writeItemId } from './response-ids.ts'

/** The answer format of one request. */
export type AnswerForm = {
  readonly model: CatalogModel
  readonly tools: ToolTable
  readonly showsReasoning: boolean
  /** A client that asked for one call at a time gets no more. */
  readonly hasOneCall: boolean
  /** One item with the compacted conversation, and nothing else. */
  readonly isCompaction: boolean
}

/** `facts`: the members of the event besides its type and its number. */
export type Emit = (type: string, facts: Readonly<Record<string, unknown>>) => void

type OpenItem =
  | { readonly kind: 'reasoning'; readonly id: string; text: string }
  | { readonly kind: 'message'; readonly id: string; text: string; readonly citations: Citation[] }

/**
 * Signatures of the model travel in `encrypted_content` of reasoning items, each before its call: every client tried sends those
 * back, and call ids stay short.
 */
export class AnswerItems {
  /** Completed items, in order. */
  readonly output: OutputItem[] = []
  finish: FinishReason | null = null
  /** The answer is empty: an agent must not take it for the end of its turn. */
  fault: AnswerFault | null = null
  private readonly form: AnswerForm
  private readonly callId: string
  private readonly emit: Emit
  private open: OpenItem | null = null
  /** Outside of the calls; not written yet. */
  private textSignature: string | null = null
  private calls = 0
  private summary = ''

  constructor(form: AnswerForm, callId: string, emit: Emit) {
    this.form = form
    this.callId = callId
    this.emit = emit
  }

  take(event: ChatEvent): void {
    if (this.form.isCompaction) {
      this.takeSummary(event)
      return
    }
    switch (event.type) {
      case 'reasoning-delta':
        this.reason(event.text)
        return
      case 'text-delta':
        this.say(event.text)
        return
      case 'signature':
        this.textSignature = event.signature
        return
      case 'tool-call':
        this.call(event.call)
        return
      case 'metadata':
        for (const { url_citation: cited } of event.annotations) this.cite({ type: 'url_citation', ...cited })
        return
      case 'finish':
        this.endMessage(event.reason === 'length' ? 'incomplete' : 'completed')
        this.endReasoning(null)
        this.finish = event.reason
        this.fault = event.fault ?? null
        return
      default:
      // Usage is in the last event. Images and audio are not requested.
    }
  }

  private takeSummary(event: ChatEvent): void {
    if (event.type === 'text-delta') this.summary += event.text
    if (event.type !== 'finish') return
    this.finish = event.reason
    if (this.summary.trim() === '') {
      this.fault = event.fault ?? 'empty'
      return
    }
    const id = this.newId('cmp')
    const item = { id, type: 'compaction', encrypted_content: packSummary(this.summary) } as const
    this.add(item)
    this.done(item)
  }

  private reason(text: string): void {
    if (text === '' || !this.form.showsReasoning) return
    this.endMessage('completed')
    if (this.open?.kind !== 'reasoning') {
      const id = this.newId('rs')
      this.add({ id, type: 'reasoning', summary: [] })
      this.open = { kind: 'reasoning', id, text: '' }
      this.report('response.reasoning_summary_part.added', id, {
        summary_index: 0,
        part: { type: 'summary_text', text: '' },
      })
    }
    this.open.text += text
    this.report('response.reasoning_summary_text.delta', this.open.id, { summary_index: 0, delta: text })
  }

  /** The open reasoning, or what must be sent back with the next call although no reasoning was shown. */
  private endReasoning(callSignature: string | null): void {
    const { open, textSignature } = this
    const isSigned = callSignature !== null || textSignature !== null
    const shown = open?.kind === 'reasoning' ? open : null
    if (shown === null && !isSigned) return
    this.open = null
    this.textSignature = null
    const signatures = { calls: callSignature === null ? [] : [callSignature], text: textSignature }
    const item: ReasoningItem = {
      id: shown?.id ?? this.newId('rs'),
      type: 'reasoning',
      summary: shown === null ? [] : [{ type: 'summary_text', text: shown.text }],
      ...(isSigned ? { encrypted_content: packReasoning(this.form.model, signatures) } : {}),
    }
    if (shown === null) this.add({ id: item.id, type: 'reasoning', summary: [] })
    else {
      this.report('response.reasoning_summary_text.done', shown.id, { summary_index: 0, text: shown.text })
      this.report('response.reasoning_summary_part.done', shown.id, {
        summary_index: 0,
        part: { type: 'summary_text', text: shown.text },
      })
    }
    this.done(item)
  }

  private say(text: string): void {
    if (text === '') return
    if (this.open?.kind !== 'message') {
      this.endReasoning(null)
      const id = this.newId('msg')
      this.add({ id, type: 'message', status: 'in_progress', role: 'assistant', content: [] })
      this.open = { kind: 'message', id, text: '', citations: [] }
      this.report('response.content_part.added', id, { content_index: 0, part: writePart('', []) })
    }
    this.open.text += text
    this.report('response.output_text.delta', this.open.id, { content_index: 0, delta: text, logprobs: [] })
  }

  private cite(citation: Citation): void {
    const { open } = this
    if (open?.kind !== 'message') return
    this.report('response.output_text.annotation.added', open.id, {
      content_index: 0,
      annotation_index: open.citations.length,
      annotation: citation,
    })
    open.citations.push(citation)
  }

  private endMessage(status: OutputMessage['status']): void {
    const { open } = this
    if (open?.kind !== 'message') return
    this.open = null
    const { id, text, citations } = open
    const part = writePart(text, citations)
    this.report('response.output_text.done', id, { content_index: 0, text, logprobs: [] })
    this.report('response.content_part.done', id, { content_index: 0, part })
    this.done({ id, type: 'message', status, role: 'assistant', content: [part] })
  }

  private call({ id: signedId, function: { name: innerName, arguments: said } }: ToolCall): void {
    this.calls += 1
    if (this.calls > 1 && this.form.hasOneCall) return
    const { names, customNames } = this.form.tools
    const { id: call_id, signature } = splitToolCallId(signedId)
    this.endMessage('completed')
    this.endReasoning(signature)
    const { name, namespace } = names.toOuter(innerName)
    const called = { call_id, name, ...(namespace === null ? {} : { namespace }) }
    if (customNames.has(innerName)) {
      const id = this.newId('ctc')
      const input = unwrapCustomInput(name, said)
      const item = { id, type: 'custom_tool_call', status: 'in_progress', ...called, input: '' } as const
      this.add(item)
      this.report('response.custom_tool_call_input.delta', id, { delta: input })
      this.report('response.custom_tool_call_input.done', id, { input })
      this.done({ ...item, status: 'completed', input })
      return
    }
    const id = this.newId('fc')
    const item = { id, type: 'function_call', status: 'in_progress', ...called, arguments: '' } as const
    this.add(item)
    this.report('response.function_call_arguments.delta', id, { delta: said })
    this.report('response.function_call_arguments.done', id, { name, arguments: said })
    this.done({ ...item, status: 'completed', arguments: said })
  }

  /** One item is open at a time, and it is the next of the output. */
  private newId(kind: string): string {
    return writeItemId(kind, this.callId, this.output.length)
  }

  private add(item: unknown): void {
    this.emit('response.output_item.added', { output_index: this.output.length, item })
  }

  private report(type: string, itemId: string, facts: Readonly<Record<string, unknown>>): void {
    this.emit(type, { item_id: itemId, output_index: this.output.length, ...facts })
  }

  private done(item: OutputItem): void {
    this.emit('response.output_item.done', { output_index: this.output.length, item })
    this.output.push(item)
  }
}

function writePart(text: string, annotations: readonly Citation[]) {
  return { type: 'output_text' as const, text, annotations: [...annotations], logprobs: [] }
}

/** A whole answer as the events that a streamed one would have had. The signature comes first: it belongs to what follows. */
export function* listEvents(choice: ChatChoice): Iterable<ChatEvent> {
  const { reasoning, thinkingBlocks, text, annotations, toolCalls, finishReason, fault } = choice
  const signature = thinkingBlocks.findLast(block => block.signature)?.signature
  if (reasoning) yield { type: 'reasoning-delta', text: reasoning }
  if (signature) yield { type: 'signature', signature }
  if (text) yield { type: 'text-delta', text }
  const nothing = { citationMetadata: null, groundingMetadata: null, urlContextMetadata: null }
  if (annotations.length > 0) yield { type: 'metadata', annotations, ...nothing }
  for (const call of toolCalls) yield { type: 'tool-call', call }
  yield { type: 'finish', reason: finishReason, ...(fault === undefined ? {} : { fault }) }
}
