// Parses data URLs in requests and lists the image types that the models accept.

export type DataUrl = { readonly mimeType: string; readonly base64: string }

export const imageTypes: readonly string[] = [
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/heic',
  'image/heif',
]

/** Parses `data:<type>;base64,<data>`; null for anything else. Drops other parameters of the type. Does not check the data. */
export function readDataUrl(url: string): DataUrl | null {
  const comma = url.indexOf(',')
  if (comma < 0 || comma > 200) return null
  const head = /^data:([\w.+-]+\/[\w.+-]+)(?:;[^;,]*)*;base64$/i.exec(url.slice(0, comma))
  const mimeType = head?.[1]?.toLowerCase()
  if (mimeType === undefined) return null
  return { mimeType: mimeType === 'image/jpg' ? 'image/jpeg' : mimeType, base64: url.slice(comma + 1) }
}

/** True for base64 of at least one byte, in either alphabet, padded or not. */
export function isBase64(text: string): boolean {
  return /^[\w+/-]{2,}={0,2}$/.test(text)
}

/** Number of bytes that the base64 decodes to. */
export function countBytes(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.floor(((base64.length - padding) * 3) / 4)
}
