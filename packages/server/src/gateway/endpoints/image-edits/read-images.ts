// Images that are sent along, known by their first bytes.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { SentImage } from '../../../upstream/media-port.ts'

const signatures: readonly (readonly [offset: number, text: string, mimeType: SentImage['mimeType']])[] = [
  [0, '\u0089PNG', 'image/png'],
  [0, '\u00ff\u00d8\u00ff', 'image/jpeg'],
  [8, 'WEBP', 'image/webp'],
]

/** Throws ApiError `invalid_request` for what is no PNG, JPEG or WebP file. */
export async function readImages(files: readonly (Blob | string)[]): Promise<SentImage[]> {
  return Promise.all(files.map(readImage))
}

async function readImage(file: Blob | string): Promise<SentImage> {
  if (!(file instanceof Blob)) throw refuse('image must be an uploaded file.')
  const image = recogniseImage(await file.bytes())
  if (image === null) throw refuse('image must be a PNG, JPEG or WebP file.')
  return image
}

/** Null for what is no PNG, JPEG or WebP file. */
export function recogniseImage(bytes: Uint8Array): SentImage | null {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  const found = signatures.find(([offset, text]) => head.startsWith(text, offset))
  if (found === undefined) return null
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  return { mimeType: found[2], base64 }
}

function refuse(message: string): ApiError {
  return new ApiError('invalid_request', { param: 'image', message })
}
