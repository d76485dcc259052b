// Tells requests of a door's own pages from those that another site makes a browser send with its cookie.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'

/**
 * Throws ApiError `cross_site` (403). Reading is left to the cookie's SameSite and to the browser, which shows no other site what it read.
 *
 * Browsers write `Sec-Fetch-Site` themselves and no page can change it; they leave it out on plain http to other machines, where `Origin` is
 * compared instead (W3C Fetch Metadata, 2021). A body must be JSON, which no form of another site can send.
 */
export function requireOwnPage({ method, headers }: Request, ownOrigin: string): void {
  if (method === 'GET' || method === 'HEAD') return
  if (!isOwnPage(headers, ownOrigin)) throw new ApiError('cross_site')
  const type = headers.get('content-type')
  const isJson = type !== null && /^application\/json\s*(;|$)/i.test(type.trim())
  if (!isJson && (type !== null || method !== 'DELETE'))
    throw new ApiError('cross_site', {
      message: 'A request with a session cookie needs "Content-Type: application/json".',
    })
}

/** Whether a page of this door has sent it, as far as the browser tells; programs say nothing, and it is none. */
export function isOwnPage(headers: Headers, ownOrigin: string): boolean {
  const site = headers.get('sec-fetch-site')
  return site === null ? headers.get('origin') === ownOrigin : site === 'same-origin'
}
