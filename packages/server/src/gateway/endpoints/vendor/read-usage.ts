// What a reply says it used, found in its bytes without building the values of what it delivers.
import type { CatalogModel } from '../../../catalog/types.ts'
import { asRecord, type JsonRecord } from '../../../upstream/narrow-json.ts'
import type { UsageReport } from '../../../upstream/port.ts'
import { mapUsage } from '../../../upstream/vendor/chat/map-usage.ts'
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
  readonly hasSound: boolean
  readonly pictures: number
}

/** Throws SyntaxError for bytes that are no JSON. */
export function summariseReply(bytes: Uint8Array): ReplySummary {
  const root: Record<string, unknown> = {}
  const groundings: unknown[] = []
  let finished = 0
  let textBytes = 0
  let hasSound = false
  let pictures = 0
  const read = (start: number, end: number): unknown =>
    JSON.parse(Buffer.from(bytes.subarray(start, end)).toString())
  walkJson(bytes, {
    skipsDeep: true,
    member: (path, start, end) => {
      const [first, , third] = path
      if (path.length === 1) {
        if (first === 'usageMetadata' || first === 'error' || first === 'promptFeedback')
          root[first] = read(start, end)
      } else if (first === 'candidates' && path.length === 3) {
        if (third === 'groundingMetadata') groundings.push(read(start, end))
        else if (third === 'finishReason') finished += 1
      } else if (isPart(path) && path.length === 6) {
        if (path[5] === 'text' || path[5] === 'functionCall') textBytes += end - start
      } else if (isPart(path) && path[5] === 'inlineData' && path[6] === 'mimeType') {
        if (String(read(start, end)).startsWith('audio/')) hasSound = true
      } else if (first === 'predictions' && path.length === 3 && third === 'bytesBase64Encoded') {
        // More than the two quotes.
        if (end - start > 2) pictures += 1
      }
    },
  })
  const candidates = groundings.map(groundingMetadata => ({ groundingMetadata }))
  const usage = mapUsage({ usageMetadata: root.usageMetadata, candidates })
  const isRefused = asRecord(root.promptFeedback)?.blockReason !== undefined
  return { usage, error: asRecord(root.error), finished, isRefused, textBytes, hasSound, pictures }
}

/** `candidates[0].content.parts[0].…` */
function isPart(path: JsonPath): boolean {
  return path[0] === 'candidates' && path[2] === 'content' && path[3] === 'parts'
}

/** What is charged for a whole reply; absent where it cannot be read. */
export function readUsage(bytes: Uint8Array, model: CatalogModel): UsageReport {
  try {
    const { usage, hasSound, pictures } = summariseReply(bytes)
    // A song and a picture of an image model are billed by the piece, whatever tokens are reported.
    if (model.modality === 'music') return { kind: 'counted', units: hasSound ? { song: 1 } : {} }
    if (model.modality === 'imggen') return { kind: 'counted', units: { image: pictures } }
    return usage
  } catch {
    return { kind: 'absent' }
  }
}
