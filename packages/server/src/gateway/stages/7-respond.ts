// Stage 7: the reply of a unary call, with what it cost and what is left of the windows.
import { formatUsd } from '../../ledger/money.ts'
import type { ChatResult } from '../../upstream/port.ts'
import { buildCompletion } from '../endpoints/chat-completions/build-completion.ts'
import { rateHeaders } from '../rate-headers.ts'
import type { Admitted } from './2-admit.ts'
import type { Settled } from './6-settle.ts'

/** Headers known before the call is made: windows, and the output cap when the budget reduced it. */
export function admissionHeaders(admitted: Admitted): Record<string, string> {
  const headers = rateHeaders(admitted.rates)
  if (admitted.hold.reduced) headers['x-gateway-output-cap'] = String(admitted.outputCap)
  return headers
}

export function respond(settled: Settled, results: readonly ChatResult[], created: number): Response {
  const { admitted, cost } = settled.metered
  const body = buildCompletion({ results, request: admitted.request, callId: admitted.callId, created })
  return Response.json(body, {
    headers: { ...admissionHeaders(admitted), 'x-gateway-response-cost': formatUsd(cost) },
  })
}
