// What clients ask for beside a turn, and what is not there: a websocket, a list, a stored response.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { OpenPage } from '../../../http/open-pages.ts'

const notStored = 'Responses are not stored here'

/** Path → what a GET of it is answered with. They tell nothing of a team, so they need no key. */
export const absentResponses: Readonly<Record<string, OpenPage>> = {
  '/v1/responses': refuseListing,
  '/responses': refuseListing,
  '/v1/responses/:id': refuseReading,
  '/responses/:id': refuseReading,
}

function refuseListing({ headers }: Request): Response {
  // Codex asks for a websocket first. For this status it falls back to POST at once, and for 404 only after seven tries.
  if (headers.get('upgrade')?.toLowerCase() === 'websocket') return new Response(null, { status: 426 })
  throw new ApiError('method_not_allowed', {
    message: `${notStored}, so there is no list of them. POST /v1/responses makes one.`,
    headers: { allow: 'POST' },
  })
}

function refuseReading(): never {
  throw new ApiError('not_found', {
    message: `${notStored}: the answer to POST /v1/responses is all there is of it.`,
  })
}
