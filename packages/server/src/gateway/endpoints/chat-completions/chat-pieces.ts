// A streamed chat turn: a piece is what one read of an upstream brings, and its bytes are chunks in OpenAI's form.
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import { toUsdNumber } from '../../../ledger/money.ts'
import type { ChatCall, ChatEvent, ChatUpstream, UsageReport } from '../../../upstream/port.ts'
import type { Admitted } from '../../flow/admit.ts'
import { type Metered, meter, meterInterrupted } from '../../flow/meter.ts'
import type { AnswerInPieces, BrokenEnd } from '../../flow/paid-stream.ts'
import type { Outcome } from '../../flow/settle.ts'
import { type ChunkWriter, createChunkWriter } from './build-chunks.ts'
import { measureEvent } from './measure-event.ts'
import { type MergedBatch, mergeStreams } from './merge-streams.ts'
import type { ChatPlan } from './plan-chat.ts'

export type ChatStreamFacts = {
  readonly admitted: Admitted
  readonly plan: ChatPlan
  readonly request: ChatRequest
  /** One per choice. */
  readonly calls: readonly ChatCall[]
  readonly upstream: Pick<ChatUpstream, 'stream'>
  /** Unix ms. */
  readonly clock: () => number
}

/** What one choice has shown so far. */
type Choice = { usage: UsageReport | null; characters: number }

const noHeaders = {}

export class ChatPieces implements AnswerInPieces {
  private readonly facts: ChatStreamFacts
  private readonly choices: readonly Choice[]
  private batches: AsyncIterator<MergedBatch> | null = null
  /** Read before the reply begins. */
  private first: IteratorResult<MergedBatch> | null = null
  private chunks: ChunkWriter
  private hasBegun = false

  constructor(facts: ChatStreamFacts) {
    this.facts = facts
    this.choices = facts.calls.map(() => ({ usage: null, characters: 0 }))
    this.chunks = this.createWriter(0)
  }

  measure(outcome: Outcome): Metered | null {
    const { admitted, plan, calls } = this.facts
    if (outcome === 'completed') return meter(admitted, this.choices.map(readWhole))
    // Before the first event nothing was done, unless the client left a call that was already under way.
    if (!this.hasBegun && outcome !== 'client_closed') return null
    const expected = { estimatedInput: plan.estimatedInput, outputCap: calls[0]?.outputCap ?? 0 }
    return meterInterrupted(admitted, expected, this.choices)
  }

  usages(): readonly (UsageReport | null)[] {
    return this.choices.map(({ usage }) => usage)
  }

  /** One stream per choice. */
  async open(signal: AbortSignal): Promise<void> {
    const { calls, upstream } = this.facts
    const streams = await Promise.all(calls.map(async call => upstream.stream(call, signal)))
    this.batches = mergeStreams(streams)
  }

  async begin(): Promise<Readonly<Record<string, string>>> {
    this.first = await this.read()
    this.hasBegun = true
    this.chunks = this.createWriter(Math.floor(this.facts.clock() / 1000))
    return noHeaders
  }

  async next(): Promise<string | null> {
    for (;;) {
      const { done, value } = this.first ?? (await this.read())
      this.first = null
      if (done === true) return null
      const text = this.take(value)
      if (text !== '') return text
    }
  }

  isWhole(): boolean {
    return false
  }

  end(metered: Metered | null): string {
    const cost = metered?.cost ?? this.facts.admitted.hold.amount
    return this.chunks.end(
      this.choices.flatMap(({ usage }) => usage ?? []),
      toUsdNumber(cost),
    )
  }

  fail(failure: unknown, unwritten: unknown): BrokenEnd {
    const error = failure ?? unwritten
    return { error, bytes: this.chunks.fail(error) }
  }

  private read(): Promise<IteratorResult<MergedBatch>> {
    if (this.batches === null) throw new Error('A chat stream is read before it is open.')
    return this.batches.next()
  }

  /** What came together leaves together. */
  private take({ index, events }: MergedBatch): string {
    let text = ''
    for (const event of events) {
      this.track(index, event)
      text += this.chunks.write(index, event)
    }
    return text
  }

  private track(index: number, event: ChatEvent): void {
    const choice = this.choices[index]
    if (choice === undefined) return
    if (event.type === 'usage') choice.usage = event.usage
    else choice.characters += measureEvent(event)
  }

  private createWriter(created: number): ChunkWriter {
    const { request, admitted } = this.facts
    return createChunkWriter({ request, callId: admitted.callId, created })
  }
}

function readWhole({ usage }: Choice): UsageReport {
  return usage ?? { kind: 'absent' }
}
