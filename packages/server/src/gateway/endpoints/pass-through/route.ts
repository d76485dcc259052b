// /vendor/v1beta/…: the vendor's own API for teams that use its client, under our keys, limits and budgets (spec 2.9, 4.1, 5.1).
// The same replies at /v1beta/…, where Gemini CLI and the vendor's clients look if they only know the gateway's address.
import type { Route } from '../../../http/route.ts'
import type { Caller } from '../../flow/authenticate.ts'
import type { PassThroughParts } from './describe-verb.ts'
import { longRunningRoute } from './long-running-route.ts'
import { modelsRoutes } from './models-routes.ts'
import { filesRoutes, operationsRoutes } from './operations-routes.ts'
import { ownFilesRoutes } from './own-files.ts'
import { uploadRoute } from './resumable-upload.ts'
import { countRoute, paidVerbsRoutes } from './verbs-routes.ts'

/** Default-deny: anything not listed here is not relayed. */
export function passThroughRoutes(dependencies: PassThroughParts): Route<Caller>[] {
  const paid = [...paidVerbsRoutes(dependencies), longRunningRoute(dependencies)]
  const routes = [
    ...paid.map(dependencies.acceptIdempotencyKey),
    countRoute(dependencies),
    ...operationsRoutes(dependencies),
  ]
  return [
    ...routes.map(route => answerAlsoBelow(route, '/vendor/v1/', '/v1beta/', '/v1/')),
    // /v1/files has OpenAI's and Anthropic's.
    ...[...filesRoutes(dependencies), ...ownFilesRoutes(dependencies)].map(route =>
      answerAlsoBelow(
        route,
        '/vendor/v1/',
        '/v1beta/',
        ...(route.path.endsWith(':download') ? ['/v1/'] : []),
      ),
    ),
    uploadRoute(dependencies),
    // GET /v1/models is the list in OpenAI's format.
    ...modelsRoutes(dependencies).map(route => answerAlsoBelow(route, '/vendor/v1/', '/v1beta/')),
  ]
}

/** The vendor's newer clients use `v1` unless configured otherwise; upstream it is the version of the specification. */
function answerAlsoBelow(route: Route<Caller>, ...roots: readonly string[]): Route<Caller> {
  return { ...route, aliases: roots.map(root => route.path.replace('/vendor/v1beta/', root)) }
}
