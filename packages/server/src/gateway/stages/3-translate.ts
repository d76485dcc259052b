// Stage 3: what the upstream is asked. `n` choices become `n` calls, since many models give only one choice a call.
import type { ChatCall } from '../../upstream/port.ts'
import type { Admitted } from './2-admit.ts'

export type UpstreamCalls = { readonly admitted: Admitted; readonly calls: readonly ChatCall[] }

/** A seed is moved on by one per choice, so that choices differ and stay repeatable. */
export function translate(admitted: Admitted): UpstreamCalls {
  const { request, model, outputCap, count } = admitted
  if (count === 1) return { admitted, calls: [{ request, model, outputCap }] }
  const calls = Array.from({ length: count }, (_, index) => {
    const seed = typeof request.seed === 'number' ? { seed: request.seed + index } : {}
    return { request: { ...request, ...seed, n: 1 }, model, outputCap }
  })
  return { admitted, calls }
}
