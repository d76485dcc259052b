// Answers one request on one route: authenticate → enter → room for the body → read → validate → handle. Errors are thrown to the
// door. A refusal comes before the body is read, and a body is read only when there is room for it.
import type { TSchema } from 'typebox'
import type { BodyRoom, DoorBudget } from './body-budget.ts'
import { smallBody } from './body-pool.ts'
import type { Call } from './call.ts'
import { coerceQuery } from './coerce-query.ts'
import { type DiscardBody, idleSeconds } from './discard-body.ts'
import { isEmptyField } from './drop-absent.ts'
import { isFailedCredential, type SlowFailure } from './failed-auth-throttle.ts'
import type { FairStarts } from './fair-starts.ts'
import {
  type BodyReading,
  createJsonReader,
  defaultBodyBytes,
  readBounded,
  readBytes,
  refuseEncoded,
  refuseSize,
  requirePlainJson,
} from './read-body.ts'
import { readForm, requireForm } from './read-form.ts'
import type { Route } from './route.ts'
import type { Authenticate, WriteError } from './route-family.ts'
import { streamOf } from './server-sent-events.ts'
import { openFormStream } from './stream-form.ts'
import { validateWith } from './validate.ts'
import { turnBytes, type WorkTurns } from './work-turns.ts'
import { toApiError } from './write-error.ts'

/** How a door reads bodies. */
export type DoorBodies<Caller> = {
  readonly budget: DoorBudget
  /** The owner that bodies are counted for. */
  readonly ownerOf: (caller: Caller) => string
  /** The owner that work is counted for: the keys of a team share its turns. */
  readonly workerOf: (caller: Caller) => string
  readonly discard: DiscardBody
  /** How many bytes of a refused body are discarded at most. */
  readonly discardedBytes: number
  /** Called with the bytes of large bodies, when they have been read and when they are no longer needed. */
  readonly notePassed: (bytes: number) => void
  /** How long a whole body may take to arrive. */
  readonly readMs: number
  /** Calls back after so many ms unless the returned function is called before. */
  readonly startTimer: (milliseconds: number, run: () => void) => () => void
  readonly turns: WorkTurns
  readonly fairStart: FairStarts['start']
}

export type AnswerDependencies<Caller> = {
  readonly authenticate: Authenticate<Caller>
  readonly slowFailure: SlowFailure
  readonly bodies: DoorBodies<Caller>
  /** Monotonic ms. */
  readonly stopwatch: () => number
}

/** The door's handling of a call's result. */
export type Endings = {
  readonly conclude: (call: Call, response: Response) => Response
  readonly fail: (call: Call, thrown: unknown, write?: WriteError) => Promise<Response>
}

export type AnswerRoute = (call: Call, params: Readonly<Record<string, string>>) => Promise<Response>

