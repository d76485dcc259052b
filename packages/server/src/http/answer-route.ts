// Answers one request on one route: authenticate → read body → validate → handle. Whatever is thrown goes to the door.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { coerceQuery } from './coerce-query.ts'
import { readBytes, readJson } from './read-body.ts'
import { readForm } from './read-form.ts'
import type { RequestContext, Route } from './route.ts'
import type { Authenticate } from './route-family.ts'
import type { Trip } from './trip.ts'
import { validateWith } from './validate.ts'

export type AnswerDependencies<Caller> = {
  readonly authenticate: Authenticate<Caller>
  /** Resolves when a failed authentication from this address may be answered. */
  readonly slowFailure: (address: string | null) => Promise<void>
}

export type AnswerRoute = (trip: Trip, params: Readonly<Record<string, string>>) => Promise<Response>

export function createAnswer<Caller>(
  route: Route<Caller>,
  dependencies: AnswerDependencies<Caller>,
): AnswerRoute {
  const readBody = createBodyReader(route)
  const readQuery = createQueryReader(route)
  const authenticate = createSlowedAuthenticate({ ...dependencies, ...route.family })
  return async (trip, params) => {
    const { request } = trip
    const caller = await authenticate(request, trip)
    const query = readQuery === null ? undefined : readQuery(request.url)
    const body = readBody === null ? undefined : await readBody(request)
    const context: RequestContext = {
      request,
      callId: trip.callId,
      body,
      query,
      params,
      get remoteAddress() {
        return trip.remoteAddress
      },
      get signal() {
        return request.signal
      },
      keepOpen: () => {
        trip.isKeptOpen = true
        trip.server.timeout(request, 0)
      },
      note: fields => {
        trip.notes = { ...trip.notes, ...fields }
      },
    }
    // Both values have just passed the schemas that the handler's types come from (see defineRoute).
    return route.handle(caller, context as RequestContext<never, never>)
  }
}

function createSlowedAuthenticate<Caller>({ authenticate, slowFailure }: AnswerDependencies<Caller>) {
  return async (request: Request, trip: Trip): Promise<Caller> => {
    try {
      return await authenticate(request, trip)
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) await slowFailure(trip.remoteAddress)
      throw error
    }
  }
}

function createBodyReader<Caller>({ body, bodyKind, maxBodyBytes }: Route<Caller>) {
  if (body === undefined) return null
  if (bodyKind === 'bytes') return (request: Request): Promise<unknown> => readBytes(request, maxBodyBytes)
  const validate = validateWith(body)
  const read = bodyKind === 'form' ? readForm : bodyKind === 'json-or-form' ? readJsonOrForm : readJson
  return async (request: Request): Promise<unknown> => validate(await read(request, maxBodyBytes))
}

function readJsonOrForm(request: Request, limit?: number): Promise<unknown> {
  const isForm = /^multipart\/form-data\b/i.test(request.headers.get('content-type') ?? '')
  return isForm ? readForm(request, limit) : readJson(request, limit)
}

function createQueryReader<Caller>({ query }: Route<Caller>) {
  if (query === undefined) return null
  const validate = validateWith(query)
  return (url: string): unknown => {
    const start = url.indexOf('?')
    return validate(coerceQuery(query, new URLSearchParams(start < 0 ? '' : url.slice(start + 1))))
  }
}
