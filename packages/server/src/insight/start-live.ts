// Starts what organisers watch: the figures of the moment, and the stream that follows them.

import type { Directory } from '../directory/create-directory.ts'
import type { Log } from '../http/log.ts'
import { WindowPeaks } from '../limits/windows/window-peaks.ts'
import { isReportedByStore } from '../store/store-unavailable.ts'
import { every } from '../world/timers.ts'
import { type ConditionSources, listConditions } from './attention/list-conditions.ts'
import { LiveFeed } from './live-feed.ts'
import { type LiveFigures, type LiveFiguresDependencies, readLiveFigures } from './live-figures.ts'
import { createLiveSources, type LiveSourcesDependencies } from './live-sources.ts'
import type { RecentFigures } from './start-recent-figures.ts'
import { type WatchWindowsParts, watchWindows } from './watch-windows.ts'

export type LiveParts = Omit<LiveFiguresDependencies, 'coverage'> & {
  readonly attention: ConditionSources['attention']
  readonly read: LiveFiguresDependencies['read'] & ConditionSources['read'] & LiveSourcesDependencies['read']
  readonly coverage: LiveSourcesDependencies['coverage']
  readonly recent: RecentFigures
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

export function startLive(parts: LiveParts): Live {
  const { directory, clock, stopwatch, log, read, recent } = parts
  const figureParts: LiveFiguresDependencies = {
    coverage: recent.coverage,
    directory,
    limits: parts.limits,
    clock,
    read: {
      sumSpend: recent.sumSpend,
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
  const peaks = new WindowPeaks()
  const stopWatching = watchWindows({ ...parts, peaks, every })
  const close = (): void => {
    feed.close()
    stopWatching()
  }
  return { readFigures, feed, peaks, close }
}
