// The whole of a reply in memory: counted while it is read, never inflated, and given up beyond its bound.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { createByteReader, tooLarge } from './byte-reader.ts'
import type { Deadline } from './deadline.ts'
import { checkDepth, isWholeJson, parseCutReply, parseReply } from './parse-json.ts'
import { errorBodyMs, errorBytes, type ReplyBounds } from './reply-bounds.ts'

export type WholeReply = {
  readonly headers: Headers
  /** One of the two, once. `json` throws SyntaxError for what is no JSON, or nested too deeply. */
  readonly json: () => unknown
  readonly bytes: () => Uint8Array | Promise<Uint8Array>
}

type Bounds = Pick<ReplyBounds, 'silenceMs' | 'heldBytes'>

/** As small as most answers: read at once, without looking at each piece, which would cost 5 µs. */
const smallBytes = 64 * 1024

/** How often a silent body is tried as a whole document: each try costs as much as reading it. */
const mostTries = 3

/** Throws ApiError `upstream_error` for a reply that is compressed although nobody asked. Nothing of it is read. */
export function requireIdentity({ headers, body }: Response): void {
  const encoding = headers.get('content-encoding')
  if (encoding === null || encoding.trim().toLowerCase() === 'identity') return
  body?.cancel().catch(() => undefined)
  throw new ApiError('upstream_error', {
    message: 'The model provider sent a compressed reply, which was not asked for.',
  })
}

/**
 * What is held must be given back by `release`. A reply of JSON that is complete is taken although its connection does not close.
 * Throws ApiError `upstream_error` beyond `mostBytes`, `unavailable` when too much is held already.
 */
export async function readWhole(
  response: Response,
  mostBytes: number,
  { silenceMs, heldBytes }: Bounds,
  deadline: Pick<Deadline, 'expire'>,
): Promise<WholeReply & { readonly release: () => void }> {
  const { headers, body } = response
  requireIdentity(response)
  const said = readLength(headers)
  if (said !== null && said > mostBytes) {
    body?.cancel().catch(() => undefined)
    throw tooLarge()
  }
  if (said !== null && said <= smallBytes) {
    return {
      headers,
      json: async () => checkDepth(await response.json()),
      bytes: () => response.bytes(),
      release: nothingHeld,
    }
  }
  const pieces: Uint8Array[] = []
  let held = 0
  let tries = 0
  let triedAt = -1
  const isComplete = (): boolean => {
    if (triedAt === held || tries === mostTries) return false
    triedAt = held
    tries += 1
    return isWholeJson(Buffer.concat(pieces))
  }
  const release = () => heldBytes.give(held)
  if (body === null) return hold(headers, new Uint8Array(), release)
  const reader = createByteReader(body, { mostBytes, silenceMs, isComplete }, deadline)
  try {
    for (;;) {
      const { value } = await reader.read()
      if (value === undefined) break
      if (!heldBytes.take(value.length)) {
        reader.end()
        throw new ApiError('unavailable', { headers: { 'retry-after': '2' } })
      }
      held += value.length
      pieces.push(value)
    }
    return hold(headers, joinPieces(pieces), release)
  } catch (cause) {
    release()
    throw cause
  } finally {
    reader.close()
  }
}

const nothingHeld = (): void => undefined

function hold(headers: Headers, bytes: Uint8Array, release: () => void) {
  return { headers, json: () => parseReply(bytes), bytes: () => bytes, release }
}

/** Null when nothing is said of it. */
function readLength(headers: Headers): number | null {
  const text = headers.get('content-length')
  return text === null || !/^\d{1,15}$/.test(text) ? null : Number(text)
}

function joinPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces)
}

/** What a refusal says, parsed as far as it was read: 64 KiB, or what came within some seconds. Null for what is no JSON. */
export async function readErrorBody(response: Response, silenceMs: number): Promise<unknown> {
  const { body } = response
  if (body === null) return null
  try {
    requireIdentity(response)
  } catch {
    return null
  }
  const pieces: Uint8Array[] = []
  let length = 0
  const limits = {
    mostBytes: Number.POSITIVE_INFINITY,
    silenceMs,
    isComplete: () => isWholeJson(Buffer.concat(pieces)),
  }
  const reader = createByteReader(body, limits, { expire: () => undefined })
  reader.endWithin(errorBodyMs)
  try {
    while (length < errorBytes) {
      const { value } = await reader.read()
      if (value === undefined) break
      length += value.length
      pieces.push(value)
    }
  } catch {
    // A refusal is one also when its connection breaks.
  }
  reader.end()
  const bytes = Buffer.concat(pieces).subarray(0, errorBytes)
  try {
    return parseReply(bytes)
  } catch {
    return parseCutReply(bytes)
  }
}
