// Lets pages of other origins call a door's routes and read their replies (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol).
// Always without credentials of the browser: a page must have a key of its own, so no cookie ever counts.
import { replyHeaders } from './reply-headers.ts'

/** Origins as browsers send them, or `any`. */
export type CallingOrigins = 'any' | ReadonlySet<string>

/** Every header of our replies. Routes that are open to other origins set no cookie. */
const exposed = Object.keys(replyHeaders)
  .filter(name => name !== 'set-cookie')
  .join(', ')

/** Chromium remembers a preflight for two hours at most. */
const preflightSeconds = '7200'

/** Maximum length of the header names that a preflight asks for. OpenAI's SDK 6.49 asks for 9, 175 characters; Anthropic's for 12, 255. */
const maxAskedCharacters = 2000

export type CrossOrigin = {
  /** Adds to a reply what its page needs to read it; nothing if no page of an allowed origin has sent the request. */
  readonly share: (request: Headers, reply: Headers) => void
  /** Adds what a browser asks before it sends the request itself, if it asks. `methods`: what the path answers to other origins. */
  readonly allow: (request: Headers, reply: Headers, methods: readonly string[]) => void
}

export function createCrossOrigin(origins: CallingOrigins): CrossOrigin {
  /** The origins that may read the reply; null for none. */
  const findReader = (request: Headers): string | null => {
    const origin = request.get('origin')
    if (origin === null) return null
    if (origins === 'any') return '*'
    return origins.has(origin) ? origin : null
  }
  return {
    share: (request, reply) => {
      const reader = findReader(request)
      if (reader === null) return
      reply.set('access-control-allow-origin', reader)
      reply.set('access-control-expose-headers', exposed)
      if (reader !== '*') reply.append('vary', 'origin')
    },
    allow: (request, reply, methods) => {
      if (!request.has('access-control-request-method') || findReader(request) === null) return
      reply.set('access-control-allow-methods', methods.join(', '))
      reply.set('access-control-max-age', preflightSeconds)
      // SDKs send more headers than a list here could keep up with, and the routes ignore the ones they do not know.
      const asked = request.get('access-control-request-headers')
      if (asked !== null && asked.length <= maxAskedCharacters)
        reply.set('access-control-allow-headers', asked)
    },
  }
}
