// A paid call with one answer that is no chat turn (images, speech, music, transcripts): the same stages, in the same order.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Call } from '../http/call.ts'
import type { UsageReport } from '../upstream/port.ts'
import { createRunHeld, type HeldDependencies } from './held-call.ts'
import type { Caller } from './stages/1-authenticate.ts'
import type { CallPlan } from './stages/2-admit.ts'
import { meter } from './stages/5-meter.ts'
import { settledHeaders } from './stages/7-respond.ts'

export type MediaOperation<Result extends { readonly usage: UsageReport }> = {
  readonly plan: CallPlan
  /** Runs to its end also when the client has left: its true usage is charged. Throws ApiError when nothing was done. */
  readonly call: () => Promise<Result>
  /** Throws ApiError for an answer that is a refusal; it is charged by its usage all the same. */
  readonly respond: (
    result: Result,
    headers: Readonly<Record<string, string>>,
  ) => Response | Promise<Response>
}

export type MediaCall = <Result extends { readonly usage: UsageReport }>(
  caller: Caller,
  context: Call<unknown, unknown>,
  operation: MediaOperation<Result>,
) => Promise<Response>

export function createMediaCall(dependencies: HeldDependencies): MediaCall {
  const runHeld = createRunHeld(dependencies)
  return (caller, context, { plan, call, respond }) =>
    runHeld(caller, context, plan, async held => {
      const result = await call()
      const settled = await held.charge('completed', () => meter(held.admitted, [result.usage]))
      try {
        return await respond(result, settledHeaders(settled))
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        throw error.withHeaders(settledHeaders(settled))
      }
    })
}
