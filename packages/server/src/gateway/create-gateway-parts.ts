// Composes what the gateway door is made from.
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Settings } from '../config/settings-file.ts'
import type { CallCorrections } from '../directory/correction-commands.ts'
import type { Log } from '../http/log.ts'
import type { Metrics } from '../http/metrics.ts'
import { FairLines } from '../limits/fair/fair-lines.ts'
import type { Ledger } from '../limits/start-ledger.ts'
import type { Readiness } from '../process/readiness.ts'
import type { Store } from '../store/store.ts'
import type { Upstreams } from '../upstream/create-upstreams.ts'
import { createImageInliner } from '../upstream/remote-media/create-image-inliner.ts'
import { resolveHost } from '../upstream/remote-media/find-public-address.ts'
import { createByteBudget } from '../upstream/reply-limits.ts'
import type { Videos } from '../videos/create-videos.ts'
import { after } from '../world/timers.ts'
import type { GatewayParts } from './app.ts'
import { watchCharges } from './watch-charges.ts'

/** What these need not be made from is given on as it is. */
export type GatewaySources = Pick<
  GatewayParts,
  | 'clock'
  | 'event'
  | 'announcements'
  | 'catalog'
  | 'records'
  | 'calls'
  | 'coverage'
  | 'publicUrl'
  | 'isLedgerHealthy'
  | 'awaitLedgerHealth'
  | 'uncharged'
  | 'encodeMp3'
> & {
  readonly settings: Settings
  readonly store: Store
  readonly ledger: Ledger
  readonly corrections: Pick<CallCorrections, 'refundLostAnswer'>
  readonly callRecord: Pick<GatewayParts, 'digestTexts' | 'recordUncharged' | 'stopwatch'>
  readonly upstreams: Upstreams
  readonly videos: Videos
  readonly readiness: Pick<Readiness, 'isStopped'>
  readonly metrics: Pick<Metrics, 'observeRefusal' | 'observeCharge' | 'watchLines'>
  readonly log: Pick<Log, 'warn'>
}

const mebibyte = 1024 * 1024
const imageTimeoutMs = 15_000
const retryMs = 1000

export function createGatewayParts(sources: GatewaySources): GatewayParts {
  const {
    settings,
    store,
    ledger,
    corrections,
    callRecord,
    upstreams,
    videos,
    readiness,
    metrics,
    log,
    ...given
  } = sources
  const { limits, idempotency } = settings
  return {
    ...given,
    ...callRecord,
    limits: ledger.limits,
    ...createFairness(ledger, limits.queue_seconds * 1000, given.clock, metrics),
    writer: ledger.writer,
    observeCharge: watchCharges(metrics, log),
    observeRefusal: metrics.observeRefusal,
    after,
    upstream: upstreams.chat,
    media: upstreams.media,
    relay: upstreams.relay,
    videoUpstream: upstreams.video,
    videoRelay: upstreams.videoRelay,
    countInput: (request, model, outputCap, signal, team) =>
      upstreams.chat.countTokens({ request, model, outputCap }, signal, team).catch(() => null),
    inlineImages: createImageInliner({ resolve: resolveHost, fetch, timeoutMs: imageTimeoutMs }),
    videoReads: videos.reads,
    videoWrites: { ...ledger.videoWrites, hideVideoTask: store.write.hideVideoTask },
    videoFiles: videos.files,
    reportMissingCopy: videos.reportMissingCopy,
    reportLeftCopy: videos.reportLeftCopy,
    newVideoId: () => `video_${randomBytes(16).toString('hex')}`,
    videoDeadlineMs: settings.videos.deadline_minutes * 60_000,
    expectVideo: videos.watch.expect,
    noteProgress: videos.noteProgress,
    waitToRetry: async () => {
      await setTimeout(retryMs)
      return !readiness.isStopped()
    },
    idempotentCalls: store,
    refundLostAnswer: callId => corrections.refundLostAnswer(callId),
    processId: () => ledger.lease.process().processId,
    recording: {
      mostBytes: idempotency.max_answer_mebibytes * mebibyte,
      recordedBytes: createByteBudget(idempotency.max_recording_mebibytes * mebibyte),
    },
    reportUnkeptReply: (error, callId) =>
      log.warn({ err: error, call_id: callId }, 'The answer to an idempotent call could not be kept.'),
    minimumUsefulOutput: limits.min_useful_output,
    maxBodyBytes: limits.max_body_mebibytes * mebibyte,
    reportError: (error, callId) =>
      log.warn({ err: error, call_id: callId }, 'A call ended with an error after its reply had begun.'),
  }
}

/** Nobody waits where the settings say so. */
function createFairness(
  { limits: { admit }, joinLines }: Pick<Ledger, 'limits' | 'joinLines'>,
  queueMs: number,
  clock: () => number,
  metrics: Pick<Metrics, 'watchLines'>,
): Pick<GatewayParts, 'fairLines' | 'queueMs'> {
  if (queueMs === 0) return {}
  const fairLines = new FairLines({ admit, clock, after })
  metrics.watchLines(() => fairLines.countWaiting())
  joinLines?.(fairLines)
  return { fairLines, queueMs }
}
