// The gateway door: its parts and all routes that it answers. An endpoint gives pure functions to one of the four runners:
// paidCall (one answer), paidStream (pieces), paidOrder (a video, made later), freeCall (nothing to pay).
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'
import Type from 'typebox'
import { type ReplyHeader, rateHeaderNames } from '../http/reply-headers.ts'
import type { Route } from '../http/route.ts'
import type { Authenticate } from '../http/route-family.ts'
import type { Limits } from '../limits/port.ts'
import { type RecordDependencies, recordEnded } from './call-record/record-ended.ts'
import { audioSpeechRoute } from './endpoints/audio-speech/route.ts'
import { audioTranscriptionsRoute } from './endpoints/audio-transcriptions/route.ts'
import { chatCompletionsRoute } from './endpoints/chat-completions/route.ts'
import { embeddingsRoute } from './endpoints/embeddings/route.ts'
import type { EndpointParts } from './endpoints/endpoint-parts.ts'
import { filesRoutes } from './endpoints/files/route.ts'
import { imagesRoutes } from './endpoints/images/route.ts'
import { infoRoutes } from './endpoints/info/route.ts'
import { listModelsRoutes } from './endpoints/list-models/route.ts'
import { createMessagesFamily } from './endpoints/messages/messages-family.ts'
import { countTokensRoute, messagesRoute } from './endpoints/messages/route.ts'
import { modelInfoRoutes } from './endpoints/model-info/route.ts'
import { createPassThroughFamily } from './endpoints/pass-through/pass-through-family.ts'
import type { AuthenticateUpload } from './endpoints/pass-through/resumable-upload.ts'
import { passThroughRoutes } from './endpoints/pass-through/route.ts'
import type { StoredResponses } from './endpoints/responses/open-stored-responses.ts'
import { responsesRoutes } from './endpoints/responses/route.ts'
import { storedResponsesRoutes } from './endpoints/responses/stored-routes.ts'
import { absentResponses } from './endpoints/responses/write-responses-error.ts'
import { userInfoRoute } from './endpoints/user-info/route.ts'
import { orderVideoRoute, videoRoutes } from './endpoints/videos/route.ts'
import type { Caller } from './flow/authenticate.ts'
import { upstreamErrors } from './flow/call-errors.ts'
import { answerDryRuns, createRationDryRuns } from './flow/dry-run.ts'
import { createFreeCall } from './flow/free-call.ts'
import { createPaidCall } from './flow/paid-call.ts'
import { createPaidOrder, type OrderDependencies } from './flow/paid-order.ts'
import { createPaidStream } from './flow/paid-stream.ts'
import { patienceHeaders } from './flow/read-patience.ts'
import { createGate, type GateDependencies } from './gate.ts'
import {
  createAcceptIdempotencyKey,
  type IdempotencyDependencies,
} from './idempotency/accept-idempotency-key.ts'
import { notOfferedRoutes } from './not-offered.ts'

/** Parts that `createGatewayRoutes` creates itself, for every endpoint. */
type Runners = 'paidCall' | 'paidStream' | 'paidOrder' | 'freeCall'

/** Dependencies of endpoints, runners and gates. */
export type GatewayDependencies = OrderDependencies &
  GateDependencies &
  IdempotencyDependencies &
  RecordDependencies &
  Omit<EndpointParts, Runners> & { readonly limits: Limits; readonly responses: StoredResponses }

/** Paths that clients try although nothing is there. They are not routes, since nothing at them ever works. */
export const gatewayPages = absentResponses

/** Paths of other APIs that are answered with what to use instead. */
export function createAbsentRoutes(
  authenticatePassThrough: Authenticate<Caller>,
  authenticateMessages: Authenticate<Caller>,
): Route<Caller>[] {
  return notOfferedRoutes({
    anthropic: createMessagesFamily(authenticateMessages),
    vendor: createPassThroughFamily(authenticatePassThrough),
  })
}

/**
 * `authenticatePassThrough` reads the headers of the pass-through, `authenticateUpload` the address of an upload; the refusals of `authenticateMessages`
 * are for Anthropic's clients.
 */
export function createGatewayRoutes(
  given: GatewayDependencies,
  authenticatePassThrough: Authenticate<Caller>,
  authenticateMessages: Authenticate<Caller>,
  authenticateUpload: AuthenticateUpload,
): Route<Caller>[] {
  const parts = {
    ...given,
    paidCall: createPaidCall(given),
    paidStream: createPaidStream(given),
    paidOrder: createPaidOrder(given),
    freeCall: createFreeCall(given),
  }
  const acceptIdempotencyKey = createAcceptIdempotencyKey(given)
  const ofMessages = createMessagesFamily(authenticateMessages)
  const paid = [
    chatCompletionsRoute(parts),
    ...responsesRoutes(parts),
    messagesRoute(parts, ofMessages),
    ...imagesRoutes(parts),
    audioSpeechRoute(parts),
    audioTranscriptionsRoute(parts),
    embeddingsRoute(parts),
    orderVideoRoute(parts),
  ]
  const routes = [
    ...paid.map(acceptIdempotencyKey),
    countTokensRoute(parts, ofMessages),
    ...storedResponsesRoutes(parts),
    ...infoRoutes(parts),
    userInfoRoute(parts),
    ...modelInfoRoutes(parts),
    ...videoRoutes(parts),
    ...filesRoutes(parts, ofMessages.writeError),
    ...listModelsRoutes(parts),
  ]
  const family = createPassThroughFamily(authenticatePassThrough)
  const passThrough = passThroughRoutes({ ...parts, family, authenticateUpload, acceptIdempotencyKey })
  const rationDryRuns = createRationDryRuns(given.clock)
  return [...routes.map(answerWithBothPrefixes), ...passThrough].map(answerDryRuns).map(route => ({
    ...describeHeaders(route),
    isCrossOrigin: true,
    gate: createGate(route, given, rationDryRuns),
    ...recordEnded(route, given),
  }))
}

/** Every path works with and without `/v1`. */
export function answerWithBothPrefixes<Caller>(route: Route<Caller>): Route<Caller> {
  const bare = route.path.replace(/^\/v1(?=\/)/, '')
  const others = [bare, `/v1${bare}`].filter(path => path !== route.path)
  return { ...route, aliases: others }
}

const paidHeaders: readonly ReplyHeader[] = [
  ...rateHeaderNames,
  'x-gateway-response-cost',
  'deprecation',
  'sunset',
]
const replayHeaders: readonly ReplyHeader[] = ['idempotent-replayed', 'x-gateway-original-call-id']

/** Adds to a route the headers that its replies can carry, for the reference: windows on all, cost and the end of a model on paid ones. */
function describeHeaders<Caller>(route: Route<Caller>): Route<Caller> {
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

/** An error that was charged for is replayed like an answer; a refusal by the model and a partly failed call say what they cost. */
const paidErrorHeaders: Readonly<Partial<Record<ErrorCode, readonly ReplyHeader[]>>> = {
  ...Object.fromEntries(
    upstreamErrors.map(code => [code, [...rateHeaderNames, 'x-gateway-response-cost', ...replayHeaders]]),
  ),
  content_policy_violation: [...paidHeaders, ...replayHeaders],
}
