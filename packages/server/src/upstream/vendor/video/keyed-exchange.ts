// One request to the vendor with a key of one's choice: what a key has made is asked for with the same key.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { startDeadline } from '../../deadline.ts'
import type { KeyRing, UpstreamKey } from '../../key-ring.ts'
import { explain } from '../../upstream-failure.ts'

export type KeyedExchangeDependencies = {
  readonly fetch: (url: string, init: BunFetchRequestInit) => Promise<Response>
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly keys: Pick<KeyRing, 'find'>
  /** Of what `read` does; a file until its first byte. */
  readonly timeoutMs: number
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

type Read<Result> = (response: Response) => Result | Promise<Result>

export type KeyedExchange = {
  /** A POST when there is a body. Throws ApiError `upstream_error` or `upstream_timeout` when no reply comes. */
  readonly exchange: <Result>(request: KeyedRequest, read: Read<Result>) => Promise<Result>
  /** A GET elsewhere, without any key. */
  readonly follow: <Result>(url: string, sent: Sent, read: Read<Result>) => Promise<Result>
  /** Throws ApiError `upstream_auth` for a key that is configured no longer. */
  readonly findKey: (id: string) => UpstreamKey
}

export function createKeyedExchange(dependencies: KeyedExchangeDependencies): KeyedExchange {
  const { fetch, baseUrl, keys, timeoutMs } = dependencies

  /** The time-out covers what `read` does; afterwards only the caller's own signal can stop a reply that is still under way. */
  const send = async <Result>(
    url: string,
    { body, headers, signal }: Sent,
    read: Read<Result>,
  ): Promise<Result> => {
    const deadline = startDeadline(timeoutMs, null)
    try {
      const response = await fetch(url, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          'accept-encoding': 'identity',
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
        signal: signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, signal]),
        redirect: 'manual',
        timeout: false,
      })
      return await read(response)
    } catch (cause) {
      throw explain(cause, deadline)
    } finally {
      deadline.end()
    }
  }

  return Object.freeze({
    exchange: <Result>({ path, key, headers, ...sent }: KeyedRequest, read: Read<Result>) =>
      send(
        `${baseUrl}/v1beta/${path}`,
        { ...sent, headers: { ...headers, 'x-goog-api-key': key.secret } },
        read,
      ),
    follow: send,
    findKey: (id: string) => {
      const key = keys.find(id)
      if (key !== undefined) return key
      throw new ApiError('upstream_auth', {
        message:
          'The upstream key that this film belongs to is not configured any more. Tell the organisers.',
      })
    },
  } satisfies KeyedExchange)
}

export type TextReply = { readonly status: number; readonly text: string; readonly json: unknown }

/** The whole reply; `json` is null for what is none. */
export async function readTextReply(response: Response): Promise<TextReply> {
  const text = await response.text()
  let json: unknown = null
  try {
    json = JSON.parse(text)
  } catch {}
  return { status: response.status, text, json }
}
