// A chat model's streamed answer, in any dialect: a piece is what the upstream sent at once for one choice. A writer encodes it.
import { toUsdNumber } from '../../ledger/money.ts'
import { type LargeFiles, mayBeSent } from '../../upstream/large-files.ts'
import type {
  ChatCall,
  ChatEvent,
  ChatStream,
  ChatUpstream,
  Served,
  UsageReport,
} from '../../upstream/port.ts'
import type { Admitted } from '../flow/admitted.ts'
import type { Answer } from '../flow/call-facts.ts'
import { type Metered, meter, meterInterrupted } from '../flow/meter.ts'
import { type AnswerInPieces, type BrokenEnd, keepAliveComment } from '../flow/paid-stream.ts'
import type { Outcome } from '../flow/settle.ts'
import { MergedStreams } from './merge-streams.ts'
import type { ChatPlan } from './plan-chat.ts'

/** Writes upstream events in one dialect. Keeps from the request only what it writes. */
export type AnswerWriter = {
  /** Before the first event. `created`: Unix seconds. `usage`: what the upstream has reported so far for the first choice. */
  begin(created: number, usage: () => UsageReport | null): void
  /** The bytes of an event; '' if clients see nothing of it. `index`: of the choice. */
  write(index: number, event: ChatEvent): string
  /** The last bytes, once the charge is on disk. `usage`: one per choice that reported some. */
  end(usage: readonly UsageReport[], costUsd: number): string
  /**
   * Stores the answer, once the charge is on disk and before `end`; null if it is not to be stored. Never rejects: an answer that cannot
   * be stored is sent anyway.
   */
  store?(usage: readonly UsageReport[], costUsd: number): Promise<void> | null
  /** The call has ended, however it did. `store`, `end` and `fail` may follow. */
  close?(): void
  /** The last bytes of an answer that broke after it had started. */
  fail(error: unknown): string
  /** Keep-alive bytes, for a dialect with an event for them. Default: a comment. */
  keepAlive?(): string
}

export type AnswerFacts = {
  readonly admitted: Admitted
  readonly plan: Pick<ChatPlan, 'estimatedInput'>
  readonly writer: AnswerWriter
  /** One per choice. */
  readonly calls: readonly ChatCall[]
  readonly upstream: Pick<ChatUpstream, 'stream'>
  /** Unix ms. */
  readonly clock: () => number
}

const noHeaders = {}
const noServed: Served = {}

/** UTF-16 units; more than the 4,000 code points that are compared. */
export const maxAnswerText = 8192

export class AnswerPieces implements AnswerInPieces, Answer {
  readonly answer: Answer = this
  private readonly facts: Omit<AnswerFacts, 'plan' | 'calls'>
  /** Estimate for one choice, if it reports no usage. */
  private readonly expected: { readonly estimatedInput: number; readonly outputCap: number }
  /** The upstream request. Dropped once sent, since a conversation takes far more memory than its stream. */
  private calls: readonly ChatCall[]
  private readonly large: LargeFiles | undefined
  /** One per choice. */
  private streams: readonly ChatStream[] = []
  /** Merges multiple choices; a single one is read as is. */
  private merged: MergedStreams | null = null
  /** Output that each choice has delivered so far. */
  private readonly characters: number[]
  /** Read before the reply starts. */
  private first: readonly ChatEvent[] | null = null
  private hasBegun = false
  /** The first choice's text, for its digest. */
  private firstText = ''
  private readonly finishes: string[] = []

  constructor({ plan, calls, ...facts }: AnswerFacts) {
    this.facts = facts
    this.calls = calls
    this.large = calls[0]?.request.largeFiles
    this.characters = calls.map(() => 0)
    this.expected = { estimatedInput: plan.estimatedInput, outputCap: calls[0]?.outputCap ?? 0 }
  }

