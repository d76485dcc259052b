// Recognises the type of an image by its first bytes.
import type { SentImage } from '../../upstream/media-port.ts'

const signatures: readonly (readonly [offset: number, text: string, mimeType: SentImage['mimeType']])[] = [
  [0, '\u0089PNG', 'image/png'],
  [0, '\u00ff\u00d8\u00ff', 'image/jpeg'],
  [8, 'WEBP', 'image/webp'],
]

/** Null for a file that is not PNG, JPEG or WebP. */
export function recogniseImage(bytes: Uint8Array): SentImage | null {
  const mimeType = readImageType(bytes)
  if (mimeType === null) return null
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  return { mimeType, base64 }
}

/** The same without the bytes. */
export function readImageType(bytes: Uint8Array): SentImage['mimeType'] | null {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  return signatures.find(([offset, text]) => head.startsWith(text, offset))?.[2] ?? null
}
