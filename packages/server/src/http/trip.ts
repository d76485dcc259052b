// What travels with one request through a door, from its first byte to its log line.
import type { ReadClientAddress } from './client-address.ts'

/** The part of Bun's server that a door uses; in-process tests pass their own. */
export type DoorServer = {
  /** Sets the idle time-out of this request's connection in seconds; 0 lifts it. */
  readonly timeout: (request: Request, seconds: number) => void
  readonly requestIP: (request: Request) => { readonly address: string } | null
}

export type Trip = {
  readonly request: Request
  readonly server: DoorServer
  readonly callId: string
  /** Monotonic milliseconds. */
  readonly startedAt: number
  /** As its log line names it. */
  readonly method: string
  /** Of the client, as far as the proxies in front are trusted. */
  readonly remoteAddress: string | null
  /** The idle time-out of the connection was lifted. */
  isKeptOpen: boolean
  /** The path of the route that answers, never the path as asked: it labels metrics. */
  route: string
  /** True once the credential has been found good. */
  isCaller: boolean
  /** A look at the health is asked for each second and says nothing while it finds nothing: no log line. */
  isRoutine: boolean
  /** Fields that the request's log line will have besides the usual ones. */
  notes: Readonly<Record<string, unknown>>
}

export type TripStart = Pick<Trip, 'request' | 'server' | 'callId' | 'startedAt' | 'method'> & {
  readonly readClientAddress: ReadClientAddress
}

export function startTrip({ readClientAddress, ...start }: TripStart): Trip {
  const { request, server } = start
  return {
    ...start,
    isKeptOpen: false,
    // Asked for by few routes, and not free.
    get remoteAddress() {
      const address = server.requestIP(request)?.address ?? null
      return readClientAddress(address, () => request.headers.get('x-forwarded-for'))
    },
    route: 'unmatched',
    isCaller: false,
    isRoutine: false,
    notes: {},
  }
}
