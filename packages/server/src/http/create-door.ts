// A door: one listener's routes with everything around them, in this order:
// call id → authenticate → enter → room for the body → read → validate → handle → error reply → one log line.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { getPath } from 'hono/utils/url'
import { type AnswerDependencies, type AnswerRoute, createAnswer } from './answer-route.ts'
import { Call, type CallSurroundings, type DoorServer } from './call.ts'
import { type IsHostAllowed, refuseHosts } from './check-host.ts'
import { type CallingOrigins, createCrossOrigin } from './cross-origin.ts'
import type { Log } from './log.ts'
import type { LogAccess } from './log-access.ts'
import { createOpenPages, type OpenPagesOptions, once } from './open-pages.ts'
import { buildOpenapi, type DoorFacts, type OpenapiDocument } from './openapi.ts'
import { refuseTrailers } from './refuse-trailers.ts'
import { pathsOf, type Route } from './route.ts'
import type { RouteFamily, WriteError } from './route-family.ts'
import { createRouter } from './router.ts'
import {
  idleTimeoutOf,
  type OpenStream,
  type StreamEnding,
  type StreamLimits,
  type StreamTimers,
  streamOf,
} from './server-sent-events.ts'
import { toApiError, writeError } from './write-error.ts'

export type RequestObservation = {
  readonly door: string
  /** The route's path, or `unmatched`. */
  readonly route: string
  readonly status: number
  /** To the end of the reply, for streams too. */
  readonly seconds: number
}

type OwnOptions<Caller> = {
  readonly name: 'gateway' | 'logbook' | 'admin'
  readonly routes: readonly Route<Caller>[]
  /** Routes that refuse every method and are in no document: looked up only when no other route matches. */
  readonly absentRoutes?: readonly Route<Caller>[]
  /** Routes that need no credential. */
  readonly openRoutes?: readonly Route<null>[]
  /** The Hosts that are answered, besides at `/health/…`; by default all. */
  readonly isHostAllowed?: IsHostAllowed
  /** Pages of these origins may call the routes that are `isCrossOrigin`; by default none may. */
  readonly callingOrigins?: CallingOrigins
  /** True while the process drains: each reply then ends its connection, so that the next request goes to another server. */
  readonly isDraining: () => boolean
  /** Called for streams on a connection that will be kept and that no later reply has ended when a drain starts. */
  readonly keptConnections: { readonly enter: () => void; readonly leave: () => void }
  /** True for a failure that was logged when it first occurred, so that there is no line for each request. */
  readonly isReported: (error: unknown) => boolean
  /** The error for callers of this door; by default the error as it is. */
  readonly explainFailure?: (error: ApiError) => ApiError
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** Writes the line of each request. */
  readonly logAccess: LogAccess
  readonly observe: (observation: RequestObservation) => void
  /** For streams, and `stalledSeconds` for whole replies too. */
  readonly streamLimits: StreamLimits
  readonly streamTimers: StreamTimers
  readonly observeCutStream: (reason: 'stalled' | 'overdue') => void
}

export type DoorOptions<Caller> = OwnOptions<Caller> &
  Omit<DoorFacts, keyof OwnOptions<Caller>> &
  AnswerDependencies<Caller> &
  Omit<OpenPagesOptions, 'name' | 'readOpenapi'> &
  CallSurroundings

export type Door = {
  readonly fetch: (request: Request, server: DoorServer) => Response | Promise<Response>
  /** For a request with a method that HTTP does not know, no matter which method the request object shows. */
  readonly refuseMethod: (request: Request, server: DoorServer) => Response | Promise<Response>
  /** Replaces a reply that could not be started; its request is no longer known. */
  readonly answerUnsent: (cause: Error) => Response
  /** Built for the first reader. */
  readonly readOpenapi: () => OpenapiDocument
}

/** The only entry of absent routes in their router. */
const anyMethod = 'ANY'

