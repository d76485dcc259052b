// A streamed call: respond starts first, metering taps the events, and settle runs before the last byte leaves.

import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import type { Call } from '../http/call.ts'
import { serverSentEventsResponse } from '../http/server-sent-events.ts'
import { toUsdNumber } from '../ledger/money.ts'
import type { ChatEvent, ChatUpstream, UsageReport } from '../upstream/port.ts'
import { createChunkWriter } from './endpoints/chat-completions/build-chunks.ts'
import { measureEvent } from './endpoints/chat-completions/measure-event.ts'
import { type MergedEvent, mergeStreams } from './endpoints/chat-completions/merge-streams.ts'
import type { HeldCall } from './held-call.ts'
import type { UpstreamCalls } from './stages/3-translate.ts'
import { openUpstreamStreams } from './stages/4-call-upstream.ts'
import { meter, meterInterrupted } from './stages/5-meter.ts'
import { admissionHeaders } from './stages/7-respond.ts'
import { buildProgress } from './stream-rows.ts'

export type StreamDependencies = {
  readonly upstream: ChatUpstream
  /** Unix ms. */
  readonly clock: () => number
}

/** What one choice has shown so far. */
type ChoiceProgress = { usage: UsageReport | null; characters: number }

type FirstEvent = {
  readonly iterator: AsyncIterator<MergedEvent>
  readonly result: IteratorResult<MergedEvent>
}

export function createStreamCall({ upstream, clock }: StreamDependencies) {
  return async (held: HeldCall, calls: UpstreamCalls, context: Call<ChatRequest>): Promise<Response> => {
    const { admitted } = calls
    const controller = new AbortController()
    const choices = calls.calls.map((): ChoiceProgress => ({ usage: null, characters: 0 }))
    let hasBegun = false
    let hasLeft = false
    held.whenEnded(() => controller.abort())
    held.owe(outcome => {
      if (outcome === 'completed') return meter(admitted, choices.map(readWhole))
      // Before the first event nothing was done, unless the client left a call that was already under way.
      return hasBegun || outcome === 'client_closed' ? meterInterrupted(admitted, choices) : null
    })

    const abandon = () => controller.abort()
    context.signal.addEventListener('abort', abandon)
    const first = await openStream()
    hasBegun = true
    context.signal.removeEventListener('abort', abandon)
    const leave = () => {
      hasLeft = true
      controller.abort()
      held.end('client_closed').catch(held.report)
    }
    if (context.signal.aborted) leave()
    else context.signal.addEventListener('abort', leave)
    const created = Math.floor(clock() / 1000)
    const options = { headers: admissionHeaders(admitted), onCancel: leave }
    return held.outlive(serverSentEventsResponse(writeEvents(first), options))

    /**
     * The open row and the upstream call run side by side; both, and the first event, are awaited before the reply starts,
     * so an upstream that fails at once is answered with its proper status, and a crash from here on finds the row.
     */
    async function openStream(): Promise<FirstEvent> {
      try {
        const opened = held.openRow(() => buildProgress(admitted, choices.map(readUsage), clock()))
        const opening = openUpstreamStreams(upstream, calls, controller)
        const [row, streams] = await Promise.allSettled([opened, opening])
        if (row.status === 'rejected') throw row.reason
        if (streams.status === 'rejected') throw streams.reason
        const iterator = mergeStreams(streams.value)[Symbol.asyncIterator]()
        return { iterator, result: await iterator.next() }
      } catch (error) {
        context.signal.removeEventListener('abort', abandon)
        await held.end(context.signal.aborted ? 'client_closed' : 'failed')
        throw error
      }
    }

    async function* writeEvents({ iterator, result }: FirstEvent): AsyncGenerator<string> {
      const chunks = createChunkWriter({ request: admitted.request, callId: admitted.callId, created })
      try {
        for (let next = result; next.done !== true; next = await iterator.next()) {
          const { index, event } = next.value
          track(choices, index, event)
          const text = chunks.write(index, event)
          if (text !== '') yield text
        }
        const settled = await held.end('completed')
        const cost = toUsdNumber(settled?.metered.cost ?? admitted.hold.amount)
        yield chunks.end(
          choices.flatMap(choice => choice.usage ?? []),
          cost,
        )
      } catch (error) {
        controller.abort()
        if (hasLeft) return
        held.report(error)
        await held.end('failed').catch(() => undefined)
        yield chunks.fail(error)
      } finally {
        // Reached without a charge only when the consumer stopped reading: the client is gone.
        context.signal.removeEventListener('abort', leave)
        controller.abort()
        await held.end('client_closed').catch(() => undefined)
      }
    }
  }
}

function readUsage({ usage }: ChoiceProgress): UsageReport | null {
  return usage
}

function readWhole({ usage }: ChoiceProgress): UsageReport {
  return usage ?? { kind: 'absent' }
}

function track(choices: readonly ChoiceProgress[], index: number, event: ChatEvent): void {
  const choice = choices[index]
  if (choice === undefined) return
  if (event.type === 'usage') choice.usage = event.usage
  else choice.characters += measureEvent(event)
}
