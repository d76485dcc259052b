// Reads request bodies within a limit and refuses anything but plain UTF-8 JSON of bounded depth.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isNestedDeeper, maxJsonDepth } from '@fairgate/contracts/text/nested-json.ts'
import type { BodyRoom } from './body-budget.ts'
import { smallBody } from './body-pool.ts'
import { checkJsonStructure, smallestScanned, tooDeep } from './check-json-structure.ts'
import { type BodyReader, discardRest, freeBytes } from './discard-body.ts'
import { turnBytes } from './work-turns.ts'

export const defaultBodyBytes = 1024 * 1024
/** For JSON at the doors. Parsing this many takes 20 ms. The densest requests of agents have a value in every 18 bytes, so 1.8 MB pass. */
export const usualValues = 100_000
/** Can be shared: it keeps no state between two whole texts. */
const strictUtf8 = new TextDecoder('utf-8', { fatal: true })
const jsonType = /^application\/(?:[\w.!#$&^-]+\+)?json$/

/** How the bodies of one request are read. */
export type BodyReading = {
  /** The max time of a whole body, however steadily it arrives. */
  readonly milliseconds: number
  /** Calls back after so many ms unless the returned function is called before. */
  readonly startTimer: (milliseconds: number, run: () => void) => () => void
  /** Resolves when a body of unknown length that is not small may continue up to `limit` bytes. */
  readonly takeRoom: (limit: number) => Promise<Pick<BodyRoom, 'shrinkTo'>>
  /** Resolves when a complete body of so many bytes, more than `turnBytes`, may be worked on. */
  readonly takeTurn: (bytes: number) => Promise<void>
}

const unbounded: BodyReading = {
  milliseconds: 0,
  startTimer: () => () => undefined,
  takeRoom: async () => ({ shrinkTo: () => undefined }),
  takeTurn: async () => undefined,
}

/**
 * The whole body as sent. Throws ApiError `unsupported_media_type` unless it is declared as uncompressed JSON,
 * `payload_too_large` above `limit` bytes, and `invalid_request` if it does not arrive completely or in time.
 */
export function readBytes(
  request: Request,
  limit = defaultBodyBytes,
  reading = unbounded,
): Promise<Uint8Array> {
  requirePlainJson(request.headers)
  return readBounded(request, limit, reading)
}

/** The whole body, of any type. Throws ApiError `payload_too_large` and `invalid_request` like `readBytes`. */
export function readBounded(
  request: Request,
  limit = defaultBodyBytes,
  reading = unbounded,
): Promise<Uint8Array> {
  return isSmall(request, limit) ? readSmall(request, limit, reading) : readLarge(request, limit, reading)
}

function isSmall(request: Request, limit: number): boolean {
  const length = declaredLength(request)
  return length !== null && !(length > smallBody) && !(length > limit)
}

/** By the runtime, which reads no more than declared. */
async function readSmall(request: Request, limit: number, reading: BodyReading): Promise<Uint8Array> {
  const bytes = await request.bytes().catch(refuseBrokenBody)
  if (bytes.byteLength > limit) throw refuseSize(limit)
  if (bytes.byteLength > turnBytes) await reading.takeTurn(bytes.byteLength)
  return bytes
}

function declaredLength({ headers }: Request): number | null {
  const declared = headers.get('content-length')
  return declared === null ? null : Number(declared)
}

async function readLarge(request: Request, limit: number, reading: BodyReading): Promise<Uint8Array> {
  const length = declaredLength(request)
  if (length !== null && length > limit) throw refuseSize(limit)
  const large =
    length === null
      ? await readUndeclared(request, limit, reading)
      : await readDeclared(request, length, reading)
  await reading.takeTurn(large.byteLength)
  return large
}

/**
 * Reads like `readBytes`, and returns the result of `accept` for the parsed body. Also throws ApiError `invalid_json`. Created once per
 * route, so that a small body (nearly all are) is one promise of the runtime and one step after it.
 */
export function createJsonReader(limit = defaultBodyBytes, accept = asItIs, values = usualValues) {
  const acceptSmall = (bytes: Uint8Array): unknown => {
    if (bytes.byteLength > limit) throw refuseSize(limit)
    return accept(parseJson(bytes, values))
  }
  const acceptLarge = (bytes: Uint8Array): unknown => {
    const value = parseJson(bytes, values)
    if (bytes.byteLength > smallBody) freeBytes(bytes)
    return accept(value)
  }
  return (request: Request, reading = unbounded): Promise<unknown> => {
    requirePlainJson(request.headers)
    if (!isSmall(request, limit)) return readLarge(request, limit, reading).then(acceptLarge)
    const needsTurn = Number(request.headers.get('content-length')) > turnBytes
    return needsTurn
      ? readSmall(request, limit, reading).then(acceptSmall)
      : request.bytes().then(acceptSmall, refuseBrokenBody)
  }
}

function asItIs(value: unknown): unknown {
  return value
}

/**
 * Throws ApiError `invalid_json` for bytes that are not UTF-8, not JSON, or nested deeper than 64 levels, and `payload_too_large` for
 * more members than can be parsed while others wait.
 */
export function parseJson(bytes: Uint8Array, values = usualValues): unknown {
  const isScanned = bytes.byteLength > smallestScanned
  if (isScanned) checkJsonStructure(bytes, { depth: maxJsonDepth, values })
  const text = decodeUtf8(bytes)
  const value = parseText(text)
  if (!isScanned && isNestedDeeper(text, value, maxJsonDepth)) throw tooDeep(maxJsonDepth)
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

/** Throws ApiError `unsupported_media_type` unless the body is declared as uncompressed JSON. */
export function requirePlainJson(headers: Headers): void {
  const type = headers.get('content-type')
  if (
    type !== 'application/json' &&
    !jsonType.test((type ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '')
  ) {
    throw refuseType(type, 'application/json')
  }
  refuseEncoded(headers)
}

/** Throws ApiError `unsupported_media_type` for a compressed body. */
export function refuseEncoded(headers: Headers): void {
  const encoding = headers.get('content-encoding')
  if (encoding === null || encoding.trim().toLowerCase() === 'identity') return
  throw new ApiError('unsupported_media_type', {
    message: `The body must not be compressed: send it without Content-Encoding, not with "${encoding.slice(0, 100)}".`,
  })
}

/** `wanted`: the type that the route accepts. */
export function refuseType(type: string | null, wanted: string): ApiError {
  return new ApiError('unsupported_media_type', {
    message:
      type === null || type === ''
        ? `The request has no Content-Type. Send the body as ${wanted}.`
        : `The Content-Type is "${type.slice(0, 100)}". Send the body as ${wanted}.`,
  })
}

export function refuseSize(limit: number): ApiError {
  return new ApiError('payload_too_large', { message: `The body is larger than ${limit} bytes.` })
}

/** A client that stops sending is not a failure of the server. */
function refuseBrokenBody(cause: unknown): never {
  throw new ApiError('invalid_request', { message: 'The body did not arrive completely.', cause })
}

/** Reads into one buffer of its own, which is not shared and may be transferred. */
async function readDeclared(request: Request, length: number, reading: BodyReading): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  if (request.body === null) throw refuseIncomplete()
  const reader = request.body.getReader()
  const timer = startReadTimer(reader, reading)
  try {
    const size = await fill(reader, bytes, 0)
    if (timer.isOver()) throw refuseSlow(reading)
    if (size > length) throw refuseSize(length)
    if (size < length) throw refuseIncomplete()
    return bytes
  } finally {
    timer.stop()
  }
}

/** A body that is read in pieces may take this long for each so many bytes: as long as the largest usual body. */
const bytesPerReading = 20 * 1024 * 1024
const discardMs = 60_000

/**
 * The body in pieces as they arrive, for a reader that keeps none of them: each is freed when the next one is asked for. If the reader
 * returns early, the rest is discarded. Throws ApiError `payload_too_large` and `invalid_request` like `readBytes`.
 */
export async function* readPieces(
  request: Request,
  limit = defaultBodyBytes,
  reading = unbounded,
): AsyncGenerator<Uint8Array> {
  const length = declaredLength(request)
  if (request.body === null) return
  const { startTimer } = reading
  const milliseconds = reading.milliseconds * Math.max(1, (length ?? limit) / bytesPerReading)
  const reader = request.body.getReader()
  const timer = startReadTimer(reader, { ...reading, milliseconds })
  let size = 0
  let hasEnded = false
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        hasEnded = true
        return refuseBrokenBody(cause)
      })
      hasEnded = done || timer.isOver()
      if (timer.isOver()) throw refuseSlow({ ...reading, milliseconds })
      if (done || value === undefined) break
      size += value.byteLength
      if (size > limit) throw refuseSize(limit)
      yield value
      freeBytes(value)
    }
    if (length !== null && size < length) throw refuseIncomplete()
  } finally {
    timer.stop()
    if (!hasEnded) await discardRest(reader, 2 * limit, discardMs, startTimer)
  }
}

