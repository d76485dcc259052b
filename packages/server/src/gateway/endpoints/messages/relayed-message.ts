// A relayed stream of Anthropic's Messages: the data of its events leaves as it came, metering reads along, and the end waits for the charge.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import { statusOfEvent } from '../../../upstream/anthropic/map-anthropic-error.ts'
import { measureDelta, StreamedUsage } from '../../../upstream/anthropic/map-usage.ts'
import type { AskInTurn } from '../../../upstream/choose-upstream.ts'
import type { UpstreamStream } from '../../../upstream/exchange.ts'
import { asRecord, asString, isPresent, type JsonRecord, parseOrNull } from '../../../upstream/narrow-json.ts'
import type { Served, UsageReport } from '../../../upstream/port.ts'
import { EventSplitter, type StreamPiece } from '../../../upstream/split-stream.ts'
import { emptyAnswer } from '../../../upstream/upstream-failure.ts'
import { maxAnswerText } from '../../conversation/answer-pieces.ts'
import type { Admitted } from '../../flow/admitted.ts'
import type { Answer } from '../../flow/call-facts.ts'
import { type ExpectedTokens, type Metered, meter, meterInterrupted } from '../../flow/meter.ts'
import type { AnswerInPieces, BrokenEnd } from '../../flow/paid-stream.ts'
import type { Outcome } from '../../flow/settle.ts'
import { writeEvent, writeFailure } from './message-writer.ts'

/** How long an upstream may take to close once it has sent everything. */
const afterAnswerMs = 1000
const absent: UsageReport = { kind: 'absent' }

type RelayedMessageFacts = {
  /** As named by the client. */
  readonly modelName: string
  readonly callId: string
  readonly expected: ExpectedTokens
  readonly open: (signal: AbortSignal) => Promise<UpstreamStream>
}

export class RelayedMessage implements AnswerInPieces, Answer {
  readonly answer: Answer = this
  private readonly facts: Omit<RelayedMessageFacts, 'open'>
  /** Dropped once used, since a conversation takes far more memory than its stream. */
  private ask: RelayedMessageFacts['open'] | null
  private readonly usage = new StreamedUsage()
  private readonly splitter = new EventSplitter()
  private stream: UpstreamStream | null = null
  private first: Uint8Array | null = null
  /** Thrown once the events before it have left. */
  private failure: { readonly cause: unknown } | null = null
  /** From the stop reason on. */
  private readonly kept: Uint8Array[] = []
  private hasBegun = false
  private stopReason: string | null = null
  private hasEnded = false
  private characters = 0
  private answerText = ''

  constructor({ open, ...facts }: RelayedMessageFacts) {
    this.facts = facts
    this.ask = open
  }

  measure(outcome: Outcome, charged: Admitted): Metered | null {
    const usage = this.usage.report()
    if (outcome === 'completed') return meter(charged, [usage ?? absent])
    // Before the first event nothing was done, unless the client left a call that was already running.
    if (!this.hasBegun && outcome !== 'client_closed') return null
    return meterInterrupted(charged, this.facts.expected, [{ usage, characters: this.characters }])
  }

  usages(): readonly (UsageReport | null)[] {
    return [this.usage.report()]
  }

  async open(signal: AbortSignal): Promise<void> {
    const opening = this.ask?.(signal) ?? null
    this.ask = null
    this.stream = await opening
  }

  served(): Served {
    return this.stream ?? {}
  }

  close(): void {
    this.stream?.close()
  }

  /** A stream that fails before it has an answer gets the proper status and is recorded as failed. */
  async begin(): Promise<Readonly<Record<string, string>>> {
    try {
      this.first = await this.read()
    } catch (failure) {
      throw this.opened().explain(failure)
    }
    if (this.first === null && this.stopReason === null) throw emptyAnswer()
    return {}
  }

  async next(): Promise<Uint8Array | null> {
    const bytes = this.first ?? (await this.read())
    this.first = null
    return bytes
  }

  isWhole(): boolean {
    return this.stopReason !== null
  }

  text(): string | null {
    return this.answerText === '' ? null : this.answerText
  }

  finishReasons(): readonly string[] {
    return this.stopReason === null ? [] : [this.stopReason]
  }

  /** Clients ask again for a message without its last event. */
  end(): Uint8Array {
    if (!this.hasEnded) this.kept.push(Buffer.from(writeEvent('message_stop', {})))
    return Buffer.concat(this.kept)
  }

  fail(failure: unknown, unwritten: unknown): BrokenEnd {
    const late = unwritten instanceof ApiError ? unwritten : new ApiError('unavailable')
    const error = failure === null ? late : this.opened().explain(failure)
    return { error, bytes: writeFailure(error, this.facts.callId) }
  }

  keepAlive(): string {
    return writeEvent('ping', {})
  }

  private opened(): UpstreamStream {
    if (this.stream === null) throw new Error('The relayed message was read before it was opened.')
    return this.stream
  }

