// Finds the usage in the bytes of a reply, without building the values of what it delivers.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import { mapUsage } from '../../../upstream/gemini/chat/map-usage.ts'
import { asRecord, isPresent, type JsonRecord, parseOrNull } from '../../../upstream/narrow-json.ts'
import type { UsageReport } from '../../../upstream/port.ts'
import { emptyAnswer } from '../../../upstream/upstream-failure.ts'
import { type JsonPath, walkJson } from '../../../upstream/walk-json.ts'

/** One reply, or one event of a stream. */
export type ReplySummary = {
  readonly usage: UsageReport
  /** An error in place of a reply; null if there is none. */
  readonly error: JsonRecord | null
  /** How many candidates end with this reply; a refused prompt ends all of them. */
  readonly finished: number
  readonly isRefused: boolean
  /** Bytes of text and calls, from which a stream without usage is estimated. */
  readonly textBytes: number
  readonly hasAudio: boolean
  readonly images: number
  readonly vectors: number
  /** True for a reply with a candidate, a refusal or usage: without these it is not a reply. */
  readonly holdsAnswer: boolean
}

/** Throws SyntaxError for bytes that are not JSON. */
function summariseReply(bytes: Uint8Array): ReplySummary {
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
 * The charge for a whole reply. Throws ApiError `upstream_error` for an empty one, or an error: nothing was done. A reply that is JSON
 * but cannot be read here is an answer without usage.
 */
export function readUsage(bytes: Uint8Array, model: CatalogModel): UsageReport {
  const summary = requireSummary(bytes)
  if (summary === null) return { kind: 'absent' }
  // `{}` means that every image was filtered.
  if (model.modality === 'imggen') {
    if (summary.error !== null) throw emptyAnswer()
    return { kind: 'counted', units: { image: summary.images } }
  }
  if (!summary.holdsAnswer) throw emptyAnswer()
  // Music is billed by the piece, regardless of reported tokens.
  if (model.modality === 'music') return { kind: 'counted', units: summary.hasAudio ? { song: 1 } : {} }
  return summary.usage
}

/** Throws ApiError `upstream_error` for a reply without a vector. */
export function requireVectors(bytes: Uint8Array): void {
  const summary = requireSummary(bytes)
  if (summary !== null && (summary.error !== null || summary.vectors === 0)) throw emptyAnswer()
}

/** Null for JSON that is nested too deeply to be walked. Throws ApiError `upstream_error` if it is not an object. */
function requireSummary(bytes: Uint8Array): ReplySummary | null {
  const summary = startsObject(bytes) ? trySummarise(bytes) : null
  if (summary !== null || (startsObject(bytes) && parseOrNull(Buffer.from(bytes).toString()) !== null))
    return summary
  throw emptyAnswer()
}

function startsObject(bytes: Uint8Array): boolean {
  return bytes[bytes.findIndex(byte => byte > 0x20)] === 0x7b
}

// Follows a stream: its usage so far, whether it has ended, and whether it contains an error.

export class StreamMeter {
  /** The last reported usage, which is cumulative; null before the first. */
  usage: UsageReport | null = null
  textBytes = 0
  /** Something came that is an answer, a refusal or usage, or that cannot be read. */
  hasBegun = false
  private readonly model: CatalogModel
  private readonly candidates: number
  private searches = 0
  private finished = 0
  private hasAudio = false
  private isReadable = true

  /** `candidates`: how many must end before the stream has ended. */
  constructor(model: CatalogModel, candidates: number) {
    this.model = model
    this.candidates = candidates
  }

  /** Reads one piece and returns the error in it. Throws ApiError for JSON that is not an object: nothing in it is metered. */
  read(payload: Uint8Array | null): { readonly status: number; readonly body: object } | null {
    if (payload === null) return null
    const summary = trySummarise(payload)
    if (summary === null) {
      this.hasBegun = true
      this.isReadable = false
      return null
    }
    if (summary.error !== null) {
      const { code } = summary.error
      return { status: typeof code === 'number' ? code : 500, body: { error: summary.error } }
    }
    if (!startsObject(payload))
      throw new ApiError('upstream_error', {
        message: 'The model provider sent a stream event that is not a reply.',
      })
    this.hasBegun ||= summary.holdsAnswer
    if (summary.usage.kind !== 'absent') this.usage = this.keepSearches(summary.usage)
    this.textBytes += summary.textBytes
    this.hasAudio ||= summary.hasAudio
    this.finished += summary.isRefused ? this.candidates : summary.finished
    return null
  }

  /** The usage of a complete stream; absent if a piece of it could not be read. */
  get wholeUsage(): UsageReport {
    return this.isReadable ? (this.usage ?? { kind: 'absent' }) : { kind: 'absent' }
  }

  /** For models that are billed by the piece, otherwise null. `isWhole`: the stream is complete. */
  countPieces(isWhole: boolean): UsageReport | null {
    if (this.model.modality !== 'music') return null
    // A piece of music that was ordered but not waited for is billed: it was under way.
    return { kind: 'counted', units: this.hasAudio || !isWhole ? { song: 1 } : {} }
  }

  /** All candidates have ended: this piece or the next is the last. */
  get hasEnded(): boolean {
    return this.finished >= this.candidates
  }

  /** All candidates have ended, and their usage is known. */
  get hasSaidAll(): boolean {
    return this.hasEnded && (this.usage !== null || this.model.modality === 'music')
  }

  /** Tokens are repeated in each piece, searches only in the one that cites them. */
  private keepSearches(report: UsageReport): UsageReport {
    if (report.kind !== 'reported') return report
    this.searches = Math.max(this.searches, report.usage.searches ?? 0)
    if (this.searches === 0) return report
    return { kind: 'reported', usage: { ...report.usage, searches: this.searches } }
  }
}

/** Null if it cannot be read. */
function trySummarise(payload: Uint8Array): ReplySummary | null {
  try {
    return summariseReply(payload)
  } catch {
    return null
  }
}
