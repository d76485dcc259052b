// Explains in plain words how a call ended and what to do about it. A record holds no text of a call, so this uses its code and figures.
import { type ErrorCode, errorRegistry } from '@fairgate/contracts/errors/registry.ts'
import type { Refusal } from '../ledger/admission.ts'
import { describeRefusal, isLevel } from '../ledger/admission.ts'
import type { CallRecord } from '../ledger/call-record.ts'
import type { ChargeFlag } from '../ledger/charge.ts'

type Explained = Pick<CallRecord, 'outcome' | 'code' | 'refusal' | 'flag' | 'cost' | 'modelAsked'>

/** Null for a call that simply worked. */
export function explainCall(call: Explained): string | null {
  const sentences = [...explainOutcome(call), ...(call.flag === null ? [] : [flagTexts[call.flag]])]
  return sentences.length === 0 ? null : sentences.join(' ')
}

function explainOutcome(call: Explained): string[] {
  const { outcome, cost } = call
  const wasCharged = cost > 0
  switch (outcome) {
    case 'completed':
      return call.code === null ? [] : [explainError(call.code, call)]
    case 'replayed':
      return ['Replayed the answer of an earlier call with the same Idempotency-Key, at no cost.']
    case 'refused':
      return call.code === null ? [] : [explainError(call.code, call)]
    case 'client_closed':
      return [
        wasCharged
          ? 'The client left before the answer was complete. The cost up to then was charged.'
          : 'The client left before there was an answer. Nothing was charged.',
      ]
    case 'interrupted':
      return [
        'The server stopped while sending the answer. The cost up to then was charged. Make the call again.',
      ]
    case 'failed':
      return [
        call.code === null ? 'The answer could not be completed.' : explainError(call.code, call),
        wasCharged ? 'The work done up to then was charged.' : 'Nothing was charged.',
      ]
  }
}

function explainError(code: string, { refusal, modelAsked }: Explained): string {
  if (refusal !== null && isLimitCode(code) && isLevel(refusal.level))
    return withAdvice(describeRefusal(code, refusal.level, refusal), limitAdvice(code, refusal.reset))
  if (!isErrorCode(code)) return `The call ended with the error ${code}.`
  const asked = namesModel.has(code) && modelAsked !== null ? `Asked for: ${modelAsked}.` : null
  const advice = codeAdvice[code] ?? null
  return [errorRegistry[code].message, asked, advice].filter(text => text !== null).join(' ')
}

const namesModel: ReadonlySet<string> = new Set<ErrorCode>(['model_not_found', 'model_not_allowed'])

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorRegistry, code)
}

/** For registry messages that do not say what to do. */
const codeAdvice: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid_request: 'The error sent to the client names the invalid field. The record keeps no text.',
  payload_too_large: 'Send less in one call. The error sent to the client names the limit.',
  contest_closed: 'The error sent to the client has the event times.',
  event_paused: 'Make the call again when the organisers resume the event.',
  model_not_allowed: 'Use another model, or ask the organisers.',
  route_not_allowed: 'Use another key, or ask the organisers.',
  upstream_rejected: 'The error sent to the client has the reason.',
  upstream_rate_limited: 'Wait a moment and make the call again.',
  upstream_error: 'Make the call again.',
  upstream_overloaded: 'Wait a moment and make the call again.',
  upstream_timeout: 'Ask for less output in one call, or stream it.',
  internal: 'Send the call id to the organisers.',
}

function isLimitCode(code: string): code is Refusal['code'] {
  return Object.hasOwn(limitAdvices, code)
}

const limitAdvices: Readonly<Record<Refusal['code'], string | null>> = {
  budget_exceeded: 'Use a cheaper model, ask for less output, or ask the organisers for more budget.',
  budget_held: null,
  rpm_exceeded: 'Make fewer calls per minute.',
  tpm_exceeded: 'Send fewer tokens per minute. The output cap of each call counts too.',
  parallel_exceeded: 'Try again when one of them has ended.',
}

function limitAdvice(code: Refusal['code'], reset: string | null): string | null {
  if (code === 'budget_exceeded' && reset !== null)
    return 'Wait until then, use a cheaper model or ask for less output.'
  return limitAdvices[code]
}

function withAdvice(text: string, advice: string | null): string {
  return advice === null ? text : `${text} ${advice}`
}

const flagTexts: Readonly<Record<ChargeFlag, string>> = {
  usage_absent: 'The model did not report its usage, so the maximum cost of the call was charged.',
  usage_invalid:
    'The usage that the model reported makes no sense, so the maximum cost of the call was charged.',
  usage_above_hold:
    'The model reported more usage than was held for the call, so only the held amount was charged.',
  unit_unpriced: 'Something was used that has no price yet, so the maximum cost of the call was charged.',
  estimated: 'The answer ended before the model reported its usage, so the cost is an estimate.',
  not_metered: 'The usage could not be measured, so the maximum cost of the call was charged.',
}
