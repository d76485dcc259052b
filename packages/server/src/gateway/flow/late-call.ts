// Decides what becomes of a call whose charge could not be written when it ended, and says it to the client.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import type { LateEnd } from '../../ledger/charge.ts'
import type { Outcome } from './settle.ts'

export type LateCall = {
  readonly outcome: Outcome
  /** The client gets an error of its own, whether or not the charge can be written. */
  readonly hasFailed: boolean
  /** The client left by itself, and no Idempotency-Key keeps the answer for it. */
  readonly hasLeft: boolean
  /** The client has got the beginning of a stream. */
  readonly hasBegun: boolean
  /** The call has an Idempotency-Key. */
  readonly isKeyed: boolean
}

/** `keep`: the answer waits in memory, if there is room for it, until its charge is written. */
export function decideLateCall({
  outcome,
  hasFailed,
  hasLeft,
  hasBegun,
  isKeyed,
}: LateCall): LateEnd | 'keep' {
  if (hasFailed || hasLeft || outcome === 'client_closed') return 'charge'
  if (hasBegun && isKeyed) return 'wait'
  if (hasBegun) return outcome === 'completed' ? 'undelivered' : 'charge'
  return isKeyed && outcome === 'completed' ? 'keep' : 'refund'
}

/** 503 for a call whose charge could not be written in time. */
export function refuseLateCall(end: LateEnd | 'keep', callId: string, cause: unknown): ApiError {
  return unavailable(5, cause, `${lateTexts[end]} GET /self/calls/${callId} shows what it cost.`)
}

const refunded =
  'The charge of this call could not be recorded, so its answer is withheld. If the call was charged, the charge is refunded when the database is back; organisers can refund one that is not.'
const charged =
  'The charge of this call could not be recorded, so the end of its answer is withheld. The call may have been charged.'

const lateTexts: Readonly<Record<LateEnd | 'keep', string>> = {
  charge: charged,
  wait: charged,
  undelivered: charged,
  refund: refunded,
  keep: 'The charge of this call could not be recorded yet, so its answer is withheld. Repeat the call with the same Idempotency-Key to get the answer; it is charged once.',
}
