// Replaces the door of a server that still waits for its predecessor to end. Requests stay open, unread, until the real door is there.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { answerLive, answerReady, probes } from '../http/health.ts'
import { toApiError, writeError } from '../http/write-error.ts'
import type { Door } from './listen.ts'

export type WaitingDoor = Door & {
  /** Sends the waiting requests, and all later ones, to this door. */
  readonly open: (door: Door) => void
}

/** Max waiting requests. A request with a large body on its way takes about 1.3 MB. */
const maxWaiting = 1024
/** Bun's default for a connection. */
const usualIdleSeconds = 10

/**
 * `name`: name of the door. Health requests are answered at once, everything else waits; with 1,024 requests waiting, the next gets 503. If its
 * client leaves meanwhile, a request is never handled.
 */
export function createWaitingDoor(name: string): WaitingDoor {
  const opened = Promise.withResolvers<Door>()
  let open: Door | null = null
  let waiting = 0

  const pass = async (
    request: Request,
    server: Bun.Server<undefined>,
    answerOf: (door: Door) => Door['fetch'],
  ): Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (pathname === '/health/live') return answerLive(name)
    if (pathname === '/health/ready' || pathname === '/health/open') return answerReady(name, 'starting')
    const probe = probes[pathname]
    if (probe !== undefined) return probe('starting')
    if (waiting >= maxWaiting) return writeError(new ApiError('unavailable'))
    waiting += 1
    server.timeout(request, 0)
    const door = await opened.promise
    waiting -= 1
    // No client would read the answer, so no paid call may start.
    if (request.signal.aborted) return new Response(null, { status: 499 })
    server.timeout(request, usualIdleSeconds)
    return answerOf(door)(request, server)
  }

  return {
    fetch: (request, server) =>
      open === null ? pass(request, server, door => door.fetch) : open.fetch(request, server),
    refuseMethod: (request, server) =>
      open === null ? pass(request, server, door => door.refuseMethod) : open.refuseMethod(request, server),
    answerUnsent: cause => (open === null ? writeError(toApiError(cause)) : open.answerUnsent(cause)),
    open: door => {
      open = door
      opened.resolve(door)
    },
  }
}
