// Runs what costs nothing in one of the key's parallel slots (spec 7): no budget and no window, freed on every way out.
import type { Limits } from '../limits/port.ts'
import { rateHeaders } from './rate-headers.ts'
import { refuse } from './refuse.ts'
import type { Caller } from './stages/1-authenticate.ts'

export type SlotDependencies = {
  readonly limits: Pick<Limits, 'admit' | 'release'>
  readonly observeRefusal: (code: string, level: string) => void
}

/** `answer` gets the headers that tell what is left of the windows. Throws ApiError `parallel_exceeded` when no slot is free. */
export type RunInSlot = (
  caller: Caller,
  callId: string,
  answer: (headers: Readonly<Record<string, string>>) => Response | Promise<Response>,
) => Promise<Response>

export function createRunInSlot({ limits, observeRefusal }: SlotDependencies): RunInSlot {
  return async (caller, callId, answer) => {
    const decision = await limits.admit({
      callId,
      team: caller.team,
      key: caller.key,
      model: null,
      tokens: { input: 0, output: 0 },
      estimate: { kind: 'none' },
      countsRequest: false,
    })
    if (!decision.admitted) {
      observeRefusal(decision.refusal.code, decision.refusal.level)
      throw refuse(decision.refusal, decision.rates)
    }
    try {
      return await answer(rateHeaders(decision.rates))
    } finally {
      limits.release(decision.hold)
    }
  }
}