export function createAnswer<Caller>(
  route: Route<Caller>,
  dependencies: AnswerDependencies<Caller>,
  { conclude, fail }: Endings,
): AnswerRoute {
  const { gate, isCrossOrigin = false } = route
  const { slowFailure } = dependencies
  const { authenticate } = { ...dependencies, ...route.family }
  const { discard, discardedBytes: maximumBytes, notePassed, fairStart, workerOf } = dependencies.bodies
  const readBody = createBodyReader(route)
  const readQuery = createQueryReader(route)
  const takeIn = createTakeIn(route, dependencies)

  // Its values have just passed the schemas that the handler's types come from (see defineRoute).
  const handle = (caller: Caller, call: Call) => route.handle(caller, call as Call<never, never>)

  const giveBack = (room: BodyRoom): void => {
    if (room.bytes() > smallBody) notePassed(room.bytes())
    room.giveBack()
  }

  /** A stream returns its room when it has ended. */
  const keepForStream = (room: BodyRoom, response: Response): boolean => {
    const stream = streamOf(response)
    if (stream === undefined) return false
    // The bytes read and sent on are gone, but the request is still there: 8 streams of 8 MB held 130 MB.
    room.shrinkTo(Math.ceil(room.bytes() / 2))
    void stream.ended.then(() => giveBack(room))
    return true
  }

  // One function for the usual path: each await within another is 0.3 kB of garbage per call. Nor does anything on that path hold a
  // closure for a rarer one: variables that a closure may capture are put on the heap whether or not it is created.
  return async (call, params) => {
    call.route = route.path
    call.isCrossOrigin = isCrossOrigin
    let caller: Caller | null = null
    try {
      // Nearly every caller is known synchronously, without a promise.
      const identified = authenticate(call.request, call)
      caller = identified instanceof Promise ? await identified : identified
      call.isCaller = true
      const starting = fairStart(workerOf(caller), call.startedAt)
      if (starting !== null) await starting
      call.params = params
      if (readQuery !== null) call.query = readQuery(call.request.url)
      const entering = gate?.enter(caller, call.callId, call.request)
      if (entering instanceof Promise) await entering
      let room: BodyRoom | null = null
      let response: Response
      try {
        if (readBody === null) await discard(call, { isCaller: true, maximumBytes })
        else {
          const taking = takeIn(caller, call, readBody.check)
          const taken = taking instanceof Promise ? await taking : taking
          room = taken.room
          call.body = await readBody.read(call.request, taken.reading)
          if (room.bytes() > smallBody) notePassed(room.bytes())
        }
        response = await handle(caller, call)
        if (room !== null && room.bytes() > smallBody && keepForStream(room, response)) room = null
      } finally {
        if (room !== null) giveBack(room)
        gate?.leave(call.callId)
      }
      if (!call.isOnRecord) route.ended?.(caller, call, { status: response.status, error: null })
      return conclude(call, response)
    } catch (thrown) {
      // By now the body's room has been returned: a slow answer keeps no one else waiting.
      if (isFailedCredential(thrown)) await slowFailure(call.remoteAddress)
      const refused = await fail(call, thrown, route.writeError ?? route.family?.writeError)
      if (caller !== null && !call.isOnRecord)
        route.ended?.(caller, call, { status: refused.status, error: toApiError(thrown) })
      return refused
    }
  }
}

/** A body of known length takes its room at once; one of unknown length takes that of a small one, and more if it turns out to be larger. */
function createTakeIn<Caller>(
  { gate, bodyKind, maxBodyBytes = defaultBodyBytes }: Route<Caller>,
  { bodies, stopwatch }: AnswerDependencies<Caller>,
) {
  const { budget, ownerOf, workerOf, readMs: milliseconds, startTimer, turns } = bodies

  /** Waits unread if there is no room: the runtime stops reading the connection, which must not be cut for being silent. */
  const takeLarge = async (caller: Caller, call: Call, bytes: number): Promise<BodyRoom> => {
    const { request, server } = call
    gate?.checkBeforeBody(caller, request)
    const owner = ownerOf(caller)
    const atOnce = budget.tryTake(owner, bytes)
    if (atOnce !== null) return atOnce
    const since = stopwatch()
    server.timeout(request, 0)
    try {
      const room = await budget.take(owner, bytes, request.signal)
      try {
        gate?.checkBeforeBody(caller, request)
        return room
      } catch (refusal) {
        room.giveBack()
        throw refusal
      }
    } finally {
      server.timeout(request, idleSeconds)
      call.note({ body_waited_ms: Math.round(stopwatch() - since) })
    }
  }

  const smallReading: BodyReading = {
    milliseconds,
    startTimer,
    takeTurn: async () => undefined,
    takeRoom: () => {
      throw new Error('A body of known length already has its room.')
    },
  }
  const takeTurnOf = (caller: Caller) => (bytes: number) => turns.take(workerOf(caller), bytes)

  const withFurtherRoom = (caller: Caller, call: Call, room: BodyRoom): TakenIn => {
    let further: BodyRoom | null = null
    const giveBack = () => {
      room.giveBack()
      further?.giveBack()
    }
    const takeRoom = async (limit: number) => {
      further = await takeLarge(caller, call, limit)
      return further
    }
    return {
      room: {
        giveBack,
        bytes: () => further?.bytes() ?? room.bytes(),
        shrinkTo: bytes => (further ?? room).shrinkTo(bytes),
      },
      reading: { milliseconds, startTimer, takeTurn: takeTurnOf(caller), takeRoom },
    }
  }

  const begin = (caller: Caller, call: Call, length: number | null, room: BodyRoom): TakenIn =>
    length === null
      ? withFurtherRoom(caller, call, room)
      : {
          room,
          reading: length > turnBytes ? { ...smallReading, takeTurn: takeTurnOf(caller) } : smallReading,
        }

  const beginLarge = async (caller: Caller, call: Call, length: number | null, first: number) =>
    begin(caller, call, length, await takeLarge(caller, call, first))

  // Small bodies, which are nearly all, pass without a promise.
  return (caller: Caller, call: Call, check: (headers: Headers) => void): TakenIn | Promise<TakenIn> => {
    const { headers } = call.request
    const declared = headers.get('content-length')
    const length = declared === null ? null : Number(declared)
    const whole = length ?? Math.min(smallBody, maxBodyBytes)
    // Of a form that is read as it arrives only a few pieces are in memory.
    const first = bodyKind === 'form-stream' ? Math.min(whole, smallBody) : whole
    const small = first <= smallBody && whole <= maxBodyBytes ? budget.tryTake(ownerOf(caller), first) : null
    if (small !== null) return begin(caller, call, length, small)
    check(headers)
    if (whole > maxBodyBytes) throw refuseSize(maxBodyBytes)
    return beginLarge(caller, call, length, first)
  }
}

