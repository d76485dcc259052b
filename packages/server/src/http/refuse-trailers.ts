// Refuses requests with trailers before they run: Bun ends such a body first, and only then refuses what follows it.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { Route } from './route.ts'

/**
 * Bun hands a chunked body over at its last chunk, before it has seen what follows. It answers anything but the end of the request with
 * 400, and closes: without this the call would be made, and charged, for a client that then gets 400 for its request. The returned
 * route checks once more before it runs. Trailers that arrive later than their last chunk, and were not announced, get 400 too, but the
 * call is under way then.
 */
export function refuseTrailers<Caller>(route: Route<Caller>): Route<Caller> {
  const handleLater: typeof route.handle = async (caller, call) => {
    await nextTurn()
    if (call.request.signal.aborted) throw new ApiError('invalid_request', { message })
    return route.handle(caller, call)
  }
  return {
    ...route,
    handle: (caller, call) => {
      const { headers } = call.request
      // One look at the headers of a request with a length.
      if (!headers.has('transfer-encoding')) return route.handle(caller, call)
      if (headers.has('trailer')) throw invalidRequest('trailer', message)
      return handleLater(caller, call)
    },
  }
}

const message = 'Trailers are not supported. Send the headers before the body.'

/** Bytes that came together with the last chunk have been parsed by then. */
function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
