// One request on its way through a door: the handler's inputs and actions, and the facts for its log line and its metrics.
import type { ReadClientAddress } from './client-address.ts'

/** The part of Bun's server that a door uses; in-process tests pass their own. */
export type DoorServer = {
  /** Sets the idle time-out of this request's connection in seconds; 0 lifts it. */
  readonly timeout: (request: Request, seconds: number) => void
  readonly requestIP: (request: Request) => { readonly address: string } | null
}

/** Keeps an answer until its charge can be written. */
export type AnswerKeeper = {
  /** Rejects, or resolves with `refund`, if the answer cannot be kept. */
  readonly keep: (write: () => Promise<Response>) => Promise<'charge' | 'refund'>
  /** The charge is written, with its refund if the answer could not be kept. */
  readonly noteWritten: () => Promise<void>
}

/** Shared by all calls of a door. */
export type CallSurroundings = {
  readonly newCallId: () => string
  /** Monotonic milliseconds. */
  readonly stopwatch: () => number
  readonly readClientAddress: ReadClientAddress
}

/** The door creates it once per request and fills in `params`, `query` and `body` before the handler runs. */
export class Call<Body = unknown, Query = unknown> {
  readonly request: Request
  readonly server: DoorServer
  /** The `x-gateway-call-id` of this request. */
  readonly callId: string
  /** Monotonic milliseconds. */
  readonly startedAt: number
  /** Name of the caller in the log line. */
  readonly method: string
  /** The path of the answering route, never the requested path: it labels metrics. */
  route = 'unmatched'
  /** The named segments of the path, decoded. */
  params: Readonly<Record<string, string>> = noParams
  query: Query = undefined as Query
  body: Body = undefined as Body
  /** True once the credential has been accepted. */
  isCaller = false
  /** Pages of other origins may read the reply, as far as the door's settings allow. */
  isCrossOrigin = false
  /** A charge has the record of the call, or will have. */
  isOnRecord = false
  /** Null without an Idempotency-Key. */
  answerKeeper: AnswerKeeper | null = null
  /** The client asks for the cost of the call, and makes none. */
  isDryRun = false
  /** Health is requested every second: such a request gets a log line only if it fails. */
  isRoutine = false
  /** The idle time-out of the connection was lifted. */
  isKeptOpen = false
  /** Members of the log line besides the usual ones. */
  notes: Readonly<Record<string, unknown>> = noNotes
  private readonly readClientAddress: ReadClientAddress
  private ownSignal: AbortSignal | null = null

  constructor(surroundings: CallSurroundings, request: Request, server: DoorServer, method: string) {
    this.request = request
    this.server = server
    this.method = method
    this.callId = surroundings.newCallId()
    this.startedAt = surroundings.stopwatch()
    this.readClientAddress = surroundings.readClientAddress
  }

  /** The client's, as far as the proxies in front are trusted. Few calls ask for it, and it is not free. */
  get remoteAddress(): string | null {
    const { request } = this
    const address = this.server.requestIP(request)?.address ?? null
    return this.readClientAddress(address, () => request.headers.get('x-forwarded-for'))
  }

  /** Aborts when the client has left, or by `detach`. Few calls ask for it, and it is not free. */
  get signal(): AbortSignal {
    return this.ownSignal ?? this.request.signal
  }

  /** From now on the call depends on this signal and no longer on its client. */
  detach(signal: AbortSignal): void {
    this.ownSignal = signal
  }

  /** Lifts the server's idle time-out of 10 s for this request; call it once the request is admitted. */
  keepOpen(this: Call): void {
    this.isKeptOpen = true
    this.server.timeout(this.request, 0)
  }

  /** Adds members to the log line. Never bodies, never secrets. */
  note(this: Call, fields: Readonly<Record<string, unknown>>): void {
    this.notes = this.notes === noNotes ? fields : { ...this.notes, ...fields }
  }
}

const noNotes: Readonly<Record<string, unknown>> = Object.freeze({})
const noParams: Readonly<Record<string, string>> = Object.freeze({})
