// Reads request bodies within a limit and refuses what is not plain UTF-8 JSON of bounded depth.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'

const defaultLimit = 1024 * 1024
const maximumDepth = 64
/** Keeps nothing between two whole texts. */
const strictUtf8 = new TextDecoder('utf-8', { fatal: true })
const jsonType = /^application\/(?:[\w.!#$&^-]+\+)?json$/

/**
 * The whole body as sent. Throws ApiError `unsupported_media_type` unless it is declared as uncompressed JSON,
 * `payload_too_large` above `limit` bytes, and `invalid_request` when the client breaks off while sending.
 */
export function readBytes(request: Request, limit = defaultLimit): Promise<Uint8Array> {
  requirePlainJson(request.headers)
  return readBounded(request, limit)
}

/** The whole body, whatever it is. Throws ApiError `payload_too_large` and `invalid_request` as `readBytes`. */
export async function readBounded(request: Request, limit = defaultLimit): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  if (declared === null) return await readChunks(request, limit)
  if (Number(declared) > limit) throw refuseSize(limit)
  const bytes = await request.bytes().catch(refuseBrokenBody)
  if (bytes.byteLength > limit) throw refuseSize(limit)
  return bytes
}

/** As `readBytes`, parsed. Throws also ApiError `invalid_json`. */
export async function readJson(request: Request, limit = defaultLimit): Promise<unknown> {
  return parseJson(await readBytes(request, limit))
}

/** Throws ApiError `invalid_json` for bytes that are not UTF-8, not JSON, or nested deeper than 64 levels. */
export function parseJson(bytes: Uint8Array): unknown {
  const value = parseText(decodeUtf8(bytes))
  if (bytes.byteLength > 2 * maximumDepth && isDeeper(value, maximumDepth)) {
    throw new ApiError('invalid_json', { message: `The body is nested deeper than ${maximumDepth} levels.` })
  }
  return value
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes)
  } catch (cause) {
    throw new ApiError('invalid_json', { message: 'The body is not valid UTF-8.', cause })
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    // The parser's own message quotes the body, so the client gets the registry's.
    throw new ApiError('invalid_json', { cause })
  }
}

function requirePlainJson(headers: Headers): void {
  const type = headers.get('content-type')
  if (
    type !== 'application/json' &&
    !jsonType.test((type ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '')
  ) {
    throw new ApiError('unsupported_media_type')
  }
  refuseEncoded(headers)
}

/** Throws ApiError `unsupported_media_type` for a compressed body. */
export function refuseEncoded(headers: Headers): void {
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding.trim().toLowerCase() !== 'identity')
    throw new ApiError('unsupported_media_type')
}

function refuseSize(limit: number): ApiError {
  return new ApiError('payload_too_large', { message: `The body is larger than ${limit} bytes.` })
}

/** A client that breaks off while sending is not our failure. */
function refuseBrokenBody(cause: unknown): never {
  throw new ApiError('invalid_request', { message: 'The body did not arrive completely.', cause })
}

async function readChunks(request: Request, limit: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read().catch(refuseBrokenBody)
    if (done) return Buffer.concat(chunks, size)
    size += value.byteLength
    if (size > limit) {
      await reader.cancel().catch(() => undefined)
      throw refuseSize(limit)
    }
    chunks.push(value)
  }
}

/** Never recurses further than `levels`, so hostile nesting cannot exhaust the stack. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  return members.some(member => isDeeper(member, levels - 1))
}
