// The gateway door's routes: every endpoint is registered here and nowhere else.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Route } from '../http/route.ts'
import type { OwnerRecords } from '../limits/owner-records.ts'
import { chatCompletionsRoute } from './endpoints/chat-completions/route.ts'
import { keyInfoRoute } from './endpoints/key-info/route.ts'
import { listModelsRoutes } from './endpoints/list-models/route.ts'
import { teamInfoRoute } from './endpoints/team-info/route.ts'
import { createInfoCall } from './info-call.ts'
import { createPipeline, type PipelineDependencies } from './pipeline.ts'
import type { Caller } from './stages/1-authenticate.ts'

export type GatewayDependencies = PipelineDependencies & {
  readonly records: OwnerRecords
  readonly maxBodyBytes: number
}

export function createGatewayRoutes(dependencies: GatewayDependencies): Route<Caller>[] {
  const infoCall = createInfoCall(dependencies)
  const routes = [
    chatCompletionsRoute({ runChat: createPipeline(dependencies), maxBodyBytes: dependencies.maxBodyBytes }),
    keyInfoRoute({ ...dependencies, infoCall }),
    teamInfoRoute({ ...dependencies, infoCall }),
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
