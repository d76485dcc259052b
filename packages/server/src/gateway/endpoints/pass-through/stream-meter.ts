// Reads along with a stream: what it has used so far, whether it has ended, and whether an error stands in it.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { UsageReport } from '../../../upstream/port.ts'
import { type ReplySummary, summariseReply } from './read-usage.ts'

export class StreamMeter {
  /** The last usage that was reported, which is cumulative; null before the first. */
  usage: UsageReport | null = null
  textBytes = 0
  /** Something came that is an answer, a refusal or a use, or that cannot be read. */
  hasBegun = false
  private readonly model: CatalogModel
  private readonly candidates: number
  private searches = 0
  private finished = 0
  private hasAudio = false
  private isReadable = true

  /** `candidates`: how many must have ended before the stream has. */
  constructor(model: CatalogModel, candidates: number) {
    this.model = model
    this.candidates = candidates
  }

  /** Takes in one piece; answers the error that it holds. Throws ApiError for JSON that is no object: nothing in it is metered. */
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
    if (!isObject(payload))
      throw new ApiError('upstream_error', { message: 'The model provider sent a piece that is no reply.' })
    this.hasBegun ||= summary.holdsAnswer
    if (summary.usage.kind !== 'absent') this.usage = this.keepSearches(summary.usage)
    this.textBytes += summary.textBytes
    this.hasAudio ||= summary.hasAudio
    this.finished += summary.isRefused ? this.candidates : summary.finished
    return null
  }

  /** That of a stream that came to its end; absent when a piece of it could not be read. */
  get wholeUsage(): UsageReport {
    return this.isReadable ? (this.usage ?? { kind: 'absent' }) : { kind: 'absent' }
  }

  /** For models that are billed by the piece, else null. `isWhole`: the stream has come to its end. */
  countPieces(isWhole: boolean): UsageReport | null {
    if (this.model.modality !== 'music') return null
    // A piece of music that was ordered and not waited for is billed: it was under way.
    return { kind: 'counted', units: this.hasAudio || !isWhole ? { song: 1 } : {} }
  }

  /** All candidates have ended: what follows, or this piece, is the last. */
  get hasEnded(): boolean {
    return this.finished >= this.candidates
  }

  /** All candidates have ended, and what they are charged by is known. */
  get hasSaidAll(): boolean {
    return this.hasEnded && (this.usage !== null || this.model.modality === 'music')
  }

  /** Tokens are told again with each piece, searches only with the one that cites them. */
  private keepSearches(report: UsageReport): UsageReport {
    if (report.kind !== 'reported') return report
    this.searches = Math.max(this.searches, report.usage.searches ?? 0)
    if (this.searches === 0) return report
    return { kind: 'reported', usage: { ...report.usage, searches: this.searches } }
  }
}

function isObject(json: Uint8Array): boolean {
  return json.find(byte => !spaces.has(byte)) === openObject
}

const spaces = new Set(Buffer.from(' \t\r\n'))
const openObject = 0x7b

/** What cannot be read is relayed all the same. */
function trySummarise(payload: Uint8Array): ReplySummary | null {
  try {
    return summariseReply(payload)
  } catch {
    return null
  }
}
