// A route is data: path, schemas, errors and a handler. Doors register it; OpenAPI and the reference page describe it.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'
import type { Static, TObject, TSchema } from 'typebox'
import type { Call } from './call.ts'
import type { ReplyHeader } from './reply-headers.ts'
import type { RouteFamily, SecurityScheme, WriteError } from './route-family.ts'
import type { FormStream } from './stream-form.ts'

/**
 * The content of a reply, in one form or more. A schema's `contentMediaType` names a form other than JSON; text alone means that there is
 * no body, and why.
 */
export type ReplyForms = TSchema | readonly TSchema[] | string

type RouteFacts = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `/v1/models/:id`, or with a verb at its end: `/models/:model::countTokens`. */
  readonly path: string
  /** More paths with the same behaviour. */
  readonly aliases?: readonly string[]
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Largest body in bytes, 1 MiB if absent. */
  readonly maxBodyBytes?: number
  /** Most values of a JSON body; `usualValues` of read-body.ts if absent. */
  readonly maxBodyValues?: number
  /** Request headers that the handler reads itself: shown in the reference, not checked here. */
  readonly headers?: TObject
  /** Segment of the path → a working value, for the example. */
  readonly pathExamples?: Readonly<Record<string, string>>
  /** Status → the reply's content, for replies that are not our errors. */
  readonly replies: Readonly<Record<number, ReplyForms>>
  /** Headers that these replies can carry besides those of every reply. */
  readonly replyHeaders?: readonly ReplyHeader[]
  /** The same for errors, besides those that belong to their codes. */
  readonly errorReplyHeaders?: Readonly<Partial<Record<ErrorCode, readonly ReplyHeader[]>>>
  readonly errors: readonly ErrorCode[]
  /** The only credential of the door that opens it, with its name in the document; absent if each of them does. */
  readonly credential?: { readonly name: string; readonly scheme: SecurityScheme }
  /** A paid route: it counts in the windows, accepts an Idempotency-Key, answers dry runs, and is recorded however it ends. */
  readonly isPaid?: boolean
  /** A call that finds all parallel slots of its key taken waits for those of the same route: they are short and come many at once. */
  readonly waitsForItsOwn?: boolean
  /**
   * Pages of other origins may call it and read its replies, as far as the settings of the door allow. Only for routes that take their
   * credential from a header and read no cookie.
   */
  readonly isCrossOrigin?: boolean
  /** Absent for errors in the format of the family, or of the door. */
  readonly writeError?: WriteError
  /** The form of the errors that `writeError` writes; absent if it is that of the family, or of the door. */
  readonly errorForm?: TSchema
}

/** The steps between the credential and the body. */
export type RouteGate<Caller> = {
  /** Throws ApiError for a caller that may not enter now; then nothing is held. */
  readonly enter: (caller: Caller, callId: string, request: Request) => void | Promise<void>
  /** Throws ApiError for a large body that would be refused in any case, before and after it has waited for room. */
  readonly checkBeforeBody: (caller: Caller, request: Request) => void
  /** Called once for each call that has entered, when the handler has ended or was never reached. */
  readonly leave: (callId: string) => void
}

/** How a call has ended for its client. A stream ends here when its reply starts. */
export type RouteEnd = {
  readonly status: number
  /** Null for an answer. */
  readonly error: ApiError | null
}

export type Route<Caller> = RouteFacts & {
  /** Absent for routes that do what their door does. */
  readonly family?: RouteFamily<Caller>
  readonly gate?: RouteGate<Caller>
  readonly body?: TSchema
  /**
   * `json` (the default), `form` and `json-or-form` parse and validate the body; `bytes` hands it over as it was sent, and `raw` does so for
   * any type. `form-stream` hands over a form that has not been read yet.
   */
  readonly bodyKind?: 'json' | 'form' | 'json-or-form' | 'bytes' | 'raw' | 'form-stream'
  readonly query?: TSchema
  readonly handle: (caller: Caller, call: Call<never, never>) => Promise<Response> | Response
  /** Called for each call of a known caller that has not been recorded by then. Must not throw. */
  readonly ended?: (caller: Caller, call: Call, end: RouteEnd) => void
}

type Value<Schema extends TSchema | undefined> = Schema extends TSchema ? Static<Schema> : undefined

type QueryFacts<Query extends TSchema | undefined> = Query extends TSchema
  ? { readonly query: Query }
  : { readonly query?: never }

type Handle<Caller, Body, Query> = (caller: Caller, call: Call<Body, Query>) => Promise<Response> | Response

export type TypedRoute<
  Caller,
  Body extends TSchema | undefined,
  Query extends TSchema | undefined,
> = RouteFacts & { readonly bodyKind?: 'json' | 'form' | 'json-or-form' } & (Body extends TSchema
    ? { readonly body: Body }
    : { readonly body?: never }) &
  QueryFacts<Query> & { readonly handle: Handle<Caller, Value<Body>, Value<Query>> }

/** Ties the handler's types to the schemas. The door validates before it calls, which makes them true. */
export function defineRoute<Caller, Body extends TSchema | undefined, Query extends TSchema | undefined>(
  route: TypedRoute<Caller, Body, Query>,
): Route<Caller> {
  return route
}

export type BytesRoute<Caller, Query extends TSchema | undefined> = RouteFacts &
  QueryFacts<Query> & {
    /** Shown in the reference; the handler checks the body itself. */
    readonly body: TSchema
    readonly handle: Handle<Caller, Uint8Array, Value<Query>>
  }

/** A route that gets its JSON body as the bytes that were sent, within its limit, unparsed and unvalidated. */
export function defineBytesRoute<Caller, Query extends TSchema | undefined = undefined>(
  route: BytesRoute<Caller, Query>,
): Route<Caller> {
  return { ...route, bodyKind: 'bytes' }
}

export type FormStreamRoute<Caller> = RouteFacts & {
  /** Shown in the reference; the handler checks the fields itself. */
  readonly body: TSchema
  readonly handle: Handle<Caller, FormStream, undefined>
}

/** A route that reads its form while it arrives. */
export function defineFormStreamRoute<Caller>(route: FormStreamRoute<Caller>): Route<Caller> {
  return { ...route, bodyKind: 'form-stream' }
}

/** Every path that the route answers, its own first. */
export function pathsOf(route: Pick<Route<never>, 'path' | 'aliases'>): readonly string[] {
  return [...new Set([route.path, ...(route.aliases ?? [])])]
}
