// Answers the vendor's Files API: resumable upload, description, list, deletion, and the content for prompts. A file belongs to one key,
// takes a moment until it can be used, and ends after two days.
import { createHash } from 'node:crypto'
import { invalid, isObject, member, optionalText, readBody } from '../json.ts'
import type { Tools } from '../tools.ts'
import { VendorError } from '../vendor-error.ts'

export type StoredFile = { readonly mimeType: string; readonly bytes: Uint8Array }

/** The file of an address in a prompt; null for an address outside of the store. */
export type FindFile = (uri: string) => StoredFile | null

type Upload = {
  readonly key: string
  readonly mimeType: string
  readonly displayName: string | undefined
  readonly size: number
  readonly pieces: Uint8Array[]
  received: number
}

type File = StoredFile & {
  readonly key: string
  readonly displayName: string | undefined
  readonly createdAt: number
  readonly activeAt: number
  readonly sha256: string
}

const keptMs = 48 * 3_600_000
const pieceBytes = 256 * 1024
const longestName = 512
/** Kept in memory: the oldest files end early. */
const maxBytes = 2 * 1024 ** 3
const maxUploads = 32

export function createFiles(tools: Tools) {
  const uploads = new Map<string, Upload>()
  const files = new Map<string, File>()
  let count = 0

  const keep = (id: string, file: File): void => {
    files.set(id, file)
    let bytes = [...files.values()].reduce((sum, kept) => sum + kept.bytes.byteLength, 0)
    for (const [old, kept] of files) {
      if (bytes <= maxBytes && kept.createdAt + keptMs > tools.now()) break
      files.delete(old)
      bytes -= kept.bytes.byteLength
    }
  }

  /** Throws VendorError 400 for a start without the announced size and protocol. */
  const start = async (key: string, request: Request, origin: string): Promise<Response> => {
    const { headers } = request
    const { fileError } = tools.commonSwitches()
    if (fileError !== undefined) throw new VendorError(fileError)
    const size = Number(headers.get('x-goog-upload-header-content-length') ?? Number.NaN)
    if (headers.get('x-goog-upload-protocol') !== 'resumable') throw invalid('Unsupported upload protocol.')
    if (headers.get('x-goog-upload-command') !== 'start') throw invalid('The first command must be start.')
    if (!Number.isSafeInteger(size) || size <= 0) throw invalid('The size of the upload is missing.')
    const body = await readBody(request)
    const file = isObject(body) ? member(body, 'file') : undefined
    const described = isObject(file) ? file : {}
    const mimeType =
      headers.get('x-goog-upload-header-content-type') ?? optionalText(described, 'mimeType') ?? ''
    if (!mimeType.includes('/')) throw invalid('mime_type is required.')
    const displayName = optionalText(described, 'displayName')
    if ((displayName ?? '').length > longestName) throw invalid('display_name is too long.')
    count += 1
    const id = `sandbox${count.toString(36).padStart(6, '0')}`
    const [abandoned] = uploads.keys()
    if (abandoned !== undefined && uploads.size >= maxUploads) uploads.delete(abandoned)
    uploads.set(id, { key, mimeType, displayName, size, pieces: [], received: 0 })
    const url = `${origin}/upload/v1beta/files?upload_id=${id}&upload_protocol=resumable`
    return new Response(null, {
      headers: {
        'x-goog-upload-url': url,
        'x-goog-upload-status': 'active',
        'x-goog-upload-chunk-granularity': String(pieceBytes),
      },
    })
  }

  /** One piece. The address is the credential. */
  const append = async (id: string, request: Request, origin: string): Promise<Response> => {
    const upload = uploads.get(id)
    if (upload === undefined) throw new VendorError(404, 'Requested entity was not found.')
    const commands = (request.headers.get('x-goog-upload-command') ?? '').split(',').map(word => word.trim())
    const offset = Number(request.headers.get('x-goog-upload-offset') ?? Number.NaN)
    if (!commands.includes('upload') || offset !== upload.received)
      throw invalid(`Offset ${offset} is not ${upload.received}.`)
    const piece = new Uint8Array(await request.arrayBuffer())
    const isLast = commands.includes('finalize')
    if (!isLast && piece.byteLength % pieceBytes !== 0)
      throw invalid(`A piece of ${piece.byteLength} bytes is no multiple of ${pieceBytes}.`)
    upload.pieces.push(piece)
    upload.received += piece.byteLength
    if (!isLast) return new Response(null, { headers: { 'x-goog-upload-status': 'active' } })
    uploads.delete(id)
    if (upload.received !== upload.size)
      throw invalid(`${upload.received} bytes were sent, and ${upload.size} announced.`)
    const bytes = Buffer.concat(upload.pieces)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const createdAt = tools.now()
    const activeAt = createdAt + (tools.commonSwitches().fileMs ?? 0)
    const { key, mimeType, displayName } = upload
    const file: File = { key, mimeType, displayName, bytes, createdAt, activeAt, sha256 }
    keep(id, file)
    tools.counters.keepFile()
    return Response.json(
      { file: describe(id, file, origin) },
      { headers: { 'x-goog-upload-status': 'final' } },
    )
  }

  const find = (id: string, key: string): File | null => {
    const file = files.get(id)
    return file?.key === key && file.createdAt + keptMs > tools.now() ? file : null
  }

  const describe = (id: string, file: File, origin: string): object => ({
    name: `files/${id}`,
    ...(file.displayName === undefined ? {} : { displayName: file.displayName }),
    mimeType: file.mimeType,
    sizeBytes: String(file.bytes.byteLength),
    createTime: new Date(file.createdAt).toISOString(),
    updateTime: new Date(file.createdAt).toISOString(),
    expirationTime: new Date(file.createdAt + keptMs).toISOString(),
    sha256Hash: Buffer.from(file.sha256).toString('base64'),
    uri: `${origin}/v1beta/files/${id}`,
    state: file.activeAt <= tools.now() ? 'ACTIVE' : 'PROCESSING',
    source: 'UPLOADED',
  })

  return {
    start,
    append,
    /** Null if this key has no such file. */
    describe: (id: string, key: string, origin: string): Response | null => {
      const file = find(id, key)
      return file === null ? null : Response.json(describe(id, file, origin))
    },
    list: (key: string, origin: string): Response => {
      const own = [...files.keys()].flatMap(id => {
        const file = find(id, key)
        return file === null ? [] : [describe(id, file, origin)]
      })
      return Response.json(own.length === 0 ? {} : { files: own })
    },
    /** Throws VendorError 403 for a file that does not exist or belongs to another key. */
    remove: (id: string, key: string): Response => {
      if (find(id, key) === null) throw forbid(id)
      files.delete(id)
      return Response.json({})
    },
    /** The content for a prompt. Throws VendorError 403 for another key, and 400 while the file is processed. */
    finder:
      (key: string): FindFile =>
      uri => {
        const id = /\/v1beta\/files\/([^/:?]+)$/.exec(uri)?.[1]
        if (id === undefined) return null
        const file = find(id, key)
        if (file === null) throw forbid(id)
        if (file.activeAt > tools.now())
          throw invalid(`The File ${id} is not in an ACTIVE state and usage is not allowed.`)
        return file
      },
  }
}

function forbid(id: string): VendorError {
  return new VendorError(403, `You do not have permission to access the File ${id} or it may not exist.`)
}
