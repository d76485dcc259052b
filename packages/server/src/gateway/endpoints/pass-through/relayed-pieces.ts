// A stream of the pass-through: a piece is an event or an element of the vendor's array. Its bytes are relayed unchanged, metering
// reads along, and the last piece waits for the charge.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { cleanReply } from '../../../upstream/gemini/clean-reply.ts'
import { type LargeFiles, mayBeSent } from '../../../upstream/large-files.ts'
import type { Served, UsageReport } from '../../../upstream/port.ts'
import { type RelayedStream, usualRelayType } from '../../../upstream/relay-port.ts'
import type { StreamPiece } from '../../../upstream/split-stream.ts'
import { emptyAnswer } from '../../../upstream/upstream-failure.ts'
import type { Admitted } from '../../flow/admitted.ts'
import { type Metered, meter, meterInterrupted } from '../../flow/meter.ts'
import type { AnswerInPieces, BrokenEnd } from '../../flow/paid-stream.ts'
import type { Outcome } from '../../flow/settle.ts'
import { buildGeminiError } from './pass-through-family.ts'
import type { GeneratePlan } from './plan-generate.ts'
import { StreamMeter } from './read-usage.ts'
import { cleanPiece, type StreamForm, streamForms } from './stream-forms.ts'

export type RelayedStreamFacts = {
  readonly admitted: Admitted
  readonly plan: GeneratePlan
  readonly form: StreamForm
  /** How many candidates must end before the stream has ended. */
  readonly candidates: number
  readonly open: (signal: AbortSignal) => Promise<RelayedStream>
  readonly largeFiles?: LargeFiles | undefined
  /** How long an upstream may be silent after it has sent everything, before the answer ends without its close. */
  readonly endSilenceMs?: number
}

/** Pieces of one answer follow each other within a second or two, even if a model names a finish in each. Clients wait longer. */
const usualEndSilenceMs = 5000
const closeArray = 0x5d

export class RelayedPieces implements AnswerInPieces {
  private readonly facts: RelayedStreamFacts
  private readonly progress: StreamMeter
  private readonly form: ReturnType<(typeof streamForms)[StreamForm]>
  private stream: RelayedStream | null = null
  /** Split off and not yet read. */
  private waiting: readonly StreamPiece[] = []
  private looked = 0
  /** A piece that may be the end of the answer. */
  private kept: Uint8Array[] = []
  /** Pieces up to the first answer. */
  private readonly first: Uint8Array[] = []
  private hasReadAll = false
  private hasSent = false
  private isClosed = false

  constructor(facts: RelayedStreamFacts) {
    this.facts = facts
    this.progress = new StreamMeter(facts.plan.model, facts.candidates)
    this.form = streamForms[facts.form]()
  }

  measure(outcome: Outcome): Metered | null {
    const { progress } = this
    const { admitted, plan, largeFiles } = this.facts
    const wasSent = outcome !== 'failed' && mayBeSent(largeFiles)
    if (!wasSent && !progress.hasBegun) return null
    const counted = progress.countPieces(outcome === 'completed')
    if (counted !== null) return meter(admitted, [counted])
    if (outcome === 'completed') return meter(admitted, [progress.wholeUsage])
    const seen = { usage: progress.usage, characters: progress.textBytes }
    return meterInterrupted(admitted, plan, [seen])
  }

  usages(): readonly (UsageReport | null)[] {
    return [this.progress.usage]
  }

  async open(signal: AbortSignal): Promise<void> {
    this.stream = await this.facts.open(signal)
  }

  served(): Served {
    return this.stream ?? {}
  }

  close(): void {
    this.stream?.close()
  }

  async begin(): Promise<Readonly<Record<string, string>>> {
    // A stream that fails before it has an answer gets the proper status and is recorded as failed.
    while (!this.progress.hasBegun) {
      const bytes = await this.read().catch(failure => {
        throw this.opened().explain(failure)
      })
      if (bytes === null) break
      this.first.push(bytes)
    }
    return { 'content-type': this.opened().contentType ?? usualRelayType }
  }

