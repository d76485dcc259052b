// Steps that a fault puts on the wire: bytes, pauses, and ways to break off that no HTTP server offers.
import { gzipSync } from 'node:zlib'
import type { Family } from './families.ts'

/** Bytes, a pause, a reset, a close, or silence until the caller has left. */
export type Step = Uint8Array | string | { readonly pauseMs: number } | 'reset' | 'close' | 'hold'

export type Script = Iterable<Step>

/** The reply of a well-behaved vendor, which the fault distorts. */
export type GoodReply = {
  readonly family: Family
  readonly type: string
  readonly bytes: Uint8Array
  /** The output cap in the request; null without one. */
  readonly cap: number | null
  /** An address that callers must not follow. Requests to it are counted. */
  readonly trapUrl: string
  /** Number of requests for this operation or file, including this one. */
  readonly look: number
}

export type Fault = {
  /** Description for readers of the table. */
  readonly does: string
  readonly bites: readonly Family[]
  readonly play: (good: GoodReply) => Script
  /** A fault that ends (almost) only when the caller leaves: it sends next to nothing, or as much as is read. */
  readonly endless?: 'silent' | 'flood'
}

/** A row of a table of faults. */
export const fault = (
  does: string,
  bites: readonly Family[],
  play: Fault['play'],
  more: Pick<Fault, 'endless'> = {},
): Fault => ({ does, bites, play, ...more })

export type Faults = Readonly<Record<string, Fault>>

/** Secrets that a vendor's messages may contain but that no one else may see. */
export const secrets = {
  key: 'AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY',
  project: '748302915566',
} as const

export const leakyMessage =
  `Quota exceeded for quota metric 'Generate requests' of consumer 'project_number:${secrets.project}' ` +
  `(projects/${secrets.project}/locations/global), API key ${secrets.key}.`

/** The given headers, with `connection: close` only on request. */
export function writeHead(status: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} Told`, ...lines, '', ''].join('\r\n')
}

export const jsonType = 'application/json; charset=UTF-8'

/** A reply as it should be framed. */
export function* sendWhole(
  status: number,
  body: Uint8Array | string,
  type = jsonType,
  headers: Readonly<Record<string, string>> = {},
): Generator<Step> {
  const length = String(Buffer.byteLength(body))
  yield writeHead(status, { 'content-type': type, 'content-length': length, ...headers })
  if (length !== '0') yield body
}

export const sendJson = (value: unknown, status = 200): Script => sendWhole(status, JSON.stringify(value))

/** One chunk of a chunked body. */
export function frameChunk(body: Uint8Array | string): Buffer {
  const bytes = Buffer.from(body)
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
}

export const lastChunk = '0\r\n\r\n'

/** Steps within a chunked body. It ends after the last step unless a step breaks it off. */
export function* sendChunked(steps: Iterable<Step>, type: string, status = 200): Generator<Step> {
  yield writeHead(status, { 'content-type': type, 'transfer-encoding': 'chunked' })
  for (const step of steps) {
    if (step === 'reset' || step === 'close' || step === 'hold') {
      yield step
      return
    }
    if (typeof step === 'string' || step instanceof Uint8Array) {
      if (step.length > 0) yield frameChunk(step)
    } else yield step
  }
  yield lastChunk
}

/** Sends endlessly. The writer waits until the caller has read. */
export function* repeat(piece: Uint8Array | string): Generator<Step> {
  const bytes = Buffer.from(piece)
  for (;;) yield bytes
}

let bomb: Uint8Array | null = null

/** 64 kB that inflate to 64 MB. Made once, because that takes 0.2 s. */
export function inflating(): Uint8Array {
  bomb ??= gzipSync(new Uint8Array(64 << 20))
  return bomb
}

/** A member within a member, this many times. */
export const nest = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
