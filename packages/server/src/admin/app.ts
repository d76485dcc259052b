// The admin door's routes: every management call is registered here and nowhere else.

import type { CallCorrections } from '../directory/correction-commands.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { Route } from '../http/route.ts'
import type { Attention } from '../insight/attention/attention.ts'
import type { Live } from '../insight/open-live.ts'
import type { SpendReading } from '../insight/start-spend.ts'
import { readTeamDetail } from '../insight/team-detail.ts'
import type { OwnerRecords } from '../limits/owner-records.ts'
import type { Limits } from '../limits/port.ts'
import type { EntriesReading } from '../logbook/list-entries/create-entries-reader.ts'
import type { WebhookDesk } from '../operate/notices/webhook-desk.ts'
import type { ClaimDesk } from '../people/claim-desk.ts'
import type { CallsReader } from '../record/calls-reader.ts'
import type { CoverageReader } from '../record/coverage-reader.ts'
import type { Board } from '../store/statements/boards.ts'
import type { Store } from '../store/store.ts'
import { adminKeyRoutes } from './access-routes.ts'
import { announcementRoutes } from './announcement-routes.ts'
import { auditRoute } from './audit-route.ts'
import type { AdminCaller } from './authenticate-admin.ts'
import { listBoardsRoute, lockRoutes } from './board-routes.ts'
import { bulkRoutes } from './bulk-routes.ts'
import { callsRoutes } from './calls-routes.ts'
import { type CatalogParts, catalogRoutes } from './catalog-routes.ts'
import { claimsRoutes } from './claims-routes.ts'
import { correctionRoutes } from './correction-routes.ts'
import { coverageRoute } from './coverage-route.ts'
import type { Access } from './create-access.ts'
import { eventRoutes } from './event-routes.ts'
import { keyRoutes } from './key-routes.ts'
import { logTokenRoutes } from './log-token-routes.ts'
import { exportEntriesRoutes } from './logs/export-entries.ts'
import { logbookRoute } from './logs/logbook-route.ts'
import { readEntriesRoutes } from './logs/read-entries.ts'
import { searchLogsRoute } from './logs/search/search-route.ts'
import { type VerifyTeam, verifyLogRoute } from './logs/verify-log.ts'
import { createMoment, guardByRole } from './management-route.ts'
import type { NoteDesk } from './note-desk.ts'
import { noteRoutes } from './note-routes.ts'
import { attentionRoutes } from './overview/attention-routes.ts'
import { lookupRouteOf } from './overview/lookup-route.ts'
import { overviewRoutes } from './overview/overview-routes.ts'
import { type RecordersDependencies, recordersRoute } from './overview/recorders-route.ts'
import { seriesRoutes } from './overview/series-routes.ts'
import { sessionRoutes } from './overview/session-routes.ts'
import { sessionsRoute } from './overview/sessions-route.ts'
import { timelineRoute } from './overview/timeline-route.ts'
import { type UpstreamsDependencies, upstreamsRoute } from './overview/upstreams-route.ts'
import { peopleRoutes } from './people-routes.ts'
import { questionRoutes } from './question-routes.ts'
import { type ReadinessRoutesParts, readinessRoutes } from './readiness-routes.ts'
import { signedInRoutes } from './session-routes.ts'
import { spendRoutes } from './spend/spend-routes.ts'
import { streamRoute } from './stream/stream-route.ts'
import { teamRoutes } from './team-routes.ts'
import { unchargedRoute } from './uncharged-route.ts'
import { type Walls, wallTokenRoutes } from './wall-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'

export type AdminDependencies = {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly directory: Directory
  readonly limits: Limits
  /** Teams and keys with what they have spent. */
  readonly records: OwnerRecords
  /** What needs an organiser now. */
  readonly attention: Attention
  readonly catalog: CatalogParts
  readonly describeUpstreams: UpstreamsDependencies['describeUpstreams']
  readonly corrections: CallCorrections
  readonly calls: CallsReader
  readonly spend: SpendReading
  /** What organisers watch. */
  readonly live: Pick<Live, 'readFigures' | 'feed' | 'peaks'>
  readonly logs: {
    readonly listBoards: () => Promise<readonly Board[]>
    readonly verifyTeam: VerifyTeam
    readonly entries: EntriesReading
    readonly recorders: RecordersDependencies['recorders']
  }
  readonly coverage: CoverageReader
  /** Where teams get their keys. */
  readonly claims: ClaimDesk
  /** Who is told outside. */
  readonly webhooks: WebhookDesk
  readonly readiness: ReadinessRoutesParts
  /** Of organisers and judges. */
  readonly notes: NoteDesk
  readonly walls: Walls
  /** Who may manage, and who is signed in. */
  readonly access: Access
  /** Unix ms. */
  readonly clock: () => number
}

export function createAdminRoutes(dependencies: AdminDependencies): Route<AdminCaller>[] {
  const { store, directory, limits, records, corrections, calls, spend, live, logs, coverage } = dependencies
  const { claims, webhooks, readiness, notes, walls, access, clock } = dependencies
  const { read, write } = store
  const { verifyTeam, listBoards, entries, recorders } = logs
  const { catalog } = dependencies.catalog
  const moment = createMoment(directory, clock)
  const event = { limits, read }
  const watched = {
    ...dependencies,
    ...live,
    read,
    write,
    catalog,
    reports: spend.reports,
    entries,
    recorders,
  }
  return [
    ...teamRoutes(directory, records, team => readTeamDetail(watched, team)),
    ...keyRoutes(directory, records, moment),
    ...logTokenRoutes(directory, moment),
    ...peopleRoutes(directory, moment),
    ...claimsRoutes(claims, directory, moment),
    ...lockRoutes(directory, clock),
    ...bulkRoutes(directory, event, moment),
    ...correctionRoutes(directory, corrections, moment),
    unchargedRoute(directory, moment),
    ...eventRoutes(directory, event, clock, moment),
    ...announcementRoutes(directory, read, clock, moment),
    ...questionRoutes(directory, read, moment),
    ...webhookRoutes(webhooks, moment),
    ...catalogRoutes(dependencies.catalog, moment),
    ...readinessRoutes(readiness, clock),
    ...noteRoutes(notes, moment),
    ...wallTokenRoutes(walls, moment),
    ...callsRoutes(calls, catalog),
    ...spendRoutes(spend, directory, clock),
    ...overviewRoutes(live.readFigures, directory),
    ...seriesRoutes(watched),
    streamRoute(live.feed, directory, access),
    ...attentionRoutes(watched, moment),
    sessionsRoute(coverage, directory),
    ...sessionRoutes(watched, moment),
    recordersRoute(watched),
    timelineRoute(watched, moment),
    logbookRoute(entries, directory, moment),
    upstreamsRoute(watched),
    lookupRouteOf(watched, moment),
    ...adminKeyRoutes(access.keys, moment),
    ...signedInRoutes(access.sessions),
    auditRoute(read),
    verifyLogRoute(directory, verifyTeam),
    listBoardsRoute(directory, listBoards, clock),
    ...readEntriesRoutes(directory, entries),
    searchLogsRoute({ entries, directory, clock }, moment),
    coverageRoute(directory, coverage),
    ...exportEntriesRoutes({ directory, entries, listBoards }),
  ].map(guardByRole)
}
