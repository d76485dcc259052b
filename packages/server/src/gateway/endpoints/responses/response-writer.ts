// Chat events → the bytes of a streamed response: typed events with rising numbers, and the response object at both ends.
import type { ResponsesRequest } from '@fairgate/contracts/responses/request.ts'
import type { ResponsesUsage } from '@fairgate/contracts/responses/response.ts'
import type { ChatEvent, UsageReport } from '../../../upstream/port.ts'
import type { AnswerWriter } from '../../conversation/answer-pieces.ts'
import { explainFault } from '../../conversation/explain-fault.ts'
import { type AnswerForm, AnswerItems } from './answer-items.ts'
import { buildFrame, buildResponse, buildResponsesUsage, type ResponseFrame } from './build-response.ts'
import { describeFailure } from './write-responses-error.ts'

export class ResponseWriter implements AnswerWriter {
  private readonly frame: ResponseFrame
  private readonly items: AnswerItems
  private created = 0
  private sequence = 0
  /** Told, and not given to the client yet. */
  private text = ''

  constructor(request: ResponsesRequest, form: AnswerForm, callId: string) {
    this.frame = buildFrame(request, callId, 0)
    this.items = new AnswerItems(form, callId, (type, facts) => this.tell(type, facts))
  }

  begin(created: number): void {
    this.created = created
    this.tell('response.created', { response: this.inProgress() })
    this.tell('response.in_progress', { response: this.inProgress() })
  }

  /** One choice only. */
  write(_index: number, event: ChatEvent): string {
    this.items.take(event)
    return this.give()
  }

  /** While the model is silent: Codex counts events, not comments, before it gives up. Every client tried takes this one again. */
  keepAlive(): string {
    this.tell('response.in_progress', { response: this.inProgress() })
    return this.give()
  }

  end(usage: readonly UsageReport[], costUsd: number): string {
    const { output, finish, fault } = this.items
    const used = buildResponsesUsage(usage, costUsd)
    if (fault !== null) return this.failWith(explainFault(fault), used)
    const response = buildResponse(this.timed(), { output, finish, usage: used })
    this.tell(`response.${response.status}`, { response })
    return this.give()
  }

  fail(error: unknown): string {
    return this.failWith(error, null)
  }

  private failWith(error: unknown, usage: ResponsesUsage | null): string {
    const { output } = this.items
    const failed = { status: 'failed', error: describeFailure(error), output, usage }
    this.tell('response.failed', { response: { ...this.inProgress(), ...failed } })
    return this.give()
  }

  private timed(): ResponseFrame {
    return { ...this.frame, created_at: this.created }
  }

  private inProgress() {
    const nothing = { error: null, incomplete_details: null, output: [], usage: null }
    return { ...this.timed(), status: 'in_progress', ...nothing }
  }

  /** Clients read the type in the data; some want it in the line `event` too. */
  private tell(type: string, facts: Readonly<Record<string, unknown>>): void {
    this.text += `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.sequence, ...facts })}\n\n`
    this.sequence += 1
  }

  private give(): string {
    const { text } = this
    this.text = ''
    return text
  }
}
