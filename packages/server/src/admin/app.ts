// Registers all routes of the admin door.

import type { Route } from '../http/route.ts'
import { adminKeyRoutes } from './access-routes.ts'
import { announcementRoutes } from './announcement-routes.ts'
import { auditRoute } from './audit-route.ts'
import type { AdminCaller } from './authenticate-admin.ts'
import { listBoardsRoute, lockRoutes } from './board-routes.ts'
import { bulkRoutes } from './bulk-routes.ts'
import { callsRoutes } from './calls-routes.ts'
import { catalogRoutes } from './catalog-routes.ts'
import { claimsRoutes } from './claims-routes.ts'
import { correctionRoutes } from './correction-routes.ts'
import { coverageRoute } from './coverage-route.ts'
import { eventRoutes } from './event-routes.ts'
import { caseRoutes } from './judging/case-routes.ts'
import { judgeStreamRoute } from './judging/judge-stream-route.ts'
import { progressRoutes } from './judging/progress-routes.ts'
import { readingRoutes } from './judging/reading-routes.ts'
import { resultsRoutes } from './judging/results-routes.ts'
import { scoreRoutes } from './judging/score-routes.ts'
import { judgingRoutes } from './judging-routes.ts'
import { keyRoutes } from './key-routes.ts'
import { logTokenRoutes } from './log-token-routes.ts'
import { exportEntriesRoutes } from './logs/export-entries.ts'
import { logbookRoute } from './logs/logbook-route.ts'
import { readEntriesRoutes } from './logs/read-entries.ts'
import { searchLogsRoute } from './logs/search/search-route.ts'
import { verifyLogRoute } from './logs/verify-log.ts'
import { type AdminRoute, guardByRole, type Management } from './management-route.ts'
import { modelInfoRoutes } from './model-info-routes.ts'
import { noteRoutes } from './note-routes.ts'
import { attentionRoutes } from './overview/attention-routes.ts'
import { lookupRouteOf } from './overview/lookup-route.ts'
import { overviewRoutes } from './overview/overview-routes.ts'
import { recordersRoute } from './overview/recorders-route.ts'
import { seriesRoutes } from './overview/series-routes.ts'
import { sessionRoutes } from './overview/session-routes.ts'
import { sessionsRoute } from './overview/sessions-route.ts'
import { timelineRoute } from './overview/timeline-route.ts'
import { upstreamsRoute } from './overview/upstreams-route.ts'
import { peopleRoutes } from './people-routes.ts'
import { questionRoutes } from './question-routes.ts'
import { readinessRoutes } from './readiness-routes.ts'
import { signedInRoutes } from './session-routes.ts'
import { spendLogsRoute } from './spend/spend-logs.ts'
import { spendRoutes } from './spend/spend-routes.ts'
import { streamRoute } from './stream/stream-route.ts'
import { submissionRoutes } from './submission-routes.ts'
import { teamRoutes } from './team-routes.ts'
import { unchargedRoute } from './uncharged-route.ts'
import { userInfoRoute } from './user-info-route.ts'
import { wallTokenRoutes } from './wall-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'

const groups: readonly ((management: Management) => AdminRoute | AdminRoute[])[] = [
  teamRoutes,
  keyRoutes,
  logTokenRoutes,
  peopleRoutes,
  userInfoRoute,
  claimsRoutes,
  lockRoutes,
  bulkRoutes,
  correctionRoutes,
  unchargedRoute,
  eventRoutes,
  announcementRoutes,
  questionRoutes,
  webhookRoutes,
  catalogRoutes,
  modelInfoRoutes,
  readinessRoutes,
  noteRoutes,
  submissionRoutes,
  judgingRoutes,
  scoreRoutes,
  resultsRoutes,
  caseRoutes,
  readingRoutes,
  judgeStreamRoute,
  progressRoutes,
  wallTokenRoutes,
  callsRoutes,
  spendRoutes,
  spendLogsRoute,
  overviewRoutes,
  seriesRoutes,
  streamRoute,
  attentionRoutes,
  sessionsRoute,
  sessionRoutes,
  recordersRoute,
  timelineRoute,
  logbookRoute,
  upstreamsRoute,
  lookupRouteOf,
  adminKeyRoutes,
  signedInRoutes,
  auditRoute,
  verifyLogRoute,
  listBoardsRoute,
  readEntriesRoutes,
  searchLogsRoute,
  coverageRoute,
  exportEntriesRoutes,
]

export function createAdminRoutes(management: Management): Route<AdminCaller>[] {
  return groups.flatMap(routes => routes(management)).map(guardByRole)
}
