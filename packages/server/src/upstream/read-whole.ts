// Replies within bounds: counted while they are read, never inflated, and given up if they are too large or silent for too long.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import type { PatientTimers } from '../world/patient-timers.ts'
import { ByteReader, tooLarge } from './byte-reader.ts'
import { isWholeJson, parseCutReply, parseReply } from './narrow-json.ts'
import type { ByteBudget, ReplyBounds } from './reply-limits.ts'

/** One of `json` and `bytes` is called, once. */
export type WholeReply = {
  readonly headers: Headers
  /** Throws SyntaxError if it is not JSON, or nested too deeply. */
  readonly json: () => unknown
  readonly bytes: () => Uint8Array | Promise<Uint8Array>
  /** Returns the room that the reply takes. */
  readonly release: () => void
}

type Bounds = Pick<ReplyBounds, 'silenceMs' | 'heldBytes'>

/** As small as most answers: read at once, without looking at each piece, which would cost 5 µs (measured on two cores). */
const smallBytes = 64 * 1024

/** For room among the replies that are being read. */
const longestWaitMs = 3000

/** How often a silent body is tried as a whole document: each attempt costs as much as reading it. */
const maxTries = 3

/** Throws ApiError `upstream_error` for a reply that is compressed although no one asked. Nothing of it is read. */
export function requireIdentity(response: Response): void {
  const encoding = response.headers.get('content-encoding')
  if (encoding === null || encoding.trim().toLowerCase() === 'identity') return
  response.body?.cancel().catch(() => undefined)
  throw new ApiError('upstream_error', {
    message: 'The model provider sent a compressed reply, which was not requested.',
  })
}

/**
 * Its room must be returned by `release`. A complete JSON reply is accepted even if its connection does not close. Throws ApiError
 * `upstream_error` beyond `maxBytes`, `unavailable` if too much is held already.
 */
export function readWhole(
  response: Response,
  maxBytes: number,
  bounds: Bounds,
  timers: PatientTimers,
  expire: () => void,
): WholeReply | Promise<WholeReply> {
  requireIdentity(response)
  const { headers } = response
  const said = readLength(headers)
  if (said !== null && said > maxBytes) {
    response.body?.cancel().catch(() => undefined)
    throw tooLarge()
  }
  if (said !== null && said <= smallBytes) return new SmallReply(response)
  // Accessed only here: the runtime creates the stream on access.
  const { body } = response
  if (body === null) return new HeldReply(headers, bounds.heldBytes)
  return new HeldReply(headers, bounds.heldBytes).fill(body, maxBytes, bounds.silenceMs, timers, expire)
}

/** A reply that is read on demand. */
class SmallReply implements WholeReply {
  readonly #response: Response

  constructor(response: Response) {
    this.#response = response
  }

  get headers(): Headers {
    return this.#response.headers
  }

  json(): Promise<unknown> {
    return this.#response.text().then(parseReply)
  }

  bytes(): Promise<Uint8Array> {
    return this.#response.bytes()
  }

  release(): void {}
}

/** A reply in memory, its bytes taken from the total for all replies. */
class HeldReply implements WholeReply {
  readonly headers: Headers
  readonly #heldBytes: ByteBudget
  readonly #pieces: Uint8Array[] = []
  #held = 0
  #tries = 0
  #triedAt = -1
  /** Others end soon. The whole reply waits at most this long for room, all its pieces together. */
  #giveUpAt: number | null = null

  constructor(headers: Headers, heldBytes: ByteBudget) {
    this.headers = headers
    this.#heldBytes = heldBytes
  }

