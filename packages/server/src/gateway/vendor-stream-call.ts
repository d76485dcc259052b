// A stream of the pass-through: bytes go on as they come, metering reads along, and the last piece waits for the charge.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Call } from '../http/call.ts'
import { serverSentEventsResponse } from '../http/server-sent-events.ts'
import { emptyAnswer } from '../upstream/empty-answer.ts'
import type { RelayedStream } from '../upstream/relay-port.ts'
import { cleanPiece } from './endpoints/pass-through/clean-piece.ts'
import type { GeneratePlan } from './endpoints/pass-through/plan-generate.ts'
import type { StreamPiece, StreamSplitter } from './endpoints/pass-through/split-stream.ts'
import { type StreamForm, streamForms } from './endpoints/pass-through/stream-forms.ts'
import { createStreamMeter } from './endpoints/pass-through/stream-meter.ts'
import { buildGeminiError } from './endpoints/pass-through/write-gemini-error.ts'
import { createRunHeld, type HeldCall, type HeldDependencies } from './held-call.ts'
import { readUnlessSilent } from './read-unless-silent.ts'
import type { Caller } from './stages/1-authenticate.ts'
import { meter, meterInterrupted } from './stages/5-meter.ts'
import type { Outcome } from './stages/6-settle.ts'
import { admissionHeaders } from './stages/7-respond.ts'
import { buildProgress } from './stream-rows.ts'

export type VendorStreamDependencies = HeldDependencies & {
  /** How long an upstream may be silent after it has said everything, before the answer ends without its close. */
  readonly endSilenceMs?: number
}

/** Pieces of one answer come within a second or two of each other, also of models that name a finish in each; clients wait longer. */
const usualEndSilenceMs = 5000

export type VendorStreamOperation = {
  readonly plan: GeneratePlan
  readonly form: StreamForm
  /** How many candidates must have ended before the stream has. */
  readonly candidates: number
  readonly open: (signal: AbortSignal) => Promise<RelayedStream>
}

export type VendorStreamCall = (
  caller: Caller,
  context: Call<unknown, unknown>,
  operation: VendorStreamOperation,
) => Promise<Response>

export function createVendorStreamCall(dependencies: VendorStreamDependencies): VendorStreamCall {
  const { clock, endSilenceMs = usualEndSilenceMs } = dependencies
  const runHeld = createRunHeld(dependencies)
  return (caller, context, operation) =>
    runHeld(caller, context, operation.plan, held => relay(held, context, operation))

  async function relay(
    held: HeldCall,
    context: Call<unknown, unknown>,
    { plan, form, candidates, open }: VendorStreamOperation,
  ): Promise<Response> {
    const { admitted } = held
    const controller = new AbortController()
    const progress = createStreamMeter(plan.model, candidates)
    held.whenEnded(() => controller.abort())
    held.owe(outcome => (outcome === 'failed' && !progress.hasBegun() ? null : meterNow(outcome)))
    const abandon = () => controller.abort()
    context.signal.addEventListener('abort', abandon)
    const stream = await openStream()
    context.signal.removeEventListener('abort', abandon)
    let hasLeft = false
    const leave = () => {
      hasLeft = true
      controller.abort()
      held.end('client_closed').catch(held.report)
    }
    if (context.signal.aborted) leave()
    else context.signal.addEventListener('abort', leave)
    const headers = { ...admissionHeaders(admitted), 'content-type': stream.contentType }
    return held.outlive(serverSentEventsResponse(relayPieces(), { headers, onCancel: leave }))

    /** The open row is on disk before the first byte, so that a crash from here on finds it. */
    async function openStream(): Promise<RelayedStream> {
      try {
        const opened = held.openRow(() => buildProgress(admitted, [progress.usage()], clock()))
        const opening = (async () => open(controller.signal))()
        const [row, answer] = await Promise.allSettled([opened, opening])
        if (answer.status === 'fulfilled') held.whenEnded(answer.value.close)
        if (row.status === 'rejected') throw row.reason
        if (answer.status === 'rejected') throw answer.reason
        return answer.value
      } catch (error) {
        context.signal.removeEventListener('abort', abandon)
        await held.end(context.signal.aborted ? 'client_closed' : 'failed')
        throw error
      }
    }

    function meterNow(outcome: Outcome) {
      const pieces = progress.pieces(outcome === 'completed')
      if (pieces !== null) return meter(admitted, [pieces])
      if (outcome === 'completed') return meter(admitted, [progress.wholeUsage()])
      const { outputCap } = plan
      const estimatedInput = admitted.countedInput ?? plan.estimatedInput
      const seen = { usage: progress.usage(), characters: progress.textBytes() }
      return meterInterrupted({ ...admitted, estimatedInput, outputCap }, [seen])
    }

    async function* relayPieces(): AsyncGenerator<Uint8Array> {
      const { split, frameError } = streamForms[form]()
      const kept: Uint8Array[] = []
      let hasSent = false
      let isClosed = false
      try {
        let failure: unknown = null
        try {
          for await (const piece of readPieces(split)) {
            isClosed ||= isEndOfArray(piece)
            // A further piece shows that the one kept back was not the last.
            const leaving = kept.length > 0 && piece.payload === null ? [] : kept.splice(0)
            const isLast = kept.length > 0 || progress.hasEnded() || isEndOfArray(piece)
            if (isLast) kept.push(piece.raw)
            else leaving.push(piece.raw)
            for (const raw of leaving) {
              hasSent = true
              yield raw
            }
          }
          if (!progress.hasBegun()) throw emptyAnswer()
        } catch (cause) {
          failure = cause
        }
        if (hasLeft) return
        // Whatever broke after the answer had come to its end is no failure of the answer.
        const isWhole = failure === null || progress.hasEnded()
        if (form === 'array' && progress.hasEnded() && !isClosed) kept.push(Buffer.from(']'))
        const unwritten = await held.end(isWhole ? 'completed' : 'failed').then(() => null, String)
        if (unwritten === null && isWhole && kept.length > 0) {
          hasSent = true
          yield Buffer.concat(kept)
        }
        if (isWhole && unwritten === null) return
        const error = failure === null ? new ApiError('unavailable') : stream.explain(failure)
        held.report(error)
        yield frameError(buildGeminiError(error), !hasSent)
      } finally {
        // Reached without a charge only when the consumer stopped reading: the client is gone.
        context.signal.removeEventListener('abort', leave)
        await held.end('client_closed').catch(() => undefined)
      }
    }

    /** Metered as they are read. Throws ApiError for an error that stands in the stream. */
    async function* readPieces(split: StreamSplitter): AsyncGenerator<StreamPiece> {
      const reader = stream.body.getReader()
      for (let ended = false; !ended; ) {
        const reading = reader.read()
        const next = progress.hasSaidAll() ? await readUnlessSilent(reading, endSilenceMs) : await reading
        ended = next === null || next.done
        for (const piece of next?.value === undefined ? split.end() : split.push(next.value)) {
          // Of what a silent upstream has only begun, nothing but the end of the array means anything.
          if (next === null && !isEndOfArray(piece)) continue
          const error = progress.read(piece.payload)
          if (error !== null) throw stream.mapError(error.status, error.body)
          yield cleanPiece(piece, stream)
        }
      }
    }

    /** Nothing may follow it, so it waits for the charge whatever came before. */
    function isEndOfArray({ raw, payload }: StreamPiece): boolean {
      return form === 'array' && payload === null && raw.includes(closeArray)
    }
  }
}

const closeArray = 0x5d
