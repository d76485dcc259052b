// The vendor's video API: start, poll, metadata, and the download, which redirects to a storage without keys.
import { readBody } from '../json.ts'
import { readHeader } from '../make-trouble.ts'
import { hash } from '../media/hash.ts'
import { findSwitches } from '../switches.ts'
import type { Tools } from '../tools.ts'
import { VendorError } from '../vendor-error.ts'
import { loadVideo } from './load-video.ts'
import { createOperations, describeOperation, type VideoFile } from './operations.ts'
import { readVideoRequest } from './read-video-request.ts'
import { sendBytes } from './send-bytes.ts'

const keptMs = 48 * 3_600_000

export function createVideo(tools: Tools) {
  const operations = createOperations(tools.now)

  /** `:predictLongRunning`. Orders are billed at once. A vendor refunds failed ones. */
  const start = (model: string, key: string, request: Request): Promise<Response> =>
    tools.countCall(false, request, async () => {
      const wish = readVideoRequest(await readBody(request), model)
      const switches = { ...tools.commonSwitches(), ...findSwitches(wish.prompt), ...readHeader(request) }
      await tools.trouble(switches, request.signal)
      const name = operations.start(model, key, wish, switches)
      const usage = { prompt: 0, cached: 0, candidates: 0, thoughts: 0 }
      tools.counters.bill(model, usage, { videos: wish.samples, seconds: wish.seconds * wish.samples })
      return Response.json({ name })
    })

  /** Throws VendorError 404 for an operation that does not exist or belongs to another key. */
  const poll = (id: string, model: string | null, key: string, origin: string): Response => {
    const operation = operations.find(id, key)
    if (operation === null || (model !== null && !operation.name.startsWith(`models/${model}/`))) {
      throw new VendorError(404, 'Requested entity was not found.')
    }
    return Response.json(describeOperation(operation, origin))
  }

  /** Throws VendorError 403 for a file that does not exist or belongs to another key, as the vendor does. */
  const findOwn = (id: string, key: string): VideoFile => {
    const file = operations.findFile(id, key)
    if (file !== null) return file
    throw new VendorError(403, `You do not have permission to access the File ${id} or it may not exist.`)
  }

  const describe = async (id: string, key: string, origin: string): Promise<Response> => {
    const file = findOwn(id, key)
    const video = await loadVideo(file)
    const uri = `${origin}/v1beta/files/${id}`
    return Response.json({
      name: `files/${id}`,
      mimeType: 'video/mp4',
      sizeBytes: String(video.length),
      createTime: new Date(file.createdAt).toISOString(),
      updateTime: new Date(file.createdAt).toISOString(),
      expirationTime: new Date(file.createdAt + keptMs).toISOString(),
      sha256Hash: Buffer.from(hash(video).toString('hex')).toString('base64'),
      uri,
      downloadUri: `${uri}:download?alt=media`,
      state: 'ACTIVE',
      source: 'GENERATED',
      videoMetadata: { videoDuration: `${file.seconds}s` },
    })
  }

  const download = (id: string, key: string, url: URL): Response => {
    const file = findOwn(id, key)
    if (url.searchParams.get('alt') !== 'media') {
      throw new VendorError(400, 'The download of a file needs alt=media.')
    }
    const location = `${url.origin}/storage/${file.id}?signature=${sign(file.id)}`
    return new Response(null, { status: 302, headers: { location } })
  }

  /** The target of the redirect. A key in the request has leaked to a host that must not see it. */
  const store = async (id: string, request: Request, url: URL): Promise<Response> => {
    const hasKey = ['x-goog-api-key', 'authorization'].some(name => request.headers.has(name))
    if (hasKey || url.searchParams.has('key')) {
      throw new VendorError(400, 'The storage must not be sent an API key: it would leak.')
    }
    const file = operations.findFile(id, null)
    if (file === null || url.searchParams.get('signature') !== sign(id)) {
      throw new VendorError(403, 'Access denied.')
    }
    return sendBytes(await loadVideo(file), 'video/mp4', request.headers.get('range'))
  }

  return { start, poll, describe, download, store }
}

function sign(id: string): string {
  return hash(`storage ${id}`).toString('hex').slice(0, 24)
}
