// A stream of the pass-through: bytes go on as they come, metering reads along, and the last piece waits for the charge.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { RequestContext } from '../http/route.ts'
import { serverSentEventsResponse } from '../http/server-sent-events.ts'
import type { Limits } from '../limits/port.ts'
import type { LedgerWriter } from '../store/ledger-writer.ts'
import type { RelayedStream } from '../upstream/relay-port.ts'
import { cleanPiece } from './endpoints/vendor/clean-piece.ts'
import type { GeneratePlan } from './endpoints/vendor/plan-generate.ts'
import type { StreamPiece, StreamSplitter } from './endpoints/vendor/split-stream.ts'
import { type StreamForm, streamForms } from './endpoints/vendor/stream-forms.ts'
import { createStreamMeter } from './endpoints/vendor/stream-meter.ts'
import { buildVendorError } from './endpoints/vendor/write-vendor-error.ts'
import type { Caller } from './stages/1-authenticate.ts'
import { type AdmitDependencies, type Admitted, createAdmit } from './stages/2-admit.ts'
import { meter, meterInterrupted } from './stages/5-meter.ts'
import { createSettle, type Outcome, type SettleDependencies } from './stages/6-settle.ts'
import { admissionHeaders } from './stages/7-respond.ts'
import { buildOpenRow, buildProgress } from './stream-rows.ts'

export type VendorStreamDependencies = AdmitDependencies &
  SettleDependencies & {
    readonly limits: Pick<Limits, 'admit' | 'settle' | 'release'>
    readonly writer: Pick<LedgerWriter, 'openStream' | 'dropStream' | 'charge'>
    readonly reportError: (error: unknown, callId: string) => void
  }

export type VendorStreamOperation = {
  readonly plan: GeneratePlan
  readonly form: StreamForm
  /** How many candidates must have ended before the stream has. */
  readonly candidates: number
  readonly open: (signal: AbortSignal) => Promise<RelayedStream>
}

export type VendorStreamCall = (
  caller: Caller,
  context: RequestContext<unknown, unknown>,
  operation: VendorStreamOperation,
) => Promise<Response>

