// Copies of videos in an S3 object store, which all machines reach: one request per whole object, so there is never half of one.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { readLength } from '../upstream/read-whole.ts'
import type { SpoolFolder, VideoFiles } from './folder-files.ts'

export type ObjectFilesDependencies = {
  /** Where a video waits until it is whole, because the object store must know its size beforehand. */
  readonly spool: SpoolFolder
  /** The address of one request, signed for a few minutes. */
  readonly sign: (name: string, method: 'GET' | 'PUT' | 'DELETE') => string
  readonly fetch: (url: string, init: BunFetchRequestInit) => Promise<Response>
  /** Max silence of the store. */
  readonly patienceMs: number
}

export function createObjectFiles(dependencies: ObjectFilesDependencies): VideoFiles {
  const { spool, sign, patienceMs } = dependencies

  const ask = async (name: string, method: 'GET' | 'DELETE', init: RequestInit): Promise<Response> => {
    const silent = new AbortController()
    const timer = setTimeout(
      () => silent.abort(new Error(`The object store did not answer in ${patienceMs / 1000} s.`)),
      patienceMs,
    )
    try {
      const signal = init.signal ? AbortSignal.any([init.signal, silent.signal]) : silent.signal
      return await dependencies.fetch(sign(name, method), {
        ...init,
        method,
        signal,
        redirect: 'error',
        decompress: false,
      })
    } finally {
      clearTimeout(timer)
    }
  }

  return Object.freeze({
    save: copy =>
      spool.write(copy, (path, bytes) =>
        putFile({
          url: sign(spool.nameOf(copy.taskId), 'PUT'),
          path,
          bytes,
          contentType: spool.contentType,
          signal: copy.signal,
          patienceMs,
        }),
      ),
    read: async ({ taskId, bytes, range, signal }) => {
      const { start, end } = range ?? { start: 0, end: bytes - 1 }
      // Without `identity` a store might compress the video, which changes its bytes.
      const reply = await ask(spool.nameOf(taskId), 'GET', {
        signal,
        headers: {
          'accept-encoding': 'identity',
          ...(range === null ? {} : { range: `bytes=${start}-${end}` }),
        },
      })
      const isWhole = range === null && reply.status === 200 && readLength(reply.headers) === bytes
      const isPart =
        range !== null &&
        reply.status === 206 &&
        reply.headers.get('content-range') === `bytes ${start}-${end}/${bytes}`
      if (isWhole || isPart) return reply.body
      const text = await readRefusal(reply)
      // No object, or one of another size; 416 if it ends before the part begins.
      const isOther = reply.status === (range === null ? 200 : 206) || [404, 416].includes(reply.status)
      if (isOther && !text.includes('NoSuchBucket')) return null
      throw new Error(`The object store answered ${reply.status} to a download${text}.`)
    },
    remove: async taskId => {
      const reply = await ask(spool.nameOf(taskId), 'DELETE', {})
      const text = await readRefusal(reply)
      if (!reply.ok && (reply.status !== 404 || text.includes('NoSuchBucket')))
        throw new Error(`The object store answered ${reply.status} to a deletion${text}.`)
    },
    clean: () => spool.clean(),
  } satisfies VideoFiles)
}

type Upload = {
  readonly url: string
  readonly path: string
  readonly bytes: number
  readonly contentType: string
  readonly signal: AbortSignal
  readonly patienceMs: number
}

/**
 * Uses Node's client: `fetch` of Bun 1.4.5 held 436 to 778 MB for a file of 400 MB over TLS, this 62. With the digest the store refuses
 * data that was changed on the way.
 */
async function putFile({ url, path, bytes, contentType, signal, patienceMs }: Upload): Promise<void> {
  const digest = createHash('md5')
  for await (const piece of createReadStream(path)) digest.update(piece)
  const answered = Promise.withResolvers<{ readonly status: number; readonly text: string }>()
  const request = (url.startsWith('https:') ? requestTls : requestPlain)(
    url,
    {
      method: 'PUT',
      signal,
      headers: {
        'content-length': bytes,
        'content-type': contentType,
        'content-md5': digest.digest('base64'),
        // A refusal then comes before the body. In the middle of the body the connection would be cut, and the reason lost.
        expect: '100-continue',
      },
    },
    response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', piece => {
        text = (text + piece).slice(0, refusalCharacters)
      })
      response.on('end', () => answered.resolve({ status: response.statusCode ?? 0, text }))
      response.on('error', answered.reject)
    },
  )
  // A server that has answered may close the connection at once: the answer counts, if it arrives.
  const fail = (error: unknown) => void setTimeout(() => answered.reject(error), lastAnswerMs)
  request.on('error', fail)
  request.setTimeout(patienceMs, () =>
    request.destroy(new Error(`The object store did not answer in ${patienceMs / 1000} s.`)),
  )
  let isSent = false
  const send = () => {
    if (isSent) return
    isSent = true
    pipeline(createReadStream(path), request).catch(fail)
  }
  request.on('continue', send)
  request.flushHeaders()
  // Some servers do not know `expect`.
  const timer = setTimeout(send, continueMs)
  const { status, text } = await answered.promise.finally(() => {
    isSent = true
    clearTimeout(timer)
    if (!request.writableFinished) request.destroy()
  })
  if (status !== 200)
    throw new Error(`The object store answered ${status} to an upload${describeRefusal(text)}.`)
}

const refusalCharacters = 4096
/** RFC 9110, section 10.1.1: do not wait for it indefinitely. */
const continueMs = 2000
const lastAnswerMs = 200

async function readRefusal(reply: Response): Promise<string> {
  if (reply.ok || reply.body === null) {
    await reply.body?.cancel().catch(() => undefined)
    return ''
  }
  const text = await reply.text().catch(() => '')
  return describeRefusal(text.slice(0, refusalCharacters))
}

/** S3 gives the reason in XML: `<Code>NoSuchBucket</Code>`. */
function describeRefusal(text: string): string {
  const code = /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1]
  return code === undefined ? '' : ` (${code})`
}
