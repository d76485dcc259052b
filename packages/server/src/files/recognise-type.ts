// Recognises the type of an uploaded file by its first bytes. The declared type counts only if they say nothing.

const signatures: readonly (readonly [offset: number, text: string, mimeType: string])[] = [
  [0, '%PDF-', 'application/pdf'],
  [0, '\u0089PNG', 'image/png'],
  [0, '\u00ff\u00d8\u00ff', 'image/jpeg'],
  [8, 'WEBP', 'image/webp'],
  [4, 'ftyphei', 'image/heic'],
  [4, 'ftypmif1', 'image/heif'],
  [4, 'ftypM4A', 'audio/mp4'],
  [4, 'ftyp', 'video/mp4'],
  [8, 'WAVE', 'audio/wav'],
  [0, 'ID3', 'audio/mpeg'],
  [0, '\u00ff\u00fb', 'audio/mpeg'],
  [0, '\u00ff\u00f3', 'audio/mpeg'],
]

/** Enough for every signature. */
export const headBytes = 16

const textNames = /\.(?:txt|md|markdown|csv|tsv|json|jsonl|xml|ya?ml|html?|log|py|js|ts|tex)$/i
const wellFormed = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/
const unknownType = 'application/octet-stream'

/** `declared`: by the client, possibly with parameters or empty. `head`: the first `headBytes` of the file. */
export function recogniseType(head: Uint8Array, declared: string, filename: string): string {
  const start = Buffer.from(head.subarray(0, headBytes)).toString('latin1')
  const found = signatures.find(([offset, text]) => start.startsWith(text, offset))
  if (found !== undefined) return found[2]
  const type = declared.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type !== unknownType && wellFormed.test(type)) return type
  return textNames.test(filename) ? 'text/plain' : unknownType
}

/** A file that models can read as text. */
export function isText(mimeType: string): boolean {
  return /^text\/|^application\/(?:json|xml|yaml|x-yaml|javascript|x-ndjson|jsonl|csv)$/.test(mimeType)
}