type TakenIn = { readonly room: BodyRoom; readonly reading: BodyReading }

type RouteBodyReader = {
  /** Throws ApiError for a body that its headers already rule out. */
  readonly check: (headers: Headers) => void
  readonly read: (request: Request, reading: BodyReading) => Promise<unknown>
}

function createBodyReader<Caller>({
  body,
  bodyKind,
  maxBodyBytes,
  maxBodyValues,
}: Route<Caller>): RouteBodyReader | null {
  if (body === undefined) return null
  if (bodyKind === 'bytes')
    return { check: requirePlainJson, read: (request, reading) => readBytes(request, maxBodyBytes, reading) }
  if (bodyKind === 'raw')
    return { check: refuseEncoded, read: (request, reading) => readBounded(request, maxBodyBytes, reading) }
  if (bodyKind === 'form-stream')
    return {
      check: requireForm,
      read: async (request, reading) => openFormStream(request, maxBodyBytes ?? defaultBodyBytes, reading),
    }
  if (bodyKind === 'form') return createFormReader(body, maxBodyBytes)
  const json = {
    check: requirePlainJson,
    read: createJsonReader(maxBodyBytes, validateWith(body), maxBodyValues),
  }
  if (bodyKind !== 'json-or-form') return json
  const form = createFormReader(body, maxBodyBytes)
  const readerFor = (headers: Headers) => (isForm(headers) ? form : json)
  return {
    check: headers => readerFor(headers).check(headers),
    read: (request, reading) => readerFor(request.headers).read(request, reading),
  }
}

function createFormReader(body: TSchema, limit: number | undefined): RouteBodyReader {
  const validate = validateWith(body, isEmptyField)
  return {
    check: requireForm,
    read: (request, reading) => readForm(request, limit, reading).then(validate),
  }
}

function isForm(headers: Headers): boolean {
  return /^multipart\/form-data\b/i.test(headers.get('content-type') ?? '')
}

function createQueryReader<Caller>({ query }: Route<Caller>) {
  if (query === undefined) return null
  const validate = validateWith(query)
  return (url: string): unknown => {
    const start = url.indexOf('?')
    return validate(coerceQuery(query, new URLSearchParams(start < 0 ? '' : url.slice(start + 1))))
  }
}
