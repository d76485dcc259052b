// Stage 3: what the upstream is asked. `n` choices become `n` calls, since many models give only one choice a call.
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import type { ChatCall } from '../../upstream/port.ts'
import type { ChatPlan } from '../endpoints/chat-completions/plan-chat.ts'
import type { Admitted } from './2-admit.ts'

/** A chat turn that may run. */
export type AdmittedChat = Admitted & {
  readonly request: ChatRequest
  readonly count: number
  /** Most output tokens per choice, as sent upstream. */
  readonly outputCap: number
  /** Of one choice, for a choice that ends before its usage is known: never more than the hold was granted for. */
  readonly estimatedInput: number
}

export type UpstreamCalls = { readonly admitted: AdmittedChat; readonly calls: readonly ChatCall[] }

/** A seed is moved on by one per choice, so that choices differ and stay repeatable. */
export function translate(admission: Admitted, request: ChatRequest, plan: ChatPlan): UpstreamCalls {
  const { count, askedOutput, model } = plan
  const estimatedInput = admission.countedInput ?? plan.estimatedInput
  const outputCap = admission.hold.outputCap ?? askedOutput
  const admitted = { ...admission, request, count, outputCap, estimatedInput }
  if (count === 1) return { admitted, calls: [{ request, model, outputCap }] }
  const calls = Array.from({ length: count }, (_, index) => {
    const seed = typeof request.seed === 'number' ? { seed: request.seed + index } : {}
    return { request: { ...request, ...seed, n: 1 }, model, outputCap }
  })
  return { admitted, calls }
}
