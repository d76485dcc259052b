// Fetches one image from a URL that a client chose: https only, from a checked public address, without redirects, within bounds.
import { type DataUrl, imageTypes } from '@fairgate/contracts/chat/data-url.ts'
import { findPublicAddress, pinTo, type Resolve, untilAborted } from './find-public-address.ts'

export type FetchImageDependencies = {
  readonly resolve: Resolve
  readonly fetch: (url: string, init: BunFetchRequestInit) => Promise<Response>
}

/** The fault of the URL or its reply, as the end of a sentence for the client. */
export class RemoteImageError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'RemoteImageError'
  }
}

/** How much all images of one request may still have together. */
export type ByteAllowance = { left: number }

const maxBytes = 10 * 1024 * 1024

/** Throws RemoteImageError. The signal ends it at once, no matter what it waits for. */
export async function fetchImage(
  dependencies: FetchImageDependencies,
  address: string,
  allowance: ByteAllowance,
  signal: AbortSignal,
): Promise<DataUrl> {
  const url = readAddress(address)
  const ip = await findAddress(dependencies, url.hostname, signal)
  const response = await request(dependencies, url, ip, signal)
  try {
    const mimeType = readType(response)
    const bytes = await readBytes(response, allowance)
    return { mimeType, base64: bytes.toString('base64') }
  } finally {
    response.body?.cancel().catch(() => undefined)
  }
}

function readAddress(address: string): URL {
  const url = URL.parse(address)
  if (url === null || url.protocol !== 'https:') throw new RemoteImageError('is not an https URL')
  if (url.username !== '' || url.password !== '') throw new RemoteImageError('must not contain credentials')
  if (url.port !== '') throw new RemoteImageError('must not specify a port')
  return url
}

async function findAddress(
  { resolve }: FetchImageDependencies,
  hostname: string,
  signal: AbortSignal,
): Promise<string> {
  const found = await untilAborted(findPublicAddress(resolve, hostname), signal).catch(cause => {
    throw new RemoteImageError(signal.aborted ? 'took too long' : 'has no public address', cause)
  })
  if (found === null) throw new RemoteImageError('has no public address')
  return found
}

async function request(
  { fetch }: FetchImageDependencies,
  url: URL,
  ip: string,
  signal: AbortSignal,
): Promise<Response> {
  const { address, headers, tls } = pinTo(url, ip)
  let response: Response
  try {
    response = await fetch(address, {
      headers: { ...headers, accept: imageTypes.join(', '), 'accept-encoding': 'identity' },
      tls,
      redirect: 'manual',
      // Bytes are counted as they come: nothing small may decompress into something large.
      decompress: false,
      // A connection kept open would answer for another name of the same address.
      keepalive: false,
      signal,
    })
  } catch (cause) {
    throw new RemoteImageError(signal.aborted ? 'took too long' : 'could not be reached', cause)
  }
  if (response.status === 200) return response
  response.body?.cancel().catch(() => undefined)
  throw new RemoteImageError(
    response.status >= 300 && response.status < 400
      ? 'is a redirect. Send the URL that it leads to'
      : `answered with status ${response.status}`,
  )
}

function readType({ headers }: Response): string {
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity') throw new RemoteImageError('is compressed')
  const said = (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const mimeType = said === 'image/jpg' ? 'image/jpeg' : said
  if (!imageTypes.includes(mimeType))
    throw new RemoteImageError('is not a PNG, JPEG, WebP, HEIC or HEIF image')
  return mimeType
}

async function readBytes(response: Response, allowance: ByteAllowance): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let length = 0
  const count = (bytes: number) => {
    length += bytes
    allowance.left -= bytes
    if (length > maxBytes) throw new RemoteImageError('is larger than 10 MiB')
    if (allowance.left < 0) throw new RemoteImageError('is larger than 20 MiB together with the others')
  }
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes)
    throw new RemoteImageError('is larger than 10 MiB')
  try {
    for await (const piece of response.body ?? []) {
      count(piece.length)
      pieces.push(piece)
    }
  } catch (cause) {
    throw cause instanceof RemoteImageError ? cause : new RemoteImageError('broke off', cause)
  }
  if (length === 0) throw new RemoteImageError('is empty')
  return Buffer.concat(pieces)
}
