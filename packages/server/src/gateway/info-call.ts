// A call for information: no budget and no window, only one of the key's parallel slots (spec 7), freed on every way out.
import type { Limits } from '../limits/port.ts'
import { rateHeaders } from './rate-headers.ts'
import { refuse } from './refuse.ts'
import type { Caller } from './stages/1-authenticate.ts'

/**
 * Runs `answer` in a slot of the caller's key; throws ApiError `parallel_exceeded` when none is free. A plain object becomes
 * JSON. The slot of a file is free again when the file begins to leave.
 */
export function createInfoCall(dependencies: {
  readonly limits: Pick<Limits, 'admit' | 'release'>
  readonly observeRefusal: (code: string, level: string) => void
}) {
  return async (
    caller: Caller,
    callId: string,
    answer: () => object | Promise<object>,
  ): Promise<Response> => {
    const decision = await dependencies.limits.admit({
      callId,
      team: caller.team,
      key: caller.key,
      model: null,
      tokens: { input: 0, output: 0 },
      estimate: { kind: 'none' },
      countsRequest: false,
    })
    if (!decision.admitted) {
      dependencies.observeRefusal(decision.refusal.code, decision.refusal.level)
      throw refuse(decision.refusal, decision.rates)
    }
    try {
      const result = await answer()
      const headers = rateHeaders(decision.rates)
      if (!(result instanceof Response)) return Response.json(result, { headers })
      for (const [name, value] of Object.entries(headers)) result.headers.set(name, value)
      return result
    } finally {
      dependencies.limits.release(decision.hold)
    }
  }
}
