// The admin door's routes: every management call is registered here and nowhere else.

import type { CallCorrections } from '../directory/correction-commands.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { Route } from '../http/route.ts'
import type { Attention } from '../insight/attention/attention.ts'
import type { EntriesReading } from '../insight/entries-port.ts'
import type { SpendReading } from '../insight/start-spend.ts'
import { readTeamDetail } from '../insight/team-detail.ts'
import type { OwnerRecords } from '../limits/owner-records.ts'
import type { CallsReader } from '../record/calls-reader.ts'
import type { CoverageReader } from '../record/coverage-reader.ts'
import type { Board } from '../store/statements/boards.ts'
import type { Store } from '../store/store.ts'
import { type AdminKeysDependencies, adminKeyRoutes } from './access-routes.ts'
import { guardByRole } from './admin-route.ts'
import { announcementRoutes } from './announcement-routes.ts'
import { auditRoute } from './audit-route.ts'
import type { AdminCaller } from './authenticate-admin.ts'
import { listBoardsRoute, lockRoutes } from './board-routes.ts'
import { bulkRoutes } from './bulk-routes.ts'
import { callsRoutes } from './calls-routes.ts'
import { type CatalogParts, catalogRoutes } from './catalog-routes.ts'
import { type ClaimsDependencies, claimsRoutes } from './claims-routes.ts'
import { correctionRoutes } from './correction-routes.ts'
import { coverageRoute } from './coverage-route.ts'
import { type EventParts, eventRoutes } from './event-routes.ts'
import { keyRoutes } from './key-routes.ts'
import { logTokenRoutes } from './log-token-routes.ts'
import { exportEntriesRoutes } from './logs/export-entries.ts'
import { readEntriesRoutes } from './logs/read-entries.ts'
import { searchLogsRoute } from './logs/search/search-route.ts'
import { type VerifyTeam, verifyLogRoute } from './logs/verify-log.ts'
import type { NoteDesk } from './note-desk.ts'
import { noteRoutes } from './note-routes.ts'
import { consoleRoutes, type LiveParts } from './overview/console-routes.ts'
import type { RecordersDependencies } from './overview/recorders-route.ts'
import { peopleRoutes } from './people-routes.ts'
import { type QuestionRoutesDependencies, questionRoutes } from './question-routes.ts'
import { type ReadinessRoutesParts, readinessRoutes } from './readiness-routes.ts'
import { type SessionDependencies, sessionRoutes } from './session-routes.ts'
import { spendRoutes } from './spend/spend-routes.ts'
import type { StreamAccess } from './stream/stream-route.ts'
import { teamRoutes } from './team-routes.ts'
import { unchargedRoute } from './uncharged-route.ts'
import { type WallTokensDependencies, wallTokenRoutes } from './wall-routes.ts'
import { type WebhooksDependencies, webhookRoutes } from './webhook-routes.ts'

export type AdminDependencies = {
  readonly directory: Directory
  /** Teams and keys with what they have spent. */
  readonly records: OwnerRecords
  /** What needs an organiser now. */
  readonly attention: Pick<Attention, 'conditions'>
  readonly catalog: CatalogParts
  readonly event: EventParts
  readonly corrections: Pick<CallCorrections, 'refund' | 'refundUndelivered' | 'adjust'>
  readonly calls: Pick<CallsReader, 'readAll' | 'find'>
  readonly spend: SpendReading
  /** What organisers watch. */
  readonly live: LiveParts
  readonly audit: Pick<Store['read'], 'listAudit'>
  readonly logs: {
    readonly listBoards: () => Promise<readonly Board[]>
    readonly verifyTeam: VerifyTeam
    readonly entries: EntriesReading
    readonly recorders: RecordersDependencies['recorders']
  }
  readonly coverage: Pick<CoverageReader, 'read' | 'readRecent' | 'readBook'>
  /** Where teams get their keys. */
  readonly claims: ClaimsDependencies['desk']
  /** Who is told outside. */
  readonly webhooks: WebhooksDependencies['desk']
  /** What teams ask and have read. */
  readonly messages: Pick<Store['read'], 'countAnnouncementReads'> & QuestionRoutesDependencies['read']
  readonly readiness: ReadinessRoutesParts
  /** Of organisers and judges. */
  readonly notes: Pick<NoteDesk, 'list' | 'create' | 'update' | 'remove'>
  readonly walls: Pick<WallTokensDependencies, 'desk' | 'gatewayUrl'>
  /** Who may manage, and who is signed in. */
  readonly access: StreamAccess & {
    readonly keys: AdminKeysDependencies['desk']
    readonly sessions: SessionDependencies
  }
  /** Unix ms. */
  readonly clock: () => number
}

export function createAdminRoutes(dependencies: AdminDependencies): Route<AdminCaller>[] {
  const {
    directory,
    records,
    attention,
    catalog,
    event,
    corrections,
    calls,
    spend,
    live,
    audit,
    logs,
    coverage,
    claims,
    webhooks,
    messages,
    readiness,
    notes,
    walls,
    access,
    clock,
  } = dependencies
  const { verifyTeam, listBoards, entries, recorders } = logs
  const watched = {
    ...live,
    access,
    directory,
    attention,
    catalog: catalog.catalog,
    calls,
    reports: spend.reports,
    entries,
    coverage,
    recorders,
    clock,
  }
  return [
    ...teamRoutes(directory, records, team => readTeamDetail(watched, team)),
    ...keyRoutes(directory, records, clock),
    ...logTokenRoutes(directory, clock),
    ...peopleRoutes(directory, clock),
    ...claimsRoutes({ desk: claims, directory, clock }),
    ...lockRoutes(directory, clock),
    ...bulkRoutes(directory, event, clock),
    ...correctionRoutes(directory, corrections, clock),
    unchargedRoute(directory, clock),
    ...eventRoutes(directory, event, clock),
    ...announcementRoutes(directory, messages, clock),
    ...questionRoutes({ directory, read: messages, clock }),
    ...webhookRoutes({ desk: webhooks, directory, clock }),
    ...catalogRoutes(catalog, directory, clock),
    ...readinessRoutes(readiness, clock),
    ...noteRoutes({ desk: notes, directory, clock }),
    ...wallTokenRoutes({ ...walls, directory, clock }),
    ...callsRoutes(calls, catalog.catalog),
    ...spendRoutes(spend, directory, clock),
    ...consoleRoutes(watched),
    ...adminKeyRoutes({ desk: access.keys, directory, clock }),
    ...sessionRoutes(access.sessions),
    auditRoute(audit),
    verifyLogRoute(directory, verifyTeam),
    listBoardsRoute(directory, listBoards, clock),
    ...readEntriesRoutes(directory, entries),
    searchLogsRoute({ entries, directory, clock }),
    coverageRoute(directory, coverage),
    ...exportEntriesRoutes({ directory, entries, listBoards }),
  ].map(guardByRole)
}
