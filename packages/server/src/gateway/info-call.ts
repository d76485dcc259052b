// A call for information: what is at hand, answered in one of the key's parallel slots.
import { createRunInSlot, type SlotDependencies } from './parallel-slot.ts'
import type { Caller } from './stages/1-authenticate.ts'

/**
 * Throws ApiError `parallel_exceeded` when no slot is free. A plain object becomes JSON. The slot of a file is free again when
 * the file begins to leave.
 */
export function createInfoCall(dependencies: SlotDependencies) {
  const runInSlot = createRunInSlot(dependencies)
  return (caller: Caller, callId: string, answer: () => object | Promise<object>): Promise<Response> =>
    runInSlot(caller, callId, async headers => {
      const result = await answer()
      if (!(result instanceof Response)) return Response.json(result, { headers })
      for (const [name, value] of Object.entries(headers)) result.headers.set(name, value)
      return result
    })
}