/** Throws if a schema cannot be compiled. */
export function createDoor<Caller>(options: DoorOptions<Caller>): Door {
  const { log, logAccess, newCallId, observe, bodies, streamLimits, stopwatch } = options
  const { isDraining, isHostAllowed = () => true, explainFailure = error => error } = options
  const crossOrigin = createCrossOrigin(options.callingOrigins ?? new Set())
  const readOpenapi = once(() => buildOpenapi(options))
  const router = createRouter<AnswerRoute>()
  for (const [path, page] of Object.entries(createOpenPages({ ...options, readOpenapi }))) {
    router.add('GET', path, async call => {
      call.route = path
      call.isRoutine = path.startsWith('/health/')
      try {
        return conclude(call, await page(call.request))
      } catch (error) {
        return fail(call, error)
      }
    })
  }
  const endings = { conclude, fail }
  type RegisteredRoute = Pick<Route<never>, 'method' | 'path' | 'aliases' | 'isCrossOrigin'>
  const answers: readonly (readonly [RegisteredRoute, AnswerRoute])[] = [
    ...options.routes.map(route => [route, createAnswer(refuseTrailers(route), options, endings)] as const),
    ...(options.openRoutes ?? []).map(route => {
      const withoutCredential = {
        ...options,
        authenticate: () => null,
        bodies: { ...bodies, ownerOf: () => 'open', workerOf: () => 'open' },
      }
      return [route, createAnswer(refuseTrailers(route), withoutCredential, endings)] as const
    }),
  ]
  for (const [route, serve] of answers)
    for (const path of pathsOf(route)) router.add(route.method, path, serve)
  const crossOriginAnswers = new Set(
    answers.flatMap(([route, serve]) => (route.isCrossOrigin ? [serve] : [])),
  )
  const absent = createRouter<AnswerRoute>()
  for (const route of options.absentRoutes ?? []) {
    const serve = createAnswer(refuseTrailers(route), options, endings)
    for (const path of pathsOf(route)) absent.add(anyMethod, path, serve)
  }
  const families = options.routes.flatMap(route => route.family ?? [])
  const writerAt = (path: string) => families.find(family => isBelow(family, path))?.writeError

  /** Other methods are looked up only here, so that only requests without a match pay for it. */
  async function answerUnmatched(call: Call, path: string): Promise<Response> {
    const found = ['GET', 'POST', 'PUT', 'DELETE'].flatMap(method => {
      const serve = router.find(method, path)?.serve
      return serve === undefined ? [] : [{ method, isCrossOrigin: crossOriginAnswers.has(serve) }]
    })
    const allowed = found.map(({ method }) => method)
    if (allowed.length === 0) {
      // A page must be able to read that nothing is there. Browsers ask first for that too.
      call.isCrossOrigin = crossOriginAnswers.size > 0
      const asked = call.request.headers.get('access-control-request-method')
      if (call.isCrossOrigin && call.method === 'OPTIONS' && asked !== null)
        return answerPreflight(call, [asked])
      const refused = absent.find(anyMethod, path)
      if (refused !== null) return refused.serve(call, refused.parameters)
      const message = `There is nothing at ${path.slice(0, 200)}. ${options.publicUrl}/docs lists all paths.`
      return fail(call, new ApiError('not_found', { message }), writerAt(path))
    }
    const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
    const shared = found.filter(({ isCrossOrigin }) => isCrossOrigin).map(({ method }) => method)
    call.isCrossOrigin = shared.length > 0
    if (call.method === 'OPTIONS') return answerPreflight(call, shared, { allow })
    return fail(call, new ApiError('method_not_allowed', { headers: { allow } }), writerAt(path))
  }

  /** 204 for OPTIONS. `shared`: the methods that pages of other origins may send. */
  function answerPreflight(
    call: Call,
    shared: readonly string[],
    headers: Record<string, string> = {},
  ): Response {
    const response = new Response(null, { status: 204, headers })
    if (call.isCrossOrigin) crossOrigin.allow(call.request.headers, response.headers, shared)
    return conclude(call, response)
  }

  /** A body that was refused unread is discarded first, or the client would not get the reply. */
  async function fail(call: Call, thrown: unknown, write: WriteError = writeError): Promise<Response> {
    await bodies.discard(call, { isCaller: call.isCaller, maximumBytes: bodies.discardedBytes })
    const error = explainFailure(toApiError(thrown))
    if (error.code === 'internal' && call.request.signal.aborted) {
      // The client left and its work was torn down: no one reads this reply. 499 as nginx logs it.
      call.note({ error: 'client_closed' })
      return conclude(call, new Response(null, { status: 499 }))
    }
    call.note({ error: error.code })
    if (error.status >= 500 && !options.isReported(error)) {
      const fields = { door: options.name, call_id: call.callId, err: error.cause ?? error }
      if (error.code === 'internal') log.error(fields, error.message)
      else log.warn(fields, error.message)
    }
    return conclude(call, write(error, call.request, call.callId))
  }

  function conclude(call: Call, response: Response): Response {
    response.headers.set('x-gateway-call-id', call.callId)
    response.headers.set('x-content-type-options', 'nosniff')
    if (call.isCrossOrigin) crossOrigin.share(call.request.headers, response.headers)
    if (isDraining()) response.headers.set('connection', 'close')
    const stream = streamOf(response)
    if (stream === undefined) {
      // The idle time-out was lifted while the answer was made. Sending it must not last forever.
      if (call.isKeptOpen) call.server.timeout(call.request, idleTimeoutOf(streamLimits))
      record(call, response.status)
      return call.method === 'HEAD' && response.headers.has('content-length')
        ? withoutBody(response)
        : response
    }
    guard(call, stream, response.status)
    return response
  }

  function guard(call: Call, stream: OpenStream, status: number): void {
    const timeout = (seconds: number) => call.server.timeout(call.request, seconds)
    stream.guard({ timeout, timers: options.streamTimers }, streamLimits)
    const kept = isDraining() ? null : options.keptConnections
    kept?.enter()
    void stream.ended.then(ending => {
      kept?.leave()
      noteEnding(call, ending)
      record(call, status)
    })
  }

  function noteEnding(call: Call, ending: StreamEnding): void {
    if (ending !== 'stalled' && ending !== 'overdue') return
    call.note({ cut: ending })
    options.observeCutStream(ending)
  }

  function record(call: Call, status: number): void {
    const ms = stopwatch() - call.startedAt
    observe({ door: options.name, route: call.route, status, seconds: ms / 1000 })
    if (call.isRoutine && status < 400) return
    const facts = {
      door: options.name,
      method: call.method,
      route: call.route,
      status,
      milliseconds: Math.round(ms * 100) / 100,
      callId: call.callId,
      notes: call.notes,
    }
    logAccess(facts, call)
  }

  function checkHost({ request }: Call, path: string): ApiError | null {
    const host = request.headers.get('host')
    const refusal = refuseHosts(host)
    if (refusal !== null || isHostAllowed(host) || path.startsWith('/health/')) return refusal
    return new ApiError('host_not_allowed', {
      message: `This door does not accept requests for the host "${(host ?? '').slice(0, 200)}". Use an IP address or localhost, or list the name in FAIRGATE_ADMIN_HOSTS.`,
    })
  }

  return Object.freeze({
    readOpenapi,
    fetch: (request: Request, server: DoorServer) => {
      const call = new Call(options, request, server, request.method)
      const path = getPath(request)
      const refusal = checkHost(call, path)
      if (refusal !== null) return fail(call, refusal, writerAt(path))
      // HEAD is answered like GET: Bun sends the headers alone, with the length of the body.
      const found = router.find(request.method === 'HEAD' ? 'GET' : request.method, path)
      return found === null ? answerUnmatched(call, path) : found.serve(call, found.parameters)
    },
    refuseMethod: (request: Request, server: DoorServer) => {
      const call = new Call(options, request, server, 'unknown')
      const path = getPath(request)
      const refusal = checkHost(call, path)
      return refusal === null ? answerUnmatched(call, path) : fail(call, refusal, writerAt(path))
    },
    answerUnsent: cause => {
      const error = isGoneFile(cause)
        ? new ApiError('not_found', { message: 'This file has just been removed.' })
        : new ApiError('internal')
      const callId = newCallId()
      log[error.code === 'internal' ? 'error' : 'info'](
        { door: options.name, call_id: callId, err: cause },
        error.message,
      )
      const response = writeError(error)
      response.headers.set('x-gateway-call-id', callId)
      response.headers.set('x-content-type-options', 'nosniff')
      return response
    },
  })
}

/** A file is opened when its reply is sent. Another process may have removed it since it was found. */
function isGoneFile(cause: Error): boolean {
  return 'code' in cause && cause.code === 'ENOENT'
}

function isBelow(
  { prefix, otherPrefixes = [] }: Pick<RouteFamily<never>, 'prefix' | 'otherPrefixes'>,
  path: string,
): boolean {
  return [prefix, ...otherPrefixes].some(start => path.startsWith(start))
}

/** For a HEAD request while the body of the reply is still arriving: Bun would not send its length. */
function withoutBody(response: Response): Response {
  const { status, headers } = response
  // Stops the sender of the body. A failure of that does not matter.
  response.body?.cancel().catch(() => undefined)
  return new Response(null, { status, headers })
}
