// Measures an image, audio, video or document that comes with a prompt, in the vendor's tokens.
import { countTokens } from '../count-tokens.ts'
import type { FindFile } from '../files/answer-files.ts'
import { decodeBase64, invalid, type Json, member, optionalText } from '../json.ts'
import { readWavSeconds } from '../media/wav.ts'

export type Modality = 'TEXT' | 'IMAGE' | 'AUDIO' | 'VIDEO' | 'DOCUMENT'

export type Medium = {
  readonly modality: Modality
  readonly tokens: number
  readonly bytes: Uint8Array
  /** Length of an audio file; 0 for everything else. */
  readonly seconds: number
}

const imageTokens = 258
const pageTokens = 258
const audioTokensPerSecond = 32
const videoTokensPerSecond = 263
/** Bytes per second to assume when the length cannot be read: MP3 at 128 kbit/s, video at 1 Mbit/s. */
const audioBytesPerSecond = 16_000
const videoBytesPerSecond = 125_000

/** `inlineData` of a part. Throws VendorError 400 without a type or with broken Base64. */
export function readInlineData(data: Json, place: string): Medium {
  const mimeType = optionalText(data, 'mimeType')
  if (mimeType === undefined || mimeType === '') {
    throw invalid(`* GenerateContentRequest.${place}.inline_data.mime_type: mime_type is required.`)
  }
  return measureMedium(mimeType, decodeBase64(member(data, 'data'), `${place}.inline_data.data`))
}

/** `fileData` of a part: an uploaded file. The sandbox loads nothing from elsewhere, so there the name replaces the content. */
export function readFileData(data: Json, place: string, findFile: FindFile): Medium {
  const uri = optionalText(data, 'fileUri')
  if (uri === undefined || uri === '') {
    throw invalid(`* GenerateContentRequest.${place}.file_data.file_uri: file_uri is required.`)
  }
  const file = findFile(uri)
  const mimeType = optionalText(data, 'mimeType')
  return file === null
    ? measureMedium(mimeType ?? 'image/png', new TextEncoder().encode(uri))
    : measureMedium(mimeType ?? file.mimeType, file.bytes)
}

export function measureMedium(mimeType: string, bytes: Uint8Array): Medium {
  const kind = mimeType.toLowerCase().split('/')[0]
  if (kind === 'image') return { modality: 'IMAGE', tokens: imageTokens, bytes, seconds: 0 }
  if (kind === 'audio') {
    const seconds = readWavSeconds(bytes) ?? bytes.length / audioBytesPerSecond
    return {
      modality: 'AUDIO',
      tokens: Math.max(1, Math.ceil(seconds * audioTokensPerSecond)),
      bytes,
      seconds,
    }
  }
  if (kind === 'video') {
    const seconds = Math.max(1, Math.ceil(bytes.length / videoBytesPerSecond))
    return { modality: 'VIDEO', tokens: seconds * videoTokensPerSecond, bytes, seconds: 0 }
  }
  if (mimeType.toLowerCase() === 'application/pdf') {
    return { modality: 'DOCUMENT', tokens: countPages(bytes) * pageTokens, bytes, seconds: 0 }
  }
  if (kind === 'text' || mimeType.toLowerCase() === 'application/json') {
    return { modality: 'TEXT', tokens: countTokens(new TextDecoder().decode(bytes)), bytes, seconds: 0 }
  }
  throw invalid(`Unsupported MIME type: ${mimeType}`)
}

/**
 * Counts the leaves of the page tree, each once per reference from a parent, or the page objects if there are more. A document that
 * compresses them counts as one page.
 */
export function countPages(bytes: Uint8Array): number {
  const text = Buffer.from(bytes).toString('latin1')
  const objects = text.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0
  const nodes = text.match(/\/Kids\s*\[[^\]]*\]/g) ?? []
  const kids = nodes.reduce((sum, node) => sum + (node.match(/\d+\s+\d+\s+R/g)?.length ?? 0), 0)
  return Math.max(1, objects, kids - Math.max(0, nodes.length - 1))
}
