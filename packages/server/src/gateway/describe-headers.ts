// Which headers the replies of a gateway route can carry: windows on all, cost and the end of a model on paid ones.
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'
import Type from 'typebox'
import { type ReplyHeader, rateHeaderNames } from '../http/reply-headers.ts'
import type { Route } from '../http/route.ts'
import { upstreamErrors } from './flow/call-errors.ts'
import { patienceHeaders } from './flow/read-patience.ts'

const paidHeaders: readonly ReplyHeader[] = [
  ...rateHeaderNames,
  'x-gateway-response-cost',
  'deprecation',
  'sunset',
]
const replayHeaders: readonly ReplyHeader[] = ['idempotent-replayed', 'x-gateway-original-call-id']

/** The route with its headers, for the reference. */
export function describeHeaders<Caller>(route: Route<Caller>): Route<Caller> {
  const { replyHeaders = [], isPaid = false } = route
  if (!isPaid) {
    return { ...route, replyHeaders: [...rateHeaderNames, ...replyHeaders] }
  }
  return {
    ...route,
    headers: Type.Object({ ...route.headers?.properties, ...patienceHeaders.properties }),
    replyHeaders: [...paidHeaders, ...replayHeaders, ...replyHeaders],
    errorReplyHeaders: paidErrorHeaders,
  }
}

/** An error that was charged for is given again as an answer is; a refusal by the model says what it cost. */
const paidErrorHeaders: Readonly<Partial<Record<ErrorCode, readonly ReplyHeader[]>>> = {
  ...Object.fromEntries(upstreamErrors.map(code => [code, [...rateHeaderNames, ...replayHeaders]])),
  content_policy_violation: [...paidHeaders, ...replayHeaders],
}
