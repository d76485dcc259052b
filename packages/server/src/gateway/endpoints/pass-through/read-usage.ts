// What a reply says it used, found in its bytes without building the values of what it delivers.
import type { CatalogModel } from '../../../catalog/types.ts'
import { mapUsage } from '../../../upstream/gemini/chat/map-usage.ts'
import { asRecord, isPresent, type JsonRecord } from '../../../upstream/narrow-json.ts'
import type { UsageReport } from '../../../upstream/port.ts'
import { emptyAnswer } from '../../../upstream/upstream-failure.ts'
import { type JsonPath, walkJson } from '../../../upstream/walk-json.ts'

/** One reply, or one event of a stream. */
export type ReplySummary = {
  readonly usage: UsageReport
  /** An error that stands where a reply should be; null when none does. */
  readonly error: JsonRecord | null
  /** How many candidates end with this reply; a refused prompt ends all of them. */
  readonly finished: number
  readonly isRefused: boolean
  /** Bytes of text and calls, from which a stream without usage is estimated. */
  readonly textBytes: number
  readonly hasAudio: boolean
  readonly images: number
  readonly vectors: number
  /** True for a reply with a candidate, a refusal or a use: without these it is none. */
  readonly holdsAnswer: boolean
}

/** Throws SyntaxError for bytes that are no JSON. */
export function summariseReply(bytes: Uint8Array): ReplySummary {
  const root: Record<string, unknown> = {}
  const groundings: unknown[] = []
  let finished = 0
  let textBytes = 0
  let hasAudio = false
  let images = 0
  let vectors = 0
  let hasContent = false
  const read = (start: number, end: number): unknown =>
    JSON.parse(Buffer.from(bytes.subarray(start, end)).toString())
  walkJson(bytes, {
    skipsDeep: true,
    member: (path, start, end) => {
      const [first, , third] = path
      if (path.length === 1) {
        if (first === 'usageMetadata' || first === 'error' || first === 'promptFeedback')
          root[first] = read(start, end)
      } else if (path.length === 2 && first === 0 && path[1] === 'error') {
        // Errors come in lists too.
        root.error = read(start, end)
      } else if (first === 'candidates' && path.length === 3) {
        if (third === 'groundingMetadata') groundings.push(read(start, end))
        else if (third === 'finishReason') finished += 1
        if (third === 'finishReason' || third === 'content') hasContent = true
      } else if (isPart(path) && path.length === 6) {
        if (path[5] === 'text' || path[5] === 'functionCall') textBytes += end - start
      } else if (isPart(path) && path[5] === 'inlineData' && path[6] === 'mimeType') {
        if (String(read(start, end)).startsWith('audio/')) hasAudio = true
      } else if (first === 'predictions' && path.length === 3 && third === 'bytesBase64Encoded') {
        // More than the two quotes.
        if (end - start > 2) images += 1
      } else if (isVector(path) && end - start > 2) {
        vectors += 1
      }
    },
  })
  const candidates = groundings.map(groundingMetadata => ({ groundingMetadata }))
  const usage = mapUsage({ usageMetadata: root.usageMetadata, candidates })
  const isRefused = asRecord(root.promptFeedback)?.blockReason !== undefined
  const error = isPresent(root.error) ? (asRecord(root.error) ?? { message: root.error }) : null
  const holdsAnswer = error === null && (hasContent || isRefused || usage.kind !== 'absent')
  return { usage, error, finished, isRefused, textBytes, hasAudio, images, vectors, holdsAnswer }
}

/** `embedding.values` or `embeddings[0].values` */
function isVector(path: JsonPath): boolean {
  if (path.at(-1) !== 'values') return false
  return path.length === 2 ? path[0] === 'embedding' : path.length === 3 && path[0] === 'embeddings'
}

/** `candidates[0].content.parts[0].…` */
function isPart(path: JsonPath): boolean {
  return path[0] === 'candidates' && path[2] === 'content' && path[3] === 'parts'
}

/**
 * What is charged for a whole reply. Throws ApiError `upstream_error` for one that holds nothing, or an error: nothing was
 * done. A reply that is JSON and cannot be read here is an answer without usage.
 */
export function readUsage(bytes: Uint8Array, model: CatalogModel): UsageReport {
  const summary = trySummarise(bytes)
  if (summary === null) return { kind: 'absent' }
  // `{}` says that every image was filtered.
  if (model.modality === 'imggen') {
    if (summary.error !== null) throw emptyAnswer()
    return { kind: 'counted', units: { image: summary.images } }
  }
  if (!summary.holdsAnswer) throw emptyAnswer()
  // Music is billed by the piece, whatever tokens are reported.
  if (model.modality === 'music') return { kind: 'counted', units: summary.hasAudio ? { song: 1 } : {} }
  return summary.usage
}

/** Throws ApiError `upstream_error` for a reply without a vector. */
export function requireVectors(bytes: Uint8Array): void {
  const summary = trySummarise(bytes)
  if (summary !== null && (summary.error !== null || summary.vectors === 0)) throw emptyAnswer()
}

/** Null for JSON that is nested too deeply to be walked. Throws ApiError `upstream_error` for what is no object at all. */
function trySummarise(bytes: Uint8Array): ReplySummary | null {
  try {
    if (startsObject(bytes)) return summariseReply(bytes)
  } catch {
    if (isJson(bytes)) return null
  }
  throw emptyAnswer()
}

function startsObject(bytes: Uint8Array): boolean {
  const first = bytes.findIndex(byte => byte > 0x20)
  return bytes[first] === 0x7b
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(bytes).toString())
    return true
  } catch {
    return false
  }
}
