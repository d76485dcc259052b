// A streamed call: respond starts first, metering taps the events, and settle runs before the last byte leaves.

import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { RequestContext } from '../http/route.ts'
import { serverSentEventsResponse } from '../http/server-sent-events.ts'
import { toUsdNumber } from '../ledger/money.ts'
import type { Limits } from '../limits/port.ts'
import type { LedgerWriter } from '../store/ledger-writer.ts'
import type { ChatEvent, ChatUpstream, UsageReport } from '../upstream/port.ts'
import { createChunkWriter } from './endpoints/chat-completions/build-chunks.ts'
import { measureEvent } from './endpoints/chat-completions/measure-event.ts'
import { mergeStreams } from './endpoints/chat-completions/merge-streams.ts'
import type { UpstreamCalls } from './stages/3-translate.ts'
import { openUpstreamStreams } from './stages/4-call-upstream.ts'
import { type Metered, meter, meterInterrupted } from './stages/5-meter.ts'
import type { Outcome, Settle } from './stages/6-settle.ts'
import { admissionHeaders } from './stages/7-respond.ts'
import { buildOpenRow, buildProgress } from './stream-rows.ts'

export type StreamDependencies = {
  readonly upstream: ChatUpstream
  readonly limits: Pick<Limits, 'release'>
  readonly writer: Pick<LedgerWriter, 'openStream' | 'dropStream' | 'charge'>
  /** Unix ms. */
  readonly clock: () => number
  readonly reportError: (error: unknown, callId: string) => void
}

/** What one choice has shown so far. */
type ChoiceProgress = { usage: UsageReport | null; characters: number }

type MergedEvent = { readonly index: number; readonly event: ChatEvent }

export function createStreamCall(dependencies: StreamDependencies & { readonly settle: Settle }) {
  const { upstream, limits, writer, clock, settle } = dependencies

  return async (calls: UpstreamCalls, context: RequestContext<ChatRequest>): Promise<Response> => {
    const { admitted } = calls
    const controller = new AbortController()
    const choices = calls.calls.map((): ChoiceProgress => ({ usage: null, characters: 0 }))
    const abandon = () => controller.abort()
    context.signal.addEventListener('abort', abandon)

    const first = await openStream()
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
    const created = Math.floor(clock() / 1000)
    return serverSentEventsResponse(writeEvents(first), {
      headers: admissionHeaders(admitted),
      onCancel: leave,
    })

    /**
     * The open row and the upstream call run side by side; both, and the first event, are awaited before the reply starts,
     * so an upstream that fails at once is answered with its proper status, and a crash from here on finds the row.
     */
    async function openStream(): Promise<{
      iterator: AsyncIterator<MergedEvent>
      result: IteratorResult<MergedEvent>
    }> {
      const opened = writer.openStream(buildOpenRow(admitted), () =>
        buildProgress(
          admitted,
          choices.map(choice => choice.usage),
          clock(),
        ),
      )
      const [row, streams] = await Promise.allSettled([
        opened,
        openUpstreamStreams(upstream, calls, controller),
      ])
      try {
        if (row.status === 'rejected')
          throw new ApiError('unavailable', { headers: { 'retry-after': '5' }, cause: row.reason })
        if (streams.status === 'rejected') throw streams.reason
        const iterator = mergeStreams(streams.value)[Symbol.asyncIterator]()
        return { iterator, result: await iterator.next() }
      } catch (error) {
        controller.abort()
        context.signal.removeEventListener('abort', abandon)
        await endWithoutAnswer(context.signal.aborted)
        throw error
      }
    }

    /** Before the first event: nothing was done unless the client left a call that was already under way. */
    async function endWithoutAnswer(clientLeft: boolean): Promise<void> {
      if (clientLeft || choices.some(choice => choice.usage !== null)) {
        await settle(meterInterrupted(admitted, choices), clientLeft ? 'client_closed' : 'failed', true)
        return
      }
      limits.release(admitted.hold)
      await writer.dropStream({ team_id: admitted.caller.team.teamId, call_id: admitted.callId })
    }

    /** Charges the stream exactly once, whichever of its ends comes first; later callers get the same promise. */
    function createCloseOnce(): (outcome: Outcome) => Promise<Metered> {
      let closing: Promise<Metered> | null = null
      return outcome => {
        closing ??= (async () => {
          const metered =
            outcome === 'completed'
              ? meter(
                  admitted,
                  choices.map(choice => choice.usage ?? { kind: 'absent' }),
                )
              : meterInterrupted(admitted, choices)
          context.note({ outcome })
          await settle(metered, outcome, true)
          return metered
        })()
        return closing
      }
    }

    async function* writeEvents(start: typeof first): AsyncGenerator<string> {
      const chunks = createChunkWriter({ request: admitted.request, callId: admitted.callId, created })
      const { iterator } = start
      let { result } = start
      try {
        while (result.done !== true) {
          const { index, event } = result.value
          track(choices, index, event)
          const text = chunks.write(index, event)
          if (text !== '') yield text
          result = await iterator.next()
        }
        const metered = await closeOnce('completed')
        const reports = choices.flatMap(choice => choice.usage ?? [])
        yield chunks.end(reports, toUsdNumber(metered.cost))
      } catch (error) {
        controller.abort()
        if (hasLeft) return
        dependencies.reportError(error, admitted.callId)
        await closeOnce('failed').catch(() => undefined)
        yield chunks.fail(error)
      } finally {
        // Reached without a charge only when the consumer stopped reading: the client is gone.
        context.signal.removeEventListener('abort', leave)
        controller.abort()
        await closeOnce('client_closed').catch(() => undefined)
      }
    }
  }
}

function track(choices: readonly ChoiceProgress[], index: number, event: ChatEvent): void {
  const choice = choices[index]
  if (choice === undefined) return
  if (event.type === 'usage') choice.usage = event.usage
  else choice.characters += measureEvent(event)
}
