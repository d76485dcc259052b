// A call for information: JSON that is at hand, answered in one of the key's parallel slots.
import { createRunInSlot, type SlotDependencies } from './parallel-slot.ts'
import type { Caller } from './stages/1-authenticate.ts'

/** Throws ApiError `parallel_exceeded` when no slot is free. */
export function createInfoCall(dependencies: SlotDependencies) {
  const runInSlot = createRunInSlot(dependencies)
  return (caller: Caller, callId: string, answer: () => object): Promise<Response> =>
    runInSlot(caller, callId, headers => Response.json(answer(), { headers }))
}