  async fill(
    body: ReadableStream<Uint8Array>,
    maxBytes: number,
    silenceMs: number,
    timers: PatientTimers,
    expire: () => void,
  ): Promise<WholeReply> {
    const isComplete = () => this.#isComplete()
    const reader = new ByteReader(body, { maxBytes, silenceMs, isComplete }, timers, expire)
    try {
      for (;;) {
        const { value } = await reader.read()
        if (value === undefined) return this
        if (!this.#heldBytes.take(value.length) && !(await this.#waitForRoom(value.length, timers))) {
          reader.end()
          throw unavailable(2)
        }
        this.#held += value.length
        this.#pieces.push(value)
      }
    } catch (cause) {
      this.release()
      throw cause
    } finally {
      reader.close()
    }
  }

  json(): unknown {
    return parseReply(this.bytes())
  }

  bytes(): Uint8Array {
    const [first] = this.#pieces
    return first !== undefined && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces)
  }

  release(): void {
    this.#heldBytes.give(this.#held)
  }

  #isComplete(): boolean {
    if (this.#triedAt === this.#held || this.#tries === maxTries) return false
    this.#triedAt = this.#held
    this.#tries += 1
    return isWholeJson(Buffer.concat(this.#pieces))
  }

  /** A waiting reply keeps what it has; the upstream is held back meanwhile. False if there was no room in time. */
  async #waitForRoom(bytes: number, timers: PatientTimers): Promise<boolean> {
    const now = timers.now()
    this.#giveUpAt ??= now + longestWaitMs
    const { promise: isTime, resolve } = Promise.withResolvers<'late'>()
    const limit = timers.start(Math.max(0, this.#giveUpAt - now), () => resolve('late'))
    try {
      while (!this.#heldBytes.take(bytes)) {
        if ((await Promise.race([this.#heldBytes.whenGiven(), isTime])) === 'late') return false
      }
      return true
    } finally {
      limit.cancel()
    }
  }
}

/** Those of the headers that a reply has. */
export function pickHeaders(headers: Headers, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
}

/** Bytes, as the reply declares; null if it does not. */
export function readLength(headers: Headers): number | null {
  const text = headers.get('content-length')
  return text === null || !/^\d{1,15}$/.test(text) ? null : Number(text)
}

/** No more of a refusal is read: its message is in there, or it has none for us. */
const errorBytes = 64 * 1024
/** The status is known by then, so the body is not awaited any longer. */
const errorBodyMs = 5000

/** The content of a refusal, parsed as far as it was read: 64 KiB, or what came within some seconds. Null if it is not JSON. */
export async function readErrorBody(
  response: Response,
  silenceMs: number,
  timers: PatientTimers,
): Promise<unknown> {
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
    maxBytes: Number.POSITIVE_INFINITY,
    silenceMs,
    isComplete: () => isWholeJson(Buffer.concat(pieces)),
  }
  const reader = new ByteReader(body, limits, timers, () => undefined)
  reader.endWithin(errorBodyMs)
  try {
    while (length < errorBytes) {
      const { value } = await reader.read()
      if (value === undefined) break
      length += value.length
      pieces.push(value)
    }
  } catch {
    // A refusal remains one even if its connection breaks.
  }
  reader.end()
  const bytes = Buffer.concat(pieces).subarray(0, errorBytes)
  try {
    return parseReply(bytes)
  } catch {
    return parseCutReply(bytes)
  }
}

/** A body that is passed on as it comes. Read only on demand; after a silence reading throws ApiError `upstream_timeout`. */
export function boundSilence(
  body: ReadableStream<Uint8Array>,
  silenceMs: number,
  timers: PatientTimers,
): ReadableStream<Uint8Array> {
  let isSilent = false
  const reader = new ByteReader(body, { maxBytes: Number.POSITIVE_INFINITY, silenceMs }, timers, () => {
    isSilent = true
    reader.end()
  })
  return new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        const { value } = await reader.read()
        if (value !== undefined) controller.enqueue(value)
        else if (isSilent) controller.error(new ApiError('upstream_timeout'))
        else controller.close()
      },
      cancel: () => reader.end(),
    },
    { highWaterMark: 0 },
  )
}
