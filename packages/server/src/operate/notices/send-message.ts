// Sends one message to an address that an organiser has set: from a checked public address, without redirects, within limits.
import { isIP } from 'node:net'
import { refuseValue } from '../../directory/refusals.ts'
import {
  findPublicAddress,
  isPublicAddress,
  pinTo,
  type Resolve,
  untilAborted,
} from '../../upstream/remote-media/find-public-address.ts'

export type SendDependencies = {
  readonly resolve: Resolve
  readonly fetch: (url: string, init: BunFetchRequestInit) => Promise<Response>
  /** Allows receivers in the local network, also without TLS and on other ports. */
  readonly allowsPrivate: boolean
  /** Aborts deliveries in progress. */
  readonly stopping?: AbortSignal
}

/** `error` is null if the receiver accepted it. Its text has nothing from the receiver except a status. */
export type SendOutcome = { readonly status: number | null; readonly error: string | null }

export type Message = {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** Max time for one attempt, including the name server. */
const longestMs = 10_000

/** Checks that need no name server. Throws ApiError `invalid_request`. */
export function checkUrl(param: string, text: string, allowsPrivate: boolean): string {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && !(allowsPrivate && url.protocol === 'http:')))
    throw refuseValue(param, 'use an https address.')
  if (url.username !== '' || url.password !== '') throw refuseValue(param, 'it must not contain credentials.')
  if (allowsPrivate) return url.href
  if (url.port !== '') throw refuseValue(param, 'it must not contain a port.')
  const literal = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(literal) > 0 ? !isPublicAddress(literal) : /(^|\.)localhost\.?$/.test(literal))
    throw refuseValue(
      param,
      'it is not a public address. The setting webhooks.allow_private_addresses allows such addresses.',
    )
  return url.href
}

/** Never rejects. */
export async function sendMessage(
  { resolve, fetch, allowsPrivate, stopping }: SendDependencies,
  { url, body, headers }: Message,
): Promise<SendOutcome> {
  const timeout = AbortSignal.timeout(longestMs)
  const signal = stopping === undefined ? timeout : AbortSignal.any([timeout, stopping])
  const failed = (error: string): SendOutcome => ({ status: null, error })
  try {
    const target = await findTarget(resolve, new URL(url), allowsPrivate, signal)
    if (target === null) return failed('it has no public address')
    const response = await fetch(target.address, {
      method: 'POST',
      body,
      headers: { ...headers, ...target.headers, 'content-type': 'application/json' },
      tls: target.tls,
      redirect: 'manual',
      decompress: false,
      // A connection kept open would answer for another name of the same address.
      keepalive: false,
      signal,
    })
    // The response body is not needed, and may be endless.
    response.body?.cancel().catch(() => undefined)
    const { status } = response
    if (status >= 200 && status < 300) return { status, error: null }
    const isRedirect = status >= 300 && status < 400
    return { status, error: isRedirect ? `it answered ${status}, a redirect` : `it answered ${status}` }
  } catch {
    return failed(timeout.aborted ? `no answer within ${longestMs / 1000} s` : 'it could not be reached')
  }
}

async function findTarget(resolve: Resolve, url: URL, allowsPrivate: boolean, signal: AbortSignal) {
  if (allowsPrivate) return { address: url.href, headers: {}, tls: {} }
  if (url.protocol !== 'https:' || url.port !== '') return null
  const ip = await untilAborted(findPublicAddress(resolve, url.hostname), signal)
  return ip === null ? null : pinTo(url, ip)
}
