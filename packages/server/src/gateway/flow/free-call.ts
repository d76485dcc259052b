// Runs a call that costs nothing, such as one for information, in one of the key's parallel slots, without budget and windows (spec 7).
import { eventLimitsAt } from '../../directory/event/event-limits-at.ts'
import type { Call } from '../../http/call.ts'
import { findLevels } from '../../limits/build-levels.ts'
import type { Limits } from '../../limits/port.ts'
import type { Caller } from './authenticate.ts'
import type { EventDependencies } from './check-event.ts'
import { type ReleaseDependencies, release } from './release.ts'
import { rateHeaders, refuse } from './respond.ts'

export type FreeCallDependencies = ReleaseDependencies &
  EventDependencies & {
    readonly limits: Pick<Limits, 'admit'>
  }

/**
 * `answer` gets the headers that show what is left of the windows. It returns the body, or a whole reply with these headers; the
 * slot of a file is free again when the file starts to leave. Throws ApiError `parallel_exceeded` if no slot is free.
 */
export type RunFreeCall = (
  caller: Caller,
  call: Call,
  answer: (headers: Readonly<Record<string, string>>) => object | Promise<object>,
) => Promise<Response>

export function createFreeCall(dependencies: FreeCallDependencies): RunFreeCall {
  const { limits, observeRefusal, event, clock } = dependencies
  return async ({ team, key }, { callId }, answer) => {
    const deciding = limits.admit({
      callId,
      levels: findLevels(team, key, null, eventLimitsAt(event(), clock())),
      tokens: { input: 0, output: 0 },
      estimate: { kind: 'none' },
      countsRequest: false,
    })
    const decision = deciding instanceof Promise ? await deciding : deciding
    if (!decision.admitted) {
      observeRefusal(decision.refusal.code, decision.refusal.level)
      throw refuse(decision.refusal, decision.rates)
    }
    try {
      const headers = rateHeaders(decision.rates)
      const answered = await answer(headers)
      return answered instanceof Response ? answered : Response.json(answered, { headers })
    } finally {
      const released = release(dependencies, decision.hold)
      if (released !== null) await released
    }
  }
}