  async next(): Promise<Uint8Array | null> {
    return this.first.length > 0 ? Buffer.concat(this.first.splice(0)) : await this.read()
  }

  private async read(): Promise<Uint8Array | null> {
    for (;;) {
      const piece = this.waiting[this.looked]
      if (piece !== undefined) {
        this.looked += 1
        const leaving = this.take(piece)
        if (leaving !== null) return leaving
        continue
      }
      if (this.hasReadAll) break
      await this.readMore()
    }
    if (!this.progress.hasBegun) throw emptyAnswer()
    return null
  }

  isWhole(): boolean {
    return this.progress.hasEnded
  }

  end(): Uint8Array {
    if (this.facts.form === 'array' && this.progress.hasEnded && !this.isClosed)
      this.kept.push(Buffer.from(']'))
    return Buffer.concat(this.kept)
  }

  fail(failure: unknown, unwritten: unknown): BrokenEnd {
    const late = unwritten instanceof ApiError ? unwritten : new ApiError('unavailable')
    const error = failure === null ? late : this.opened().explain(failure)
    return { error, bytes: this.form.frameError(buildGeminiError(error), !this.hasSent) }
  }

  /** Nothing: an array has no comments, and older clients of the vendor fail at a comment between its events. */
  keepAlive(): string {
    return ''
  }

  private opened(): RelayedStream {
    if (this.stream === null) throw new Error('The relayed stream was read before it was opened.')
    return this.stream
  }

  private async readMore(): Promise<void> {
    const reading = this.opened().read()
    const silenceMs = this.facts.endSilenceMs ?? usualEndSilenceMs
    const next = this.progress.hasSaidAll ? await readUnlessSilent(reading, silenceMs) : await reading
    this.hasReadAll = next === null || next.done
    const { split } = this.form
    const pieces = next?.value === undefined ? split.end() : split.push(next.value)
    // In an unfinished piece from a silent upstream, only the end of the array means anything.
    this.waiting = next === null ? pieces.filter(piece => this.isEndOfArray(piece)) : pieces
    this.looked = 0
  }

  /** Meters a piece and returns the bytes that may leave now. Throws ApiError for an error in the stream, and if metering is impossible. */
  private take(piece: StreamPiece): Uint8Array | null {
    const stream = this.opened()
    if (!this.form.isFramed(piece)) throw notAStream()
    const error = this.progress.read(piece.payload)
    if (error !== null) throw stream.mapError(error.status, error.body)
    const { raw, payload } = cleanPiece(piece, payload => cleanReply(payload, stream.redact), stream.redact)
    const isEnd = this.isEndOfArray({ raw, payload })
    this.isClosed ||= isEnd
    // Another piece shows that the one kept back was not the last.
    const leaving = this.kept.length > 0 && payload === null ? [] : this.kept.splice(0)
    const isLast = this.kept.length > 0 || this.progress.hasEnded || isEnd
    if (isLast) this.kept.push(raw)
    else leaving.push(raw)
    const [first] = leaving
    if (first === undefined) return null
    this.hasSent = true
    return leaving.length === 1 ? first : Buffer.concat(leaving)
  }

  /** Nothing may follow it, so it always waits for the charge. */
  private isEndOfArray({ raw, payload }: StreamPiece): boolean {
    return this.facts.form === 'array' && payload === null && raw.includes(closeArray)
  }
}

function notAStream(): ApiError {
  return new ApiError('upstream_error', {
    message: 'The model provider sent something other than a stream.',
  })
}

/** Null if nothing came for so many milliseconds: later bytes are lost, so the stream must then be closed. */
async function readUnlessSilent<Read>(reading: Promise<Read>, silenceMs: number): Promise<Read | null> {
  const silence = Promise.withResolvers<null>()
  const timer = setTimeout(silence.resolve, silenceMs, null)
  try {
    return await Promise.race([reading, silence.promise])
  } finally {
    clearTimeout(timer)
  }
}
