// The gateway door's routes: every endpoint is registered here and nowhere else.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Route } from '../http/route.ts'
import type { OwnerRecords } from '../limits/owner-records.ts'
import type { Limits } from '../limits/port.ts'
import type { EncodeMp3 } from '../media/mp3-encoder.ts'
import type { MediaUpstream } from '../upstream/media-port.ts'
import { audioSpeechRoute } from './endpoints/audio-speech/route.ts'
import { audioTranscriptionsRoute } from './endpoints/audio-transcriptions/route.ts'
import { chatCompletionsRoute } from './endpoints/chat-completions/route.ts'
import { embeddingsRoute } from './endpoints/embeddings/route.ts'
import { imageEditsRoute } from './endpoints/image-edits/route.ts'
import { imagesRoute } from './endpoints/images/route.ts'
import { keyInfoRoute } from './endpoints/key-info/route.ts'
import { listModelsRoutes } from './endpoints/list-models/route.ts'
import { teamInfoRoute } from './endpoints/team-info/route.ts'
import { type VideosDependencies, videosRoutes } from './endpoints/videos/route.ts'
import { createInfoCall } from './info-call.ts'
import { createMediaCall, type MediaCallDependencies } from './media-call.ts'
import { createOrderCall, type OrderCallDependencies } from './order-call.ts'
import { createPipeline, type PipelineDependencies } from './pipeline.ts'
import type { Caller } from './stages/1-authenticate.ts'

export type GatewayDependencies = PipelineDependencies &
  MediaCallDependencies &
  OrderCallDependencies &
  Omit<VideosDependencies, 'orderCall' | 'infoCall'> & {
    readonly limits: Limits
    readonly records: OwnerRecords
    readonly maxBodyBytes: number
    readonly media: MediaUpstream
    readonly encodeMp3: EncodeMp3
  }

export function createGatewayRoutes(dependencies: GatewayDependencies): Route<Caller>[] {
  const infoCall = createInfoCall(dependencies)
  const mediaCall = createMediaCall(dependencies)
  const runChat = createPipeline(dependencies)
  const routes = [
    chatCompletionsRoute({ runChat, maxBodyBytes: dependencies.maxBodyBytes }),
    imagesRoute({ ...dependencies, mediaCall }),
    imageEditsRoute({ ...dependencies, mediaCall }),
    audioSpeechRoute({ ...dependencies, mediaCall }),
    audioTranscriptionsRoute({ ...dependencies, mediaCall }),
    embeddingsRoute({ ...dependencies, mediaCall }),
    keyInfoRoute({ ...dependencies, infoCall }),
    teamInfoRoute({ ...dependencies, infoCall }),
    ...videosRoutes({ ...dependencies, orderCall: createOrderCall(dependencies), infoCall }),
    ...listModelsRoutes({ ...dependencies, infoCall }),
  ]
  return routes.map(answerWithBothPrefixes).map(guardAllowedRoutes)
}

/** Every path answers with and without `/v1`. */
function answerWithBothPrefixes(route: Route<Caller>): Route<Caller> {
  const bare = route.path.replace(/^\/v1(?=\/)/, '')
  const others = [bare, `/v1${bare}`].filter(path => path !== route.path)
  return { ...route, aliases: others }
}

/** A key with `allowed_routes` may call only those paths; either spelling of a path allows both. */
function guardAllowedRoutes(route: Route<Caller>): Route<Caller> {
  const names = [route.path, ...(route.aliases ?? [])]
  return {
    ...route,
    handle: (caller, context) => {
      const { allowedRoutes } = caller.key
      if (allowedRoutes.length > 0 && !allowedRoutes.some(allowed => names.includes(allowed))) {
        throw new ApiError('route_not_allowed', {
          message: `This key may only call ${allowedRoutes.join(', ')}.`,
        })
      }
      return route.handle(caller, context)
    },
  }
}
