// A call for information: no budget and no window, only one of the key's parallel slots (spec 7), freed on every way out.
import type { Limits } from '../limits/port.ts'
import { rateHeaders } from './rate-headers.ts'
import { refuse } from './refuse.ts'
import type { Caller } from './stages/1-authenticate.ts'

/**
 * Runs `answer` in a slot of the caller's key; it gives the body, or a whole reply with the headers that it is handed.
 * Throws ApiError `parallel_exceeded` when no slot is free.
 */
export function createInfoCall(dependencies: {
  readonly limits: Pick<Limits, 'admit' | 'release'>
  readonly observeRefusal: (code: string, level: string) => void
}) {
  return async (
    caller: Caller,
    callId: string,
    answer: (headers: Readonly<Record<string, string>>) => object | Promise<Response>,
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
      const headers = rateHeaders(decision.rates)
      const answered = await answer(headers)
      return answered instanceof Response ? answered : Response.json(answered, { headers })
    } finally {
      dependencies.limits.release(decision.hold)
    }
  }
}
