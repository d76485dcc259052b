// Stage 7: the reply of a unary call, with what it cost and what is left of the windows.
import { retirementHeaders } from '../../catalog/retirement.ts'
import { formatUsd } from '../../ledger/money.ts'
import { rateHeaders } from '../rate-headers.ts'
import type { Admitted } from './2-admit.ts'
import type { Settled } from './6-settle.ts'

/** Headers known before the call is made: windows, the end of the model, and the output cap when the budget reduced it. */
export function admissionHeaders({ rates, hold, model }: Admitted): Record<string, string> {
  const headers = rateHeaders(rates)
  if (model.retiresOn !== null) Object.assign(headers, retirementHeaders(model, hold.admittedAt))
  if (hold.reduced && hold.outputCap !== null) headers['x-gateway-output-cap'] = String(hold.outputCap)
  return headers
}

/** Headers of a reply whose charge is on disk. */
export function settledHeaders({ metered: { admitted, cost } }: Settled): Record<string, string> {
  return { ...admissionHeaders(admitted), 'x-gateway-response-cost': formatUsd(cost) }
}
