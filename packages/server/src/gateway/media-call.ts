// A paid call with one answer that is no chat turn (pictures, speech, music, transcripts): the same stages, in the same order.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { RequestContext } from '../http/route.ts'
import type { Limits } from '../limits/port.ts'
import type { UsageReport } from '../upstream/port.ts'
import type { Caller } from './stages/1-authenticate.ts'
import { type AdmitDependencies, type CallPlan, createAdmit } from './stages/2-admit.ts'
import { meter } from './stages/5-meter.ts'
import { createSettle, type SettleDependencies } from './stages/6-settle.ts'
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
  context: RequestContext<unknown, unknown>,
  operation: MediaOperation<Result>,
) => Promise<Response>

export type MediaCallDependencies = AdmitDependencies &
  SettleDependencies & { readonly limits: Pick<Limits, 'admit' | 'settle' | 'release'> }

export function createMediaCall(dependencies: MediaCallDependencies): MediaCall {
  const { limits } = dependencies
  const admit = createAdmit(dependencies)
  const settle = createSettle(dependencies)
  return async (caller, context, { plan, call, respond }) => {
    const admitted = await admit(caller, context.callId, plan)
    context.keepOpen()
    context.note({ team: caller.team.teamId, key_name: caller.key.keyName, model: plan.model.id })
    const result = await call().catch(error => {
      limits.release(admitted.hold)
      throw error
    })
    const settled = await settle(meter(admitted, [result.usage]), 'completed', false)
    try {
      return await respond(result, settledHeaders(settled))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      throw error.withHeaders(settledHeaders(settled))
    }
  }
}
