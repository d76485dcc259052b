// The gateway door's routes: every endpoint is registered here and nowhere else.
import type { Route } from '../http/route.ts'
import type { Authenticate } from '../http/route-family.ts'
import type { OwnerRecords } from '../limits/owner-records.ts'
import type { Limits } from '../limits/port.ts'
import type { EncodeMp3 } from '../media/mp3-encoder.ts'
import type { MediaUpstream } from '../upstream/media-port.ts'
import { createGate, type GateDependencies } from './create-gate.ts'
import { describeHeaders } from './describe-headers.ts'
import { audioSpeechRoute } from './endpoints/audio-speech/route.ts'
import { audioTranscriptionsRoute } from './endpoints/audio-transcriptions/route.ts'
import { chatCompletionsRoute } from './endpoints/chat-completions/route.ts'
import { embeddingsRoute } from './endpoints/embeddings/route.ts'
import { imageEditsRoute } from './endpoints/image-edits/route.ts'
import { imagesRoute } from './endpoints/images/route.ts'
import { keyInfoRoute } from './endpoints/key-info/route.ts'
import { listModelsRoutes } from './endpoints/list-models/route.ts'
import { createPassThroughFamily } from './endpoints/pass-through/pass-through-family.ts'
import type { PassThroughDependencies } from './endpoints/pass-through/relay-facts.ts'
import { passThroughRoutes } from './endpoints/pass-through/route.ts'
import { teamInfoRoute } from './endpoints/team-info/route.ts'
import { orderVideoRoute, type VideosDependencies, videoRoutes } from './endpoints/videos/route.ts'
import {
  createAcceptIdempotencyKey,
  type IdempotencyDependencies,
} from './idempotency/accept-idempotency-key.ts'
import { createInfoCall } from './info-call.ts'
import { createMediaCall } from './media-call.ts'
import { createOrderCall, type OrderCallDependencies } from './order-call.ts'
import { createPipeline, type PipelineDependencies } from './pipeline.ts'
import type { Caller } from './stages/1-authenticate.ts'
import { createVendorStreamCall } from './vendor-stream-call.ts'

export type GatewayDependencies = PipelineDependencies &
  IdempotencyDependencies &
  OrderCallDependencies &
  GateDependencies &
  Omit<VideosDependencies, 'orderCall' | 'infoCall'> & {
    readonly limits: Limits
    readonly records: OwnerRecords
    readonly maxBodyBytes: number
    readonly media: MediaUpstream
    readonly encodeMp3: EncodeMp3
  } & Pick<PassThroughDependencies, 'relay' | 'videoRelay' | 'videoReads' | 'noteProgress' | 'publicUrl'>

/** `authenticatePassThrough`: by the headers of the pass-through. */
export function createGatewayRoutes(
  dependencies: GatewayDependencies,
  authenticatePassThrough: Authenticate<Caller>,
): Route<Caller>[] {
  const infoCall = createInfoCall(dependencies)
  const mediaCall = createMediaCall(dependencies)
  const runChat = createPipeline(dependencies)
  const orderCall = createOrderCall(dependencies)
  const acceptIdempotencyKey = createAcceptIdempotencyKey(dependencies)
  const paid = [
    chatCompletionsRoute({ runChat, maxBodyBytes: dependencies.maxBodyBytes }),
    imagesRoute({ ...dependencies, mediaCall }),
    imageEditsRoute({ ...dependencies, mediaCall }),
    audioSpeechRoute({ ...dependencies, mediaCall }),
    audioTranscriptionsRoute({ ...dependencies, mediaCall }),
    embeddingsRoute({ ...dependencies, mediaCall }),
    orderVideoRoute({ ...dependencies, orderCall }),
  ]
  const routes = [
    ...paid.map(acceptIdempotencyKey),
    keyInfoRoute({ ...dependencies, infoCall }),
    teamInfoRoute({ ...dependencies, infoCall }),
    ...videoRoutes({ ...dependencies, infoCall }),
    ...listModelsRoutes({ ...dependencies, infoCall }),
  ]
  const passThrough = passThroughRoutes({
    ...dependencies,
    infoCall,
    mediaCall,
    orderCall,
    streamCall: createVendorStreamCall(dependencies),
    family: createPassThroughFamily(authenticatePassThrough),
    acceptIdempotencyKey,
  })
  return [...routes.map(answerWithBothPrefixes), ...passThrough].map(route => ({
    ...describeHeaders(route),
    gate: createGate(route, dependencies),
  }))
}

/** Every path answers with and without `/v1`. */
function answerWithBothPrefixes(route: Route<Caller>): Route<Caller> {
  const bare = route.path.replace(/^\/v1(?=\/)/, '')
  const others = [bare, `/v1${bare}`].filter(path => path !== route.path)
  return { ...route, aliases: others }
}
