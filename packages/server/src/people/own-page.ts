// Distinguishes requests of a door's own pages from requests that another site makes a browser send with its cookie.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'

/**
 * Throws ApiError `cross_site` (403). Reading is protected by the cookie's SameSite attribute and by the browser, which does not show the
 * response to other sites.
 *
 * Browsers set `Sec-Fetch-Site` themselves and no page can change it. On plain http to other machines they omit it, and `Origin` is
 * compared instead (W3C Fetch Metadata, 2021). A body must be JSON or the bytes of a file, which no form on another site can send.
 */
export function requireOwnPage({ method, headers }: Request, ownOrigin: string): void {
  if (method === 'GET' || method === 'HEAD') return
  if (!isOwnPage(headers, ownOrigin)) throw new ApiError('cross_site')
  const type = headers.get('content-type')
  const isOfPages = type !== null && /^application\/(?:json|octet-stream)\s*(;|$)/i.test(type.trim())
  if (!isOfPages && (type !== null || method !== 'DELETE'))
    throw new ApiError('cross_site', {
      message: 'A request with a session cookie needs "Content-Type: application/json".',
    })
}

/** True if a page of this door has sent it, as far as the browser reports. Programs send no such header, so the result is false for them. */
export function isOwnPage(headers: Headers, ownOrigin: string): boolean {
  const site = headers.get('sec-fetch-site')
  return site === null ? headers.get('origin') === ownOrigin : site === 'same-origin'
}
