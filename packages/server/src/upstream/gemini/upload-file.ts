// Puts large files into the vendor's own store, for one key: its resumable upload, in pieces, until the file can be used. Nothing of it costs
// anything, so any failure is one of an upstream that has done no work.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Uploaded } from '../kept-uploads.ts'
import type { UpstreamKey } from '../key-ring.ts'
import type { LargeFile } from '../large-files.ts'
import { asRecord, asString, type JsonRecord, parseReply } from '../narrow-json.ts'
import { readWhole } from '../read-whole.ts'
import { type Dialect, Sender, type SenderDependencies, type UpstreamRequest } from '../send-request.ts'
import { RefusedCall } from '../upstream-failure.ts'

type Reply = { readonly headers: Headers; readonly text: string }

/** A multiple of the 256 KiB that the vendor asks for; as its own clients do. */
const pieceBytes = 8 * 1024 * 1024
const replyBytes = 64 * 1024
/** If the vendor does not say how long it keeps a file. */
const usualLifeMs = 48 * 3_600_000
const firstPauseMs = 250
const longestPauseMs = 4000
const removalMs = 10_000
const lastPieceMs = 60_000

/** `baseUrl`: without a trailing slash. */
export function createGeminiFiles(dependencies: SenderDependencies, dialect: Dialect, baseUrl: string) {
  const { fetch, bounds, timers, wait } = dependencies
  const sender = new Sender(dependencies, dialect)
  const address = `${baseUrl}/v1beta`

  /** Throws RefusedCall for a reply other than 200. */
  const ask = async (
    {
      method,
      body,
      ...part
    }: Pick<UpstreamRequest, 'url' | 'headers'> & {
      readonly body?: string | Uint8Array
      readonly method?: 'DELETE'
    },
    key: UpstreamKey,
    signal: AbortSignal,
  ): Promise<Reply> => {
    const request: UpstreamRequest = { ...part, endpoint: 'chat', team: null, signal }
    const stop = new AbortController()
    const init = sender.write(request, key, body, AbortSignal.any([signal, stop.signal]))
    const response = await fetch(part.url, method === undefined ? init : { ...init, method })
    if (response.status !== 200) throw await sender.readRefusal(request, response, key)
    const reply = await readWhole(response, replyBytes, bounds, timers, () => stop.abort())
    try {
      return { headers: reply.headers, text: new TextDecoder().decode(await reply.bytes()) }
    } finally {
      reply.release()
    }
  }

  const send = async (file: LargeFile, key: UpstreamKey, signal: AbortSignal): Promise<JsonRecord> => {
    const { headers } = await ask(
      {
        url: `${baseUrl}/upload/v1beta/files`,
        headers: {
          'content-type': 'application/json',
          'x-goog-upload-protocol': 'resumable',
          'x-goog-upload-command': 'start',
          'x-goog-upload-header-content-length': String(file.bytes),
          'x-goog-upload-header-content-type': file.mimeType,
        },
        body: JSON.stringify({ file: { mimeType: file.mimeType } }),
      },
      key,
      signal,
    )
    const url = headers.get('x-goog-upload-url') ?? ''
    // Our key goes to the vendor alone.
    if (!URL.canParse(url) || new URL(url).origin !== new URL(baseUrl).origin)
      throw new Error('The vendor named no address of its own for the upload.')
    let offset = 0
    for await (const piece of cutPieces(file.content(signal))) {
      const end = offset + piece.byteLength
      const isLast = end >= file.bytes
      const { text } = await ask(
        {
          url,
          headers: {
            'content-type': 'application/octet-stream',
            'x-goog-upload-offset': String(offset),
            'x-goog-upload-command': isLast ? 'upload, finalize' : 'upload',
          },
          body: piece,
        },
        key,
        // The reply has the name by which the file can be deleted.
        isLast ? AbortSignal.timeout(lastPieceMs) : signal,
      )
      if (isLast) return asRecord(asRecord(parseReply(text))?.file) ?? {}
      offset = end
    }
    throw new Error('The file has fewer bytes than its description.')
  }

  const remove = async (name: string, key: UpstreamKey): Promise<void> => {
    const signal = AbortSignal.timeout(removalMs)
    await ask({ url: `${address}/${name}`, method: 'DELETE' }, key, signal)
  }

  /** Waits until the vendor has read it. */
  const awaitActive = async (
    name: string,
    first: JsonRecord,
    key: UpstreamKey,
    signal: AbortSignal,
  ): Promise<JsonRecord> => {
    let file = first
    for (let pause = firstPauseMs; file.state === 'PROCESSING'; pause = Math.min(2 * pause, longestPauseMs)) {
      await wait(pause, signal)
      file = asRecord(parseReply((await ask({ url: `${address}/${name}` }, key, signal)).text)) ?? {}
    }
    if (file.state === 'ACTIVE') return file
    const message =
      'The model provider could not process a file of this request. Check that it opens and has the type that it claims.'
    const cause = new Error(`The vendor calls the file ${asString(file.state)}.`)
    throw new RefusedCall(new ApiError('upstream_rejected', { message, cause }), rejected, null, false)
  }

  return {
    upload: async (file: LargeFile, key: UpstreamKey, signal: AbortSignal): Promise<Uploaded> => {
      let name: string | null = null
      try {
        const sent = await send(file, key, signal)
        name = readName(sent)
        const { uri, createTime, expirationTime } = await awaitActive(name, sent, key, signal)
        return {
          name,
          address: readAddress(uri),
          // By the vendor's own clock: ours may differ.
          livesMs: Date.parse(String(expirationTime)) - Date.parse(String(createTime)) || usualLifeMs,
        }
      } catch (failure) {
        if (name !== null) void remove(name, key).catch(() => undefined)
        throw explainUpload(failure, signal)
      }
    },
    remove: ({ name }: Uploaded, key: UpstreamKey) => remove(name, key),
  }
}

const rejected = { status: 400, askedDelayMs: null }
const unreached = { status: null, askedDelayMs: null }

/** Any other failure than a refusal, our own store's or the call's end is a connection that broke, or a reply without sense. */
function explainUpload(failure: unknown, signal: AbortSignal): unknown {
  const isOurs = failure instanceof ApiError && failure.code === 'unavailable'
  if (signal.aborted || failure instanceof RefusedCall || isOurs) return failure
  const message = 'A file could not be sent to the model provider.'
  return new RefusedCall(new ApiError('upstream_error', { message, cause: failure }), unreached, null, false)
}

function readName({ name }: JsonRecord): string {
  const text = asString(name) ?? ''
  if (/^files\/[\w-]{1,100}$/.test(text)) return text
  throw new Error('The vendor gave the file no name.')
}

function readAddress(uri: unknown): string {
  const text = asString(uri) ?? ''
  if (/^https?:\/\/[\x21-\x7e]{1,1000}$/.test(text)) return text
  throw new Error('The vendor gave the file no address.')
}

/** Pieces of the same size, except for the last: one is in memory at a time. */
async function* cutPieces(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const piece = new Uint8Array(pieceBytes)
  let filled = 0
  for await (const bytes of content)
    for (let from = 0; from < bytes.byteLength; ) {
      const some = bytes.subarray(from, from + pieceBytes - filled)
      piece.set(some, filled)
      filled += some.byteLength
      from += some.byteLength
      if (filled === pieceBytes) {
        yield piece
        filled = 0
      }
    }
  if (filled > 0) yield piece.subarray(0, filled)
}
