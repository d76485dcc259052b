// Composes what the gateway door is made from, part by part.
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

export type GatewaySources = Pick<
  GatewayParts,
  'clock' | 'event' | 'announcements' | 'catalog' | 'records' | 'calls' | 'coverage'
> & {
  readonly settings: Settings
  /** The address that clients are told. */
  readonly publicUrl: () => string
  readonly store: Store
  /** Nothing that costs money may start while its charge could not be written, or its key may have been blocked meanwhile. */
  readonly isLedgerHealthy: () => boolean
  readonly awaitLedgerHealth: () => Promise<boolean>
  readonly ledger: Ledger
  readonly corrections: Pick<CallCorrections, 'refundLostAnswer'>
  readonly uncharged: GatewayParts['ledger']['uncharged']
  readonly callRecord: GatewayParts['record']
  readonly upstreams: Upstreams
  readonly videos: Videos
  readonly encodeMp3: GatewayParts['upstreams']['encodeMp3']
  readonly readiness: Pick<Readiness, 'isStopped'>
  readonly metrics: Pick<Metrics, 'observeRefusal' | 'observeCharge' | 'watchLines'>
  readonly log: Pick<Log, 'warn'>
}

const mebibyte = 1024 * 1024
const imageTimeoutMs = 15_000
const retryMs = 1000

export function createGatewayParts(sources: GatewaySources): GatewayParts {
  const {
    clock,
    event,
    announcements,
    catalog,
    records,
    calls,
    coverage,
    settings,
    publicUrl,
    store,
    ledger,
  } = sources
  const {
    upstreams,
    videos,
    encodeMp3,
    uncharged,
    callRecord,
    isLedgerHealthy,
    awaitLedgerHealth,
    readiness,
    metrics,
    log,
  } = sources
  const { limits, idempotency } = settings
  return {
    clock,
    event,
    announcements,
    catalog,
    records,
    calls,
    coverage,
    ledger: {
      limits: ledger.limits,
      ...createFairness(ledger, limits.queue_seconds * 1000, clock, metrics),
      writer: ledger.writer,
      isLedgerHealthy,
      awaitLedgerHealth,
      observeCharge: watchCharges(metrics, log),
      observeRefusal: metrics.observeRefusal,
      uncharged,
      after,
    },
    upstreams: {
      upstream: upstreams.chat,
      media: upstreams.media,
      relay: upstreams.relay,
      videoUpstream: upstreams.video,
      videoRelay: upstreams.videoRelay,
      countInput: (request, model, outputCap, signal, team) =>
        upstreams.chat.countTokens({ request, model, outputCap }, signal, team).catch(() => null),
      inlineImages: createImageInliner({ resolve: resolveHost, fetch, timeoutMs: imageTimeoutMs }),
      encodeMp3,
    },
    videos: {
      videoReads: videos.reads,
      videoWrites: { ...ledger.videoWrites, hideVideoTask: store.write.hideVideoTask },
      videoFiles: videos.files,
      reportMissingCopy: videos.reportMissingCopy,
      reportLeftCopy: videos.reportLeftCopy,
      newVideoId: () => `video_${randomBytes(16).toString('hex')}`,
      videoDeadlineMs: settings.videos.deadline_minutes * 60_000,
      expectVideo: videos.watch.expect,
      waitToRetry: async () => {
        await setTimeout(retryMs)
        return !readiness.isStopped()
      },
      noteProgress: videos.noteProgress,
    },
    idempotency: {
      idempotentCalls: store,
      refundLostAnswer: callId => sources.corrections.refundLostAnswer(callId),
      processId: () => ledger.lease.process().processId,
      recording: {
        mostBytes: idempotency.max_answer_mebibytes * mebibyte,
        recordedBytes: createByteBudget(idempotency.max_recording_mebibytes * mebibyte),
      },
      reportUnkeptReply: (error, callId) =>
        log.warn({ err: error, call_id: callId }, 'The answer to an idempotent call could not be kept.'),
    },
    record: callRecord,
    settings: {
      minimumUsefulOutput: limits.min_useful_output,
      maxBodyBytes: limits.max_body_mebibytes * mebibyte,
      publicUrl,
    },
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
): Pick<GatewayParts['ledger'], 'fairLines' | 'queueMs'> {
  if (queueMs === 0) return {}
  const fairLines = new FairLines({ admit, clock, after })
  metrics.watchLines(() => fairLines.countWaiting())
  joinLines?.(fairLines)
  return { fairLines, queueMs }
}
