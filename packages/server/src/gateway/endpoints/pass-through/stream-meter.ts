// Reads along with a stream: what it has used so far, whether it has ended, and whether an error stands in it.
import type { CatalogModel } from '../../../catalog/types.ts'
import type { UsageReport } from '../../../upstream/port.ts'
import { type ReplySummary, summariseReply } from './read-usage.ts'

export type StreamMeter = {
  /** Takes in one piece; answers the error that it holds. */
  readonly read: (payload: Uint8Array | null) => { readonly status: number; readonly body: object } | null
  /** The last usage that was reported, which is cumulative; null before the first. */
  readonly usage: () => UsageReport | null
  /** That of a stream that came to its end; absent when a piece of it could not be read. */
  readonly wholeUsage: () => UsageReport
  readonly textBytes: () => number
  /** For models that are billed by the piece, else null. `isWhole`: the stream has come to its end. */
  readonly pieces: (isWhole: boolean) => UsageReport | null
  /** Something came that is an answer, a refusal or a use, or that cannot be read. */
  readonly hasBegun: () => boolean
  /** All candidates have ended: what follows, or this piece, is the last. */
  readonly hasEnded: () => boolean
  /** All candidates have ended, and what they are charged by is known. */
  readonly hasSaidAll: () => boolean
}

export function createStreamMeter(model: CatalogModel, candidates: number): StreamMeter {
  let usage: UsageReport | null = null
  let searches = 0
  let textBytes = 0
  let finished = 0
  let hasAudio = false
  let hasBegun = false
  let isReadable = true

  /** Tokens are told again with each piece, searches only with the one that cites them. */
  const keepSearches = (report: UsageReport): UsageReport => {
    if (report.kind !== 'reported') return report
    searches = Math.max(searches, report.usage.searches ?? 0)
    return searches === 0 ? report : { kind: 'reported', usage: { ...report.usage, searches } }
  }

  return {
    read: payload => {
      if (payload === null) return null
      const summary = trySummarise(payload)
      if (summary === null) {
        hasBegun = true
        isReadable = false
        return null
      }
      if (summary.error !== null) {
        const { code } = summary.error
        return { status: typeof code === 'number' ? code : 500, body: { error: summary.error } }
      }
      hasBegun ||= summary.holdsAnswer
      if (summary.usage.kind !== 'absent') usage = keepSearches(summary.usage)
      textBytes += summary.textBytes
      hasAudio ||= summary.hasAudio
      finished += summary.isRefused ? candidates : summary.finished
      return null
    },
    usage: () => usage,
    wholeUsage: () => (isReadable ? (usage ?? { kind: 'absent' }) : { kind: 'absent' }),
    textBytes: () => textBytes,
    pieces: isWhole => {
      if (model.modality !== 'music') return null
      // A song that was ordered and not waited for is billed: it was under way.
      return { kind: 'counted', units: hasAudio || !isWhole ? { song: 1 } : {} }
    },
    hasBegun: () => hasBegun,
    hasEnded: () => finished >= candidates,
    hasSaidAll: () => finished >= candidates && (usage !== null || model.modality === 'music'),
  }
}

/** What cannot be read is relayed all the same. */
function trySummarise(payload: Uint8Array): ReplySummary | null {
  try {
    return summariseReply(payload)
  } catch {
    return null
  }
}
