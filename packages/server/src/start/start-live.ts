// Starts what organisers watch: the figures of the moment, and the stream that follows them.

import { type AttentionDependencies, listConditions } from '../admin/overview/attention-routes.ts'
import { keepSettledSums } from '../admin/overview/keep-settled-sums.ts'
import { KeptCoverage, type KeptCoverageDependencies } from '../admin/overview/kept-coverage.ts'
import {
  type LiveFigures,
  type LiveFiguresDependencies,
  readLiveFigures,
} from '../admin/overview/live-figures.ts'
import { LiveFeed } from '../admin/stream/live-feed.ts'
import { createLiveSources, type LiveSourcesDependencies } from '../admin/stream/live-sources.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { Log } from '../http/log.ts'
import { WindowPeaks } from '../limits/windows/window-peaks.ts'
import { isReportedByStore } from '../store/store-unavailable.ts'
import { every } from './timers.ts'
import { type WatchWindowsParts, watchWindows } from './watch-windows.ts'

export type LiveParts = Omit<LiveFiguresDependencies, 'coverage'> & {
  readonly attention: AttentionDependencies['attention']
  readonly read: LiveFiguresDependencies['read'] &
    AttentionDependencies['read'] &
    LiveSourcesDependencies['read']
  readonly coverage: LiveSourcesDependencies['coverage'] & KeptCoverageDependencies['coverage']
  readonly readReadiness: LiveSourcesDependencies['readReadiness']
  readonly directory: Pick<Directory, 'eventVersion' | 'announcements'> & LiveSourcesDependencies['directory']
  /** Monotonic ms. */
  readonly stopwatch: () => number
  readonly log: Pick<Log, 'error'>
} & Pick<WatchWindowsParts, 'limits' | 'catalog' | 'directory'>

export type Live = {
  readonly readFigures: () => Promise<LiveFigures>
  readonly feed: LiveFeed
  /** The highest use of windows in the last hour. */
  readonly peaks: WindowPeaks
  readonly close: () => void
}

/** At most one team each time. */
const coverageMs = 500

export function startLive(parts: LiveParts): Live {
  const { directory, clock, stopwatch, log } = parts
  const { read } = parts
  const sumSpend = keepSettledSums({ sumSpend: read.sumSpend, clock, version: directory.version })
  const coverage = new KeptCoverage(parts)
  const figureParts: LiveFiguresDependencies = {
    coverage,
    directory,
    limits: parts.limits,
    clock,
    read: {
      sumSpend,
      listBoards: read.listBoards,
      readLastSeen: read.readLastSeen,
      readRecentCalls: read.readRecentCalls,
      countRunningCalls: read.countRunningCalls,
    },
  }
  const readFigures = () => readLiveFigures(figureParts)
  const feed = new LiveFeed({
    sources: createLiveSources({
      readFigures,
      listConditions: () => listConditions(parts),
      readReadiness: parts.readReadiness,
      directory,
      coverage: parts.coverage,
      read: parts.read,
      clock,
    }),
    version: directory.version,
    clock,
    stopwatch,
    every,
    newId: () => crypto.randomUUID(),
    report: error => {
      if (!isReportedByStore(error)) log.error({ err: error }, 'Figures for the stream could not be read.')
    },
  })
  const report = (error: unknown): void => {
    if (!isReportedByStore(error)) log.error({ err: error }, 'The coverage of a team could not be read.')
  }
  const stopCovering = every(coverageMs, () => void coverage.turn().catch(report))
  const peaks = new WindowPeaks()
  const stopWatching = watchWindows({ ...parts, peaks, every })
  const close = (): void => {
    feed.close()
    stopCovering()
    stopWatching()
  }
  return { readFigures, feed, peaks, close }
}
