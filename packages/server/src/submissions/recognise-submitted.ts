// Decides by its content whether a file can be handed in: documents, images, audio, video, archives and text. Programs are left out.
import { isUtf8 } from 'node:buffer'
import { headBytes, recogniseType } from '../files/recognise-type.ts'

export const acceptedTypes = 'PDF, images, audio, MP4, ZIP (also Office documents) and UTF-8 text'

const unknownType = recogniseType(new Uint8Array(), '', '')
/** Also the form of Office documents. */
const zipSignature = 'PK\u0003\u0004'

/** Null for anything else. The name and the declared type do not count. */
export function recogniseSubmitted(content: Uint8Array): string | null {
  const head = content.subarray(0, headBytes)
  const found = recogniseType(head, '', '')
  if (found !== unknownType) return found
  if (Buffer.from(head).toString('latin1').startsWith(zipSignature)) return 'application/zip'
  return content.includes(0) || !isUtf8(content) ? null : 'text/plain'
}
