// Answers the vendor's video API: start, poll, metadata, and the download, which redirects to storage that needs no key.
import { readBody } from '../json.ts'
import { readHeader } from '../make-trouble.ts'
import { hash } from '../media/hash.ts'
import { findSwitches } from '../switches.ts'
import type { Tools } from '../tools.ts'
import { VendorError } from '../vendor-error.ts'
import { createOperations, describeOperation, type VideoFile } from './operations.ts'
import { readVideoRequest } from './read-video-request.ts'

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
      throw new VendorError(400, 'Downloading a file needs alt=media.')
    }
    const location = `${url.origin}/storage/${file.id}?signature=${sign(file.id)}`
    return new Response(null, { status: 302, headers: { location } })
  }

  /** Target of the redirect. A key in the request means that it leaked to a host that must not see it. */
  const store = async (id: string, request: Request, url: URL): Promise<Response> => {
    const hasKey = ['x-goog-api-key', 'authorization'].some(name => request.headers.has(name))
    if (hasKey || url.searchParams.has('key')) {
      throw new VendorError(400, 'Do not send an API key to the storage: it would leak.')
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

// Loads the video files: real H.264 in MP4, 24 frames per second, one colour, in packages/sandbox/assets.  They were made once with Debian's ffmpeg 5.1, for each size and length: ffmpeg -f lavfi -i color=c=0x203040:s=1280x720:r=24:d=8 -c:v libx264 -preset medium -profile:v high -pix_fmt yuv420p -bf 0 -g 250 -bsf:v filter_units=remove_types=6 -fflags +bitexact -flags:v +bitexact -map_metadata -1 -movflags +faststart 1280x720-8s.mp4

const loaded = new Map<string, Uint8Array<ArrayBuffer>>()

async function loadVideo({ width, height, seconds }: VideoFile): Promise<Uint8Array<ArrayBuffer>> {
  const name = `${width}x${height}-${seconds}s.mp4`
  const known = loaded.get(name)
  if (known !== undefined) return known
  const video = await Bun.file(new URL(`../../assets/${name}`, import.meta.url)).bytes()
  loaded.set(name, video)
  return video
}

/** Sends a file over HTTP, whole or the requested range. */
function sendBytes(bytes: Uint8Array<ArrayBuffer>, type: string, range: string | null): Response {
  const headers = { 'content-type': type, 'accept-ranges': 'bytes' }
  const wanted = range === null ? null : /^bytes=(\d*)-(\d*)$/.exec(range)
  // Anything but one plain range is treated as no range, which the standard allows.
  if (wanted === null || (wanted[1] === '' && wanted[2] === '')) return new Response(bytes, { headers })
  const [, from = '', to = ''] = wanted
  const start = from === '' ? Math.max(0, bytes.length - Number(to)) : Number(from)
  const end = from === '' || to === '' ? bytes.length - 1 : Math.min(Number(to), bytes.length - 1)
  if (start >= bytes.length || start > end) {
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${bytes.length}` } })
  }
  return new Response(bytes.subarray(start, end + 1), {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${start}-${end}/${bytes.length}` },
  })
}