  measure(outcome: Outcome, charged: Admitted): Metered | null {
    if (outcome === 'completed')
      return meter(
        charged,
        this.usages().map(usage => usage ?? absent),
      )
    // Before the first event nothing was done, unless the client left a call that was already running, and not its upload.
    if (!this.hasBegun && (outcome !== 'client_closed' || !mayBeSent(this.large))) return null
    const seen = this.characters.map((characters, index) => ({ usage: this.usageOf(index), characters }))
    return meterInterrupted(charged, this.expected, seen)
  }

  usages(): readonly (UsageReport | null)[] {
    return this.characters.map((_, index) => this.usageOf(index))
  }

  /** One stream per choice. */
  async open(signal: AbortSignal): Promise<void> {
    const { calls } = this
    const { upstream, admitted } = this.facts
    this.calls = []
    this.streams = await Promise.all(
      calls.map(async call => upstream.stream(call, signal, admitted.caller.team.teamId)),
    )
    if (this.streams.length > 1) this.merged = new MergedStreams(this.streams)
  }

  served(): Served {
    return this.streams[0] ?? noServed
  }

  close(): void {
    for (const stream of this.streams) stream.close()
    this.facts.writer.close?.()
  }

  async begin(): Promise<Readonly<Record<string, string>>> {
    this.first = await this.read()
    this.hasBegun = true
    this.facts.writer.begin(Math.floor(this.facts.clock() / 1000), () => this.usageOf(0))
    return noHeaders
  }

  async next(): Promise<string | null> {
    for (;;) {
      const events = this.first ?? (await this.read())
      this.first = null
      if (events === null) return null
      const text = this.take(this.merged?.index ?? 0, events)
      if (text !== '') return text
    }
  }

  isWhole(): boolean {
    return false
  }

  end(metered: Metered | null): string | Promise<string> {
    const { writer, admitted } = this.facts
    const cost = toUsdNumber(metered?.cost ?? admitted.hold.amount)
    const usage = this.usages().flatMap(report => report ?? [])
    const stored = writer.store?.(usage, cost) ?? null
    return stored === null ? writer.end(usage, cost) : stored.then(() => writer.end(usage, cost))
  }

  fail(failure: unknown, unwritten: unknown): BrokenEnd {
    const error = failure ?? unwritten
    return { error, bytes: this.facts.writer.fail(error) }
  }

  keepAlive(): string {
    return this.facts.writer.keepAlive?.() ?? keepAliveComment
  }

  private read(): Promise<readonly ChatEvent[] | null> {
    const source = this.merged ?? this.streams[0]
    if (source === undefined) throw new Error('The chat stream was read before it was opened.')
    return source.read()
  }

  private usageOf(index: number): UsageReport | null {
    return this.streams[index]?.usage() ?? null
  }

  text(): string | null {
    return this.firstText === '' ? null : this.firstText
  }

  finishReasons(): readonly string[] {
    return this.finishes
  }

  private take(index: number, events: readonly ChatEvent[]): string {
    let characters = this.characters[index] ?? 0
    let text = ''
    for (const event of events) {
      characters += measureEvent(event)
      if (event.type === 'text-delta' && index === 0 && this.firstText.length < maxAnswerText)
        this.firstText += event.text
      else if (event.type === 'finish') this.finishes.push(event.reason)
      text += this.facts.writer.write(index, event)
    }
    this.characters[index] = characters
    return text
  }
}

const absent: UsageReport = { kind: 'absent' }

const charactersPerToken = 4
/** Max tokens of one image in any size. */
const imageTokens = 2520
/** 24 kHz of 16 bits, 25 tokens a second. */
const audioBytesPerToken = 1920

export function measureEvent(event: ChatEvent): number {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return event.text.length
    case 'progress':
      return event.characters
    case 'tool-call':
      if (event.isMeasured === true) return 0
      return event.call.function.name.length + event.call.function.arguments.length
    case 'image':
      return imageTokens * charactersPerToken
    case 'audio-delta':
      return Math.ceil((event.audio.base64.length * 0.75) / audioBytesPerToken) * charactersPerToken
    default:
      return 0
  }
}
