// Puts our names where a reply has the upstream's, and leaves every other byte as it was sent.
import type { CatalogModel } from '../../../catalog/types.ts'
import { readFileId } from '../../../upstream/gemini/video/map-video.ts'
import { type JsonPath, walkJson } from '../../../upstream/walk-json.ts'

type OperationName = { readonly upstream: string; readonly ours: string }

export type ReplyNames = {
  /** The upstream's name of the operation, and ours. */
  readonly operation?: OperationName
  /** Our address of the gateway, without a slash at its end. */
  readonly publicUrl: string
}

/** Addresses of files lead to us: the upstream's would ask for a key that teams do not have. */
export function rewriteReply(reply: string, names: ReplyNames): Buffer {
  const bytes = Buffer.from(reply)
  const pieces: Uint8Array[] = []
  let from = 0
  walkJson(bytes, {
    skipsDeep: true,
    member: (path, start, end) => {
      const text = readString(bytes.subarray(start, end))
      const replacement = text === null ? null : replace(path, text, names)
      if (replacement === null) return
      pieces.push(bytes.subarray(from, start), Buffer.from(JSON.stringify(replacement)))
      from = end
    },
  })
  return Buffer.concat([...pieces, bytes.subarray(from)])
}

function replace(path: JsonPath, text: string, { operation, publicUrl }: ReplyNames): string | null {
  if (operation !== undefined && path.length === 1 && path[0] === 'name')
    return text === operation.upstream ? operation.ours : null
  const last = path.at(-1)
  if (last !== 'uri' && last !== 'downloadUri' && last !== 'download_uri') return null
  const file = readFileId(text)
  if (file === null) return null
  const verb = text.includes(':download') ? ':download?alt=media' : ''
  return `${publicUrl}/vendor/v1beta/files/${file}${verb}`
}

function readString(bytes: Uint8Array): string | null {
  if (bytes[0] !== 0x22) return null
  const value: unknown = JSON.parse(Buffer.from(bytes).toString())
  return typeof value === 'string' ? value : null
}

/**
 * Operations are named by models: the upstream's by its own ids, ours by ours. `models/veo-2/operations/1` is our
 * `models/video-2/operations/1`; `operations/1` is the same to both.
 */
export function nameOperation(
  { id, upstreamId }: Pick<CatalogModel, 'id' | 'upstreamId'>,
  upstream: string,
): OperationName {
  const prefix = `models/${upstreamId}/`
  const ours = upstream.startsWith(prefix) ? `models/${id}/${upstream.slice(prefix.length)}` : upstream
  return { upstream, ours }
}
