// Finds the vendor's storage of a file: follows redirects without the key, on its own origin or to checked public addresses only.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import {
  findPublicAddress,
  pinTo,
  type Resolve,
  untilAborted,
} from '../../remote-media/find-public-address.ts'
import { type Fetch, prepare } from '../../send-request.ts'

export type FollowDependencies = {
  readonly fetch: Fetch
  readonly resolve: Resolve
  /** The upstream's address in the settings, without a trailing slash. */
  readonly baseUrl: string
}

const redirects: readonly number[] = [301, 302, 303, 307, 308]
const maxRedirects = 3

/**
 * The first reply that is not a redirect. `from`: the address that `first` answered; `headers`: sent to each further address, so
 * the key must not be among them. Throws ApiError `upstream_error` for an address that is not allowed, and for a fourth one.
 */
export async function followRedirects(
  { fetch, resolve, baseUrl }: FollowDependencies,
  first: Response,
  from: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> {
  let response = first
  let at = from
  for (let hop = 0; redirects.includes(response.status); hop += 1) {
    const url = readLocation(response, at, baseUrl)
    response.body?.cancel().catch(() => undefined)
    if (url === null || hop === maxRedirects) throw refuseRedirect()
    const target = await aim(url, resolve, baseUrl, signal)
    at = url.href
    const sent = { 'accept-encoding': 'identity', ...headers, ...target.headers }
    response = await fetch(target.address, { ...prepare(sent, signal), ...target.init })
  }
  return response
}

/** On the upstream's own origin, or by https at the usual port; null for anything else. */
function readLocation({ headers }: Response, from: string, baseUrl: string): URL | null {
  const location = headers.get('location')
  const url = location === null || location === '' ? null : URL.parse(location, from)
  if (url === null || url.username !== '' || url.password !== '') return null
  return isOwn(url, baseUrl) || (url.protocol === 'https:' && url.port === '') ? url : null
}

function isOwn({ origin }: URL, baseUrl: string): boolean {
  return origin === new URL(baseUrl).origin
}

async function aim(url: URL, resolve: Resolve, baseUrl: string, signal: AbortSignal) {
  if (isOwn(url, baseUrl)) return { address: url.href, headers: {}, init: {} }
  const ip = await untilAborted(findPublicAddress(resolve, url.hostname), signal)
  if (ip === null) throw refuseRedirect()
  const { address, headers, tls } = pinTo(url, ip)
  // A connection kept open would answer for another name of the same address.
  return { address, headers, init: { tls, keepalive: false } }
}

function refuseRedirect(): ApiError {
  return new ApiError('upstream_error', {
    message: 'The model provider redirected the download to an address that is not allowed.',
  })
}