export function createVendorStreamCall(dependencies: VendorStreamDependencies): VendorStreamCall {
  const { limits, writer, clock } = dependencies
  const admit = createAdmit(dependencies)
  const settle = createSettle(dependencies)

  return async (caller, context, { plan, form, candidates, open }) => {
    const admitted = await admit(caller, context.callId, plan)
    context.keepOpen()
    context.note({ team: caller.team.teamId, key_name: caller.key.keyName, model: plan.model.id })
    const controller = new AbortController()
    const progress = createStreamMeter(plan.model, candidates)
    const abandon = () => controller.abort()
    context.signal.addEventListener('abort', abandon)
    const stream = await openStream()
    context.signal.removeEventListener('abort', abandon)
    const closeOnce = createCloseOnce()
    let hasLeft = false
    const leave = () => {
      hasLeft = true
      controller.abort()
      closeOnce('client_closed').catch(error => dependencies.reportError(error, admitted.callId))
    }
    if (context.signal.aborted) leave()
    else context.signal.addEventListener('abort', leave)
    return serverSentEventsResponse(relayPieces(), {
      headers: { ...admissionHeaders(admitted), 'content-type': stream.contentType },
      onCancel: leave,
    })

    /** The open row is on disk before the first byte, so that a crash from here on finds it. */
    async function openStream(): Promise<RelayedStream> {
      const opened = writer.openStream(buildOpenRow(admitted), () =>
        buildProgress(admitted, [progress.usage()], clock()),
      )
      const [row, answer] = await Promise.allSettled([opened, open(controller.signal)])
      if (row.status === 'fulfilled' && answer.status === 'fulfilled') return answer.value
      controller.abort()
      context.signal.removeEventListener('abort', abandon)
      if (answer.status === 'fulfilled') answer.value.close()
      if (context.signal.aborted) await settle(meterNow('client_closed'), 'client_closed', true)
      else if (row.status === 'fulfilled') await forget(admitted)
      else limits.release(admitted.hold)
      if (row.status === 'rejected')
        throw new ApiError('unavailable', { headers: { 'retry-after': '5' }, cause: row.reason })
      throw answer.status === 'rejected' ? answer.reason : new ApiError('unavailable')
    }

    /** Nothing was done: nothing is charged. */
    async function forget({ hold, callId }: Admitted): Promise<void> {
      limits.release(hold)
      await writer.dropStream({ team_id: caller.team.teamId, call_id: callId })
    }

    function meterNow(outcome: Outcome) {
      const pieces = progress.pieces(outcome === 'completed')
      if (pieces !== null) return meter(admitted, [pieces])
      if (outcome === 'completed') return meter(admitted, [progress.wholeUsage()])
      const { estimatedInput, outputCap } = plan
      const seen = { usage: progress.usage(), characters: progress.textBytes() }
      return meterInterrupted({ ...admitted, estimatedInput, outputCap }, [seen])
    }

    /** Charges the stream exactly once, whichever of its ends comes first; later callers get the same promise. */
    function createCloseOnce(): (outcome: Outcome) => Promise<void> {
      let closing: Promise<void> | null = null
      return outcome => {
        closing ??= (async () => {
          context.note({ outcome })
          if (outcome === 'failed' && !progress.hasBegun()) await forget(admitted)
          else await settle(meterNow(outcome), outcome, true)
        })()
        return closing
      }
    }

    async function* relayPieces(): AsyncGenerator<Uint8Array> {
      const { split, frameError } = streamForms[form]()
      const held: Uint8Array[] = []
      let hasSent = false
      try {
        let failure: unknown = null
        try {
          for await (const piece of readPieces(split)) {
            // A further piece shows that the one kept back was not the last.
            const leaving = held.length > 0 && piece.payload === null ? [] : held.splice(0)
            const isLast = held.length > 0 || progress.hasEnded() || isEndOfArray(piece)
            if (isLast) held.push(piece.raw)
            else leaving.push(piece.raw)
            for (const raw of leaving) {
              hasSent = true
              yield raw
            }
          }
        } catch (cause) {
          failure = cause
        }
        if (hasLeft) return
        // Whatever broke after the answer had come to its end is no failure of the answer.
        const isWhole = failure === null || progress.hasEnded()
        const unwritten = await closeOnce(isWhole ? 'completed' : 'failed').then(() => null, String)
        if (unwritten === null && held.length > 0) {
          hasSent = true
          yield Buffer.concat(held)
        }
        if (isWhole && unwritten === null) return
        const error = failure === null ? new ApiError('unavailable') : stream.explain(failure)
        dependencies.reportError(error, admitted.callId)
        yield frameError(buildVendorError(error), !hasSent)
      } finally {
        // Reached without a charge only when the consumer stopped reading: the client is gone.
        context.signal.removeEventListener('abort', leave)
        stream.close()
        await closeOnce('client_closed').catch(() => undefined)
      }
    }

    /** Metered as they are read. Throws ApiError for an error that stands in the stream. */
    async function* readPieces(split: StreamSplitter): AsyncGenerator<StreamPiece> {
      const reader = stream.body.getReader()
      for (let ended = false; !ended; ) {
        const { done, value } = await reader.read()
        ended = done
        for (const piece of value === undefined ? split.end() : split.push(value)) {
          const error = progress.read(piece.payload)
          if (error !== null) throw stream.mapError(error.status, error.body)
          yield cleanPiece(piece, stream.clean)
        }
      }
    }

    /** Nothing may follow it, so it waits for the charge whatever came before. */
    function isEndOfArray({ payload }: StreamPiece): boolean {
      return form === 'array' && payload === null
    }
  }
}
