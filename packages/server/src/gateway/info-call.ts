// A call for information: what is at hand, answered in one of the key's parallel slots.
import { createRunInSlot, type SlotDependencies } from './parallel-slot.ts'
import type { Caller } from './stages/1-authenticate.ts'

/**
 * Runs `answer` in a slot of the caller's key; it gives the body, or a whole reply with the headers that it is handed. The slot of
 * a file is free again when the file begins to leave. Throws ApiError `parallel_exceeded` when no slot is free.
 */
export function createInfoCall(dependencies: SlotDependencies) {
  const runInSlot = createRunInSlot(dependencies)
  return (
    caller: Caller,
    callId: string,
    answer: (headers: Readonly<Record<string, string>>) => object | Promise<object>,
  ): Promise<Response> =>
    runInSlot(caller, callId, async headers => {
      const answered = await answer(headers)
      return answered instanceof Response ? answered : Response.json(answered, { headers })
    })
}