  /** The events of one read that may leave; null after the last. */
  private async read(): Promise<Uint8Array | null> {
    while (!this.hasEnded) {
      if (this.failure !== null) throw this.failure.cause
      const { done, value } = await this.opened().read()
      const leaving: Uint8Array[] = []
      try {
        const pieces = value === undefined ? this.splitter.end() : this.splitter.push(value)
        for (const piece of pieces) this.take(piece, leaving)
        if (done && !this.hasEnded) {
          if (this.stopReason === null) throw new Error('The stream ended without a stop reason.')
          if (leaving.length === 0) return null
        }
      } catch (cause) {
        if (leaving.length === 0) throw cause
        this.failure = { cause }
      }
      if (leaving.length > 0) return leaving.length === 1 ? (leaving[0] ?? null) : Buffer.concat(leaving)
    }
    return null
  }

  /**
   * Throws ApiError for an error in the stream. Its own frame is not relayed, and neither is anything outside of events: it may be a page
   * of a proxy, or an error that names the upstream's key.
   */
  private take({ payload }: StreamPiece, leaving: Uint8Array[]): void {
    if (payload === null) return
    const text = Buffer.from(payload).toString().trim()
    const event = asRecord(parseOrNull(text))
    const type = asString(event?.type)
    if (event !== null && (type === 'error' || isPresent(event.error)))
      throw this.opened().mapError(statusOfEvent(event) ?? 500, event)
    if (event === null || type === null || !/^\w+$/.test(type))
      throw new ApiError('upstream_error', {
        message: 'The model provider sent a stream event that is not a reply.',
      })
    this.note(event)
    const bytes = type === 'message_start' ? this.rename(event) : frameEvent(type, text, event)
    if (this.stopReason !== null) this.kept.push(bytes)
    else leaving.push(bytes)
    if (this.hasEnded) this.readOut()
  }

  private note(event: JsonRecord): void {
    this.hasBegun = true
    this.usage.read(event)
    const delta = asRecord(event.delta) ?? {}
    if (event.type === 'content_block_delta') {
      this.characters += measureDelta(delta)
      if (this.answerText.length < maxAnswerText) this.answerText += asString(delta.text) ?? ''
    }
    if (event.type === 'message_delta') this.stopReason ??= asString(delta.stop_reason)
    this.hasEnded = event.type === 'message_stop'
  }

  private rename({ type: _, ...event }: JsonRecord): Uint8Array {
    const message = { ...asRecord(event.message), model: this.facts.modelName }
    return Buffer.from(writeEvent('message_start', { ...event, message }))
  }

  /** A connection that is read to its end serves the next call. */
  private readOut(): void {
    const stream = this.opened()
    stream.endWithin(afterAnswerMs)
    const readOn = async (): Promise<void> => {
      while (!(await stream.read()).done);
    }
    readOn().catch(() => undefined)
  }
}

/** The data as it came, unless it was spread over several lines. */
function frameEvent(type: string, text: string, { type: _, ...event }: JsonRecord): Uint8Array {
  return Buffer.from(/[\r\n]/.test(text) ? writeEvent(type, event) : `event: ${type}\ndata: ${text}\n\n`)
}

/** The first model's stream that opens, in whatever form it is answered. */
export class MessageInTurn implements AnswerInPieces, Answer {
  readonly answer: Answer = this
  private readonly askInTurn: AskInTurn
  private readonly models: readonly [CatalogModel, ...CatalogModel[]]
  /** Null once a model has answered. */
  private create: ((model: CatalogModel) => AnswerInPieces) | null
  private pieces: AnswerInPieces
  private answered: Served = {}

  /** `create`: the answer of a model; throws ApiError `invalid_request` if it cannot be asked. */
  constructor(
    askInTurn: AskInTurn,
    models: readonly [CatalogModel, ...CatalogModel[]],
    create: (model: CatalogModel) => AnswerInPieces,
  ) {
    this.askInTurn = askInTurn
    this.models = models
    this.create = create
    this.pieces = create(models[0])
  }

  async open(signal: AbortSignal): Promise<void> {
    const [first, ...others] = this.models.map(model => ({ model }))
    if (first === undefined) return
    this.answered = await this.askInTurn([first, ...others], signal, async asked => {
      if (asked !== first && this.create !== null) this.pieces = this.create(asked.model)
      await this.pieces.open(signal)
      const { upstreamKey = null } = this.pieces.served?.() ?? {}
      return { upstreamKey }
    })
    this.create = null
  }

  served(): Served {
    return this.answered
  }

  measure(outcome: Outcome, charged: Admitted): Metered | null {
    return this.pieces.measure(outcome, charged)
  }

  usages(): readonly (UsageReport | null)[] {
    return this.pieces.usages()
  }

  close(): void {
    this.pieces.close()
  }

  begin(): Promise<Readonly<Record<string, string>>> {
    return this.pieces.begin()
  }

  next(): Promise<string | Uint8Array | null> {
    return this.pieces.next()
  }

  isWhole(): boolean {
    return this.pieces.isWhole()
  }

  text(): string | null {
    return this.pieces.answer?.text() ?? null
  }

  finishReasons(): readonly string[] {
    return this.pieces.answer?.finishReasons() ?? []
  }

  end(metered: Metered | null): string | Uint8Array | Promise<string | Uint8Array> {
    return this.pieces.end(metered)
  }

  fail(failure: unknown, unwritten: unknown): BrokenEnd {
    return this.pieces.fail(failure, unwritten)
  }

  keepAlive(): string {
    return this.pieces.keepAlive?.() ?? ''
  }
}
