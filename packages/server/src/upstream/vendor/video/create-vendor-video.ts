// The film upstream that speaks the vendor's API: orders, polls and downloads, each with the key that the film belongs to.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { startDeadline } from '../../deadline.ts'
import { decideRetry } from '../../decide-retry.ts'
import type { KeyRing, UpstreamKey } from '../../key-ring.ts'
import { redact } from '../../redact.ts'
import type { FileRequest, StartedOperation, VideoCall, VideoUpstream } from '../../video-port.ts'
import { mapVendorError, readRetryDelay } from '../map-vendor-error.ts'
import { buildVideoBody, mapOperation, readOperationName } from './map-video.ts'

export type VendorVideoDependencies = {
  readonly fetch: (url: string, init: BunFetchRequestInit) => Promise<Response>
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly keys: KeyRing
  /** Of an order or a poll, and of a file until its first byte. */
  readonly timeoutMs: number
  readonly maximumRetries: number
  readonly wait: (milliseconds: number) => Promise<void>
  /** In [0, 1). */
  readonly random: () => number
}

type Exchange = {
  readonly path: string
  readonly key: UpstreamKey
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Of a refused order: the upstream has surely not taken it. Other failures may have been an order that is being made. */
const surelyRefused: readonly number[] = [429, 503]

export function createVendorVideo(dependencies: VendorVideoDependencies): VideoUpstream {
  const { fetch, baseUrl, keys, timeoutMs, maximumRetries, wait, random } = dependencies

  /** The time-out covers what `read` does; afterwards only the caller's own signal can stop a reply that is still under way. */
  const send = async <Result>(
    url: string,
    { body, headers, signal }: Omit<Exchange, 'path' | 'key'>,
    read: (response: Response) => Result | Promise<Result>,
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
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, signal]),
        redirect: 'manual',
        timeout: false,
      })
      return await read(response)
    } catch (cause) {
      if (deadline.isExpired()) throw new ApiError('upstream_timeout', { cause })
      throw new ApiError('upstream_error', {
        message: 'The model provider could not be reached or broke off its answer.',
        cause,
      })
    } finally {
      deadline.end()
    }
  }

  const exchange = <Result>(
    { path, key, headers, ...call }: Exchange,
    read: (response: Response) => Result | Promise<Result>,
  ): Promise<Result> =>
    send(
      `${baseUrl}/v1beta/${path}`,
      { ...call, headers: { ...headers, 'x-goog-api-key': key.secret } },
      read,
    )

  const findKey = (id: string): UpstreamKey => {
    const key = keys.find(id)
    if (key !== undefined) return key
    throw new ApiError('upstream_auth', {
      message: 'The upstream key that this film belongs to is not configured any more. Tell the organisers.',
    })
  }

  return Object.freeze({
    start: async (call: VideoCall): Promise<StartedOperation> => {
      const path = `models/${call.model.upstreamId}:predictLongRunning`
      const body = buildVideoBody(call)
      for (let attempt = 0; ; attempt += 1) {
        const key = keys.next()
        const { status, reply } = await exchange({ path, key, body }, readReply)
        if (status === 200) return { operation: requireName(reply), upstreamKey: key.id }
        const fault = { status, askedDelayMs: readRetryDelay(reply) }
        const mayRetry = surelyRefused.includes(status) && attempt < maximumRetries
        const delay = mayRetry ? decideRetry(fault, attempt, random()) : null
        if (delay === null) throw mapVendorError(status, reply, key.secret)
        await wait(delay)
      }
    },

    poll: async ({ operation, upstreamKey }: StartedOperation) => {
      const key = findKey(upstreamKey)
      const { status, reply } = await exchange({ path: operation, key }, readReply)
      if (status === 404) return { state: 'unknown' } as const
      if (status !== 200) throw mapVendorError(status, reply, key.secret)
      const progress = mapOperation(reply)
      if (progress.state !== 'failed') return progress
      const { code, message } = progress.failure
      return { state: 'failed', failure: { code, message: redact(message, key.secret) } } as const
    },

    openFile: async ({ file, upstreamKey, range, signal }: FileRequest) => {
      const key = findKey(upstreamKey)
      const headers: Record<string, string> = range === null ? {} : { range }
      const path = `files/${encodeURIComponent(file)}:download?alt=media`
      const first = await exchange({ path, key, headers, signal }, asItIs)
      // The storage behind the redirect gets no key.
      const response =
        first.status === 302 || first.status === 307
          ? await send(readLocation(first), { headers, signal }, asItIs)
          : first
      if ([200, 206, 416].includes(response.status)) return response
      throw mapVendorError(response.status, await response.json().catch(() => null), key.secret)
    },
  } satisfies VideoUpstream)
}

const asItIs = (response: Response): Response => response

async function readReply(response: Response): Promise<{ status: number; reply: unknown }> {
  return { status: response.status, reply: await response.json().catch(() => null) }
}

function requireName(reply: unknown): string {
  const name = readOperationName(reply)
  if (name !== null) return name
  throw new ApiError('upstream_error', { message: 'The model provider took the order but did not name it.' })
}

function readLocation(response: Response): string {
  const location = response.headers.get('location') ?? ''
  if (/^https?:\/\//.test(location)) return location
  throw new ApiError('upstream_error', { message: 'The model provider did not say where the file is.' })
}
