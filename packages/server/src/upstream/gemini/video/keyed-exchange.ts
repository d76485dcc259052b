// One request to the vendor with a key of one's choice: what a key has made is asked for with the same key.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { startDeadline } from '../../deadline.ts'
import type { KeyRing, UpstreamKey } from '../../key-ring.ts'
import { readErrorBody, readWhole } from '../../read-whole.ts'
import {
  findPublicAddress,
  pinTo,
  type Resolve,
  untilAborted,
} from '../../remote-media/find-public-address.ts'
import type { ReplyBounds } from '../../reply-bounds.ts'
import { explain } from '../../upstream-failure.ts'
import { describeFailedTry, describeSuccess, type ReportTry } from '../../upstream-try.ts'
import { mapGeminiError } from '../map-gemini-error.ts'
import { judgeRedirect } from './judge-redirect.ts'

export type KeyedExchangeDependencies = {
  readonly fetch: (url: string, init: BunFetchRequestInit) => Promise<Response>
  readonly resolve: Resolve
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly keys: Pick<KeyRing, 'find'>
  /** Of a whole text; of a file until its first byte, redirects included. */
  readonly timeoutMs: number
  readonly bounds: ReplyBounds
  /** Told of each request; of a file when it opens. */
  readonly reportTry?: ReportTry
}

type Sent = {
  readonly body?: Uint8Array | string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export type KeyedRequest = Sent & {
  /** After the version, with its query. */
  readonly path: string
  readonly key: UpstreamKey
}

export type TextReply = { readonly status: number; readonly text: string; readonly json: unknown }

/** All throw ApiError `upstream_error` or `upstream_timeout` when no reply comes, or more than can be taken. */
export type KeyedExchange = {
  /** The whole reply; a POST when there is a body. `json` is null for what is none; the text of a refusal is not kept. */
  readonly exchange: (request: KeyedRequest) => Promise<TextReply>
  /** A file, wherever the vendor keeps it: redirects are followed without the key, to checked public addresses only. */
  readonly download: (request: KeyedRequest) => Promise<Response>
  /** Throws ApiError `upstream_auth` for a key that is configured no longer. */
  readonly findKey: (id: string) => UpstreamKey
}

type Target = { readonly address: string; readonly init: BunFetchRequestInit }

const redirects: readonly number[] = [301, 302, 303, 307, 308]
const mostRedirects = 3

export function createKeyedExchange(dependencies: KeyedExchangeDependencies): KeyedExchange {
  const { fetch, resolve, baseUrl, keys, timeoutMs, bounds, reportTry = () => undefined } = dependencies

  /** The time-out covers what `read` does; afterwards only the caller's own signal can stop a reply that is still under way. */
  const within = async <Result>(
    { key, signal }: KeyedRequest,
    run: (signal: AbortSignal, expire: () => void) => Promise<Result>,
  ): Promise<Result> => {
    const deadline = startDeadline(timeoutMs, null)
    const both = signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, signal])
    try {
      return await run(both, deadline.expire)
    } catch (cause) {
      const error = explain(cause, deadline)
      const tried = { endpoint: 'videos', secret: key.secret, status: null }
      reportTry(describeFailedTry(tried, error, { hasLeft: signal?.aborted === true }))
      throw error
    } finally {
      deadline.end()
    }
  }

  /** `reply`: what came with a status other than 200. */
  const report = ({ key: { secret } }: KeyedRequest, status: number, reply: unknown = null): void => {
    const tried = { endpoint: 'videos', secret, status }
    const isFine = status < 300 || status === 416
    reportTry(
      isFine ? describeSuccess(tried) : describeFailedTry(tried, mapGeminiError(status, reply, secret)),
    )
  }

  const send = ({ address, init }: Target, { body, headers }: Sent, signal: AbortSignal): Promise<Response> =>
    fetch(address, {
      method: body === undefined ? 'GET' : 'POST',
      ...init,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        'accept-encoding': 'identity',
        ...headers,
        ...init.headers,
      },
      ...(body === undefined ? {} : { body }),
      signal,
      redirect: 'manual',
      // Nothing small may unfold into something large.
      decompress: false,
      timeout: false,
    })

  const ask = ({ path, key, ...sent }: KeyedRequest, signal: AbortSignal): Promise<Response> => {
    const init = { headers: { 'x-goog-api-key': key.secret } }
    return send({ address: `${baseUrl}/v1beta/${path}`, init }, sent, signal)
  }

  /** The key stays behind: it never follows a redirect. */
  const follow = async (first: Response, from: string, sent: Sent, signal: AbortSignal) => {
    let response = first
    let at = from
    for (let hop = 0; redirects.includes(response.status); hop += 1) {
      const redirect = judgeRedirect(response.headers.get('location'), at, baseUrl)
      response.body?.cancel().catch(() => undefined)
      if (redirect.kind === 'refused' || hop === mostRedirects) throw refuseRedirect()
      at = redirect.url.href
      response = await send(await aim(redirect.kind, redirect.url, signal), sent, signal)
    }
    return response
  }

  const aim = async (kind: 'own' | 'public', url: URL, signal: AbortSignal): Promise<Target> => {
    if (kind === 'own') return { address: url.href, init: {} }
    const ip = await untilAborted(findPublicAddress(resolve, url.hostname), signal)
    if (ip === null) throw refuseRedirect()
    const { address, headers, tls } = pinTo(url, ip)
    // A connection kept open would answer for another name of the same address.
    return { address, init: { headers, tls, keepalive: false } }
  }

  return Object.freeze({
    exchange: (request: KeyedRequest) =>
      within(request, async (signal, expire) => {
        const response = await ask(request, signal)
        const { status } = response
        if (status !== 200) {
          const json = await readErrorBody(response, bounds.silenceMs)
          report(request, status, json)
          return { status, text: '', json }
        }
        report(request, status)
        const { bytes, release } = await readWhole(response, bounds.replyBytes.videos, bounds, { expire })
        try {
          return readText(await bytes())
        } finally {
          release()
        }
      }),
    download: (request: KeyedRequest) =>
      within(request, async signal => {
        const { path, headers } = request
        const first = await ask(request, signal)
        const file = await follow(first, `${baseUrl}/v1beta/${path}`, { ...(headers && { headers }) }, signal)
        report(request, file.status)
        return file
      }),
    findKey: (id: string) => {
      const key = keys.find(id)
      if (key !== undefined) return key
      throw new ApiError('upstream_auth', {
        message:
          'The upstream key that this video belongs to is not configured any more. Tell the organisers.',
      })
    },
  } satisfies KeyedExchange)
}

function refuseRedirect(): ApiError {
  return new ApiError('upstream_error', {
    message: 'The model provider sent us to an address for the file that may not be asked.',
  })
}

function readText(bytes: Uint8Array): TextReply {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  try {
    return { status: 200, text, json: JSON.parse(text) }
  } catch {
    return { status: 200, text, json: null }
  }
}