/** A body that turns out not to be small takes room for the largest body, and returns what it did not need. */
async function readUndeclared(request: Request, limit: number, reading: BodyReading): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  const reader = request.body.getReader()
  const first: Uint8Array[] = []
  let size = 0
  let timer = startReadTimer(reader, reading)
  try {
    while (size <= Math.min(smallBody, limit)) {
      const { done, value } = await reader.read().catch(refuseBrokenBody)
      if (timer.isOver()) throw refuseSlow(reading)
      if (done || value === undefined) return Buffer.concat(first, size)
      size += value.byteLength
      first.push(value)
    }
    timer.stop()
    if (size <= limit) {
      const room = await reading.takeRoom(limit)
      timer = startReadTimer(reader, reading)
      const bytes = new Uint8Array(limit)
      let at = 0
      for (const chunk of first.splice(0)) {
        bytes.set(chunk, at)
        at += chunk.byteLength
        freeBytes(chunk)
      }
      size = await fill(reader, bytes, size)
      if (timer.isOver()) throw refuseSlow(reading)
      if (size <= limit) {
        room.shrinkTo(size)
        return bytes.subarray(0, size)
      }
    }
    await discardRest(reader, 2 * limit, reading.milliseconds, reading.startTimer)
    throw refuseSize(limit)
  } finally {
    timer.stop()
  }
}

/** The size of the whole once it has ended; at the first chunk that does not fit, a figure above that of `bytes`. */
async function fill(reader: BodyReader, bytes: Uint8Array, start: number): Promise<number> {
  for (let size = start; ; ) {
    const { done, value } = await reader.read().catch(refuseBrokenBody)
    if (done || value === undefined) return size
    if (size + value.byteLength > bytes.byteLength) return size + value.byteLength
    bytes.set(value, size)
    size += value.byteLength
    freeBytes(value)
  }
}

function startReadTimer(reader: BodyReader, { milliseconds, startTimer }: BodyReading) {
  let isOver = false
  const stop = startTimer(milliseconds, () => {
    isOver = true
    reader.cancel().catch(() => undefined)
  })
  return { stop, isOver: () => isOver }
}

function refuseIncomplete(): ApiError {
  return new ApiError('invalid_request', { message: 'The body did not arrive completely.' })
}

function refuseSlow({ milliseconds }: BodyReading): ApiError {
  return new ApiError('invalid_request', {
    message: `The body did not arrive within ${milliseconds / 1000} seconds.`,
  })
}
