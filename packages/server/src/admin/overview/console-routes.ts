// What an organiser's console reads beside the management calls: one list of the routes of this folder.

import type { Catalog } from '../../catalog/types.ts'
import type { Directory } from '../../directory/create-directory.ts'
import type { Attention } from '../../insight/attention/attention.ts'
import type { EntriesReading } from '../../insight/entries-port.ts'
import type { LiveFeed } from '../../insight/live-feed.ts'
import type { LiveFigures } from '../../insight/live-figures.ts'
import type { SpendReports } from '../../insight/spend-reports.ts'
import type { TeamDetailDependencies } from '../../insight/team-detail.ts'
import type { CallsReader } from '../../record/calls-reader.ts'
import type { AdminRoute } from '../admin-route.ts'
import { logbookRoute } from '../logs/logbook-route.ts'
import { type StreamAccess, streamRoute } from '../stream/stream-route.ts'
import { type AttentionDependencies, attentionRoutes } from './attention-routes.ts'
import { lookupRouteOf } from './lookup-route.ts'
import { overviewRoutes } from './overview-routes.ts'
import { type RecordersDependencies, recordersRoute } from './recorders-route.ts'
import { type SeriesDependencies, seriesRoutes } from './series-routes.ts'
import { type SessionRoutesDependencies, sessionRoutes } from './session-routes.ts'
import { sessionsRoute } from './sessions-route.ts'
import { type TimelineDependencies, timelineRoute } from './timeline-route.ts'
import { type UpstreamsDependencies, upstreamsRoute } from './upstreams-route.ts'

/** What organisers watch. */
export type LiveParts = {
  /** Of this moment. Rejects with StoreUnavailable. */
  readonly readFigures: () => Promise<LiveFigures>
  readonly feed: Pick<LiveFeed, 'open'>
  readonly read: SeriesDependencies['read'] &
    AttentionDependencies['read'] &
    UpstreamsDependencies['read'] &
    TimelineDependencies['read'] &
    SessionRoutesDependencies['read'] &
    TeamDetailDependencies['read']
  readonly limits: TeamDetailDependencies['limits']
  readonly peaks: TeamDetailDependencies['peaks']
  readonly write: AttentionDependencies['write']
  readonly describeUpstreams: UpstreamsDependencies['describeHealth']
}

export type ConsoleDependencies = LiveParts & {
  readonly access: StreamAccess
  readonly directory: Directory
  readonly attention: Pick<Attention, 'conditions'>
  readonly catalog: Pick<Catalog, 'models' | 'families'>
  readonly calls: Pick<CallsReader, 'find' | 'readAll'>
  readonly reports: Pick<SpendReports, 'series' | 'report'>
  readonly entries: EntriesReading
  readonly coverage: SessionRoutesDependencies['coverage']
  readonly recorders: RecordersDependencies['recorders']
  /** Unix ms. */
  readonly clock: () => number
}

export function consoleRoutes(dependencies: ConsoleDependencies): AdminRoute[] {
  const { readFigures, feed, directory, describeUpstreams: describeHealth } = dependencies
  return [
    ...overviewRoutes(readFigures, directory),
    ...seriesRoutes(dependencies),
    streamRoute(feed, directory, dependencies.access),
    ...attentionRoutes(dependencies),
    sessionsRoute(dependencies.coverage, directory),
    ...sessionRoutes(dependencies),
    recordersRoute(dependencies),
    timelineRoute(dependencies),
    logbookRoute(dependencies),
    upstreamsRoute({ ...dependencies, describeHealth }),
    lookupRouteOf(dependencies),
  ]
}
