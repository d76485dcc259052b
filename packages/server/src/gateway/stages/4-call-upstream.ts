// Stage 4: the calls themselves. All choices run at once; the results that came back are kept even when another failed.
import type { ChatEvent, ChatResult, ChatUpstream } from '../../upstream/port.ts'
import type { UpstreamCalls } from './3-translate.ts'

export type Answered = {
  readonly calls: UpstreamCalls
  readonly results: readonly ChatResult[]
  /** The first failure, when one of the calls failed; what the others cost is still charged. */
  readonly failure: unknown
}

/** A unary call runs to its end also when the client has left: its true usage is charged. */
export async function callUpstream(upstream: ChatUpstream, calls: UpstreamCalls): Promise<Answered> {
  const signal = null
  const [only] = calls.calls
  if (calls.calls.length === 1 && only !== undefined) {
    try {
      return { calls, results: [await upstream.complete(only, signal)], failure: null }
    } catch (failure) {
      return { calls, results: [], failure }
    }
  }
  const settled = await Promise.allSettled(calls.calls.map(async call => upstream.complete(call, signal)))
  const failed = settled.find(outcome => outcome.status === 'rejected')
  return {
    calls,
    results: settled.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    failure: failed?.reason ?? null,
  }
}

/** Opens one stream per choice; on a failure the others are stopped and the failure is thrown. */
export async function openUpstreamStreams(
  upstream: ChatUpstream,
  calls: UpstreamCalls,
  controller: AbortController,
): Promise<AsyncIterable<ChatEvent>[]> {
  try {
    return await Promise.all(calls.calls.map(async call => upstream.stream(call, controller.signal)))
  } catch (failure) {
    controller.abort()
    throw failure
  }
}
