// Uploaded files that are too large for a request. Before a try, the upstream's own store gets them for the key of that try.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { KeyedBody } from './send-request.ts'

export type LargeFile = {
  /** Our own id. */
  readonly fileId: string
  readonly mimeType: string
  readonly bytes: number
  /** Stands in the request for the address in the upstream's store. Random, so that no text of a client contains it. */
  readonly mark: string
  /** Throws ApiError `unavailable`. */
  readonly content: (signal: AbortSignal) => AsyncIterable<Uint8Array>
}

/** The large files of one request. */
export type LargeFiles = {
  /** By our id. */
  readonly files: ReadonlyMap<string, LargeFile>
  /** Aborts when the client leaves: then nothing is uploaded for it any longer. */
  readonly client: AbortSignal
  /** Becomes true before the request itself is sent, and stays so: until then nothing can have been billed. */
  readonly sent: { isSent: boolean }
}

/** False only as long as a request certainly waits for an upload. */
export function mayBeSent(large: LargeFiles | undefined): boolean {
  return large?.sent.isSent !== false
}

/** The same files for a request that costs nothing. */
export function forCounting(large: LargeFiles | undefined): LargeFiles | undefined {
  return large === undefined ? undefined : { ...large, sent: { isSent: false } }
}

/** Gives a request the addresses that its large files have for one key. */
export type FillBody = (body: object | Uint8Array, large: LargeFiles) => KeyedBody

export type LargeFileStore = {
  readonly fill: FillBody
  /** Our file was deleted, or has expired: the upstream's copies are deleted too, as far as this process knows them. */
  readonly forgetFile: (fileId: string) => void
}

/** The body with an address in place of each mark; every other byte stays. */
export function replaceMarks(
  body: string | Uint8Array,
  addresses: ReadonlyMap<string, string>,
): string | Uint8Array {
  // Latin-1 gives each byte a character of its own.
  let text = typeof body === 'string' ? body : Buffer.from(body).toString('latin1')
  for (const [mark, address] of addresses)
    text = text.replaceAll(mark, () => JSON.stringify(address).slice(1, -1))
  return typeof body === 'string' ? text : Buffer.from(text, 'latin1')
}

/** For upstreams without a store of files: a fallback is one, when the requested model has such a store. */
export function refuseLargeFile(param: string): ApiError {
  return invalidRequest(
    param,
    `${param}: the provider of this model has no store for files that are too large for a request.`,
  )
}
