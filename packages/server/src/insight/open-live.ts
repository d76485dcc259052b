// Opens live views: the current figures, and the stream that follows them.
import { randomUUID } from 'node:crypto'
import type { Catalog } from '../catalog/types.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { Judging } from '../judging/open-judging.ts'
import type { Limits } from '../limits/port.ts'
import { WindowPeaks } from '../limits/windows/window-peaks.ts'
import type { Records } from '../record/open-records.ts'
import { reportTo } from '../store/open-store.ts'
import type { World } from '../world/world.ts'
import { listConditions } from './attention/list-conditions.ts'
import { LiveFeed } from './live-feed.ts'
import { readLiveFigures } from './live-figures.ts'
import { createLiveSources, type LiveSourcesDependencies } from './live-sources.ts'
import type { Insight } from './open-insight.ts'
import { createPanelSources, nameEvent } from './panel-sources.ts'
import { watchWindows } from './watch-windows.ts'

export type Live = ReturnType<typeof openLive>

export function openLive(
  world: World,
  parts: {
    readonly directory: Directory
    readonly limits: Limits
    readonly catalog: Catalog
    readonly records: Pick<Records, 'coverage'>
    readonly judging: Judging
    readonly insight: Pick<Insight, 'attention' | 'recent'>
  } & Pick<LiveSourcesDependencies, 'readReadiness'>,
) {
  const { store, log, onDrain, onStop } = world
  const { directory, judging } = parts
  const { attention, recent } = parts.insight
  const around = { ...world, ...parts, read: store.read }
  const figures = { ...around, coverage: recent.coverage, read: { ...store.read, sumSpend: recent.sumSpend } }
  const readFigures = () => readLiveFigures(figures)
  const sources = {
    ...around,
    coverage: parts.records.coverage,
    readFigures,
    listConditions: () => listConditions({ ...around, attention }),
    countJudgingRecords: async () => (await judging.log.state()).head(),
  }
  const feed = new LiveFeed({
    ...world,
    sources: [...createLiveSources(sources), ...createPanelSources({ ...sources, judging })],
    nameEvent,
    version: directory.version,
    newId: randomUUID,
    report: reportTo(log, 'error', 'Figures for the stream could not be read.'),
  })
  onDrain(() => feed.close())
  /** The highest use of windows in the last hour. */
  const peaks = new WindowPeaks()
  onStop(watchWindows({ ...around, peaks }))
  return { readFigures, feed, peaks }
}
