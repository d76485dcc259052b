// Assembles the three doors from the parts that main.ts has made: which routes, whose credentials, which open pages.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { AdminDependencies } from '../admin/app.ts'
import { createAdminRoutes } from '../admin/app.ts'
import type { AdminCaller, AuthenticateAdmin } from '../admin/authenticate-admin.ts'
import { signInRoute } from '../admin/session-routes.ts'
import type { Config } from '../config/config.ts'
import { createTrustedAddresses } from '../config/listener-settings.ts'
import { resolveTimeouts } from '../config/upstream-settings.ts'
import { createGatewayRoutes, type GatewayParts, gatewayPages } from '../gateway/app.ts'
import { type JoinDependencies, joinRoutes } from '../gateway/endpoints/join/route.ts'
import { readMessagesKey } from '../gateway/endpoints/messages/messages-family.ts'
import { readPassThroughKey } from '../gateway/endpoints/pass-through/pass-through-family.ts'
import { type Caller, createAuthenticate } from '../gateway/flow/authenticate.ts'
import { createModelsSection } from '../gateway/models-section.ts'
import { createHostCheck } from '../http/check-host.ts'
import { createClientAddress } from '../http/client-address.ts'
import { createDoor, type Door, type DoorOptions } from '../http/create-door.ts'
import { createFailedAuthThrottle } from '../http/failed-auth-throttle.ts'
import { answerReady } from '../http/health.ts'
import type { OpenLog } from '../http/log.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Pages } from '../http/pages/serve-pages.ts'
import type { StreamLimits } from '../http/server-sent-events.ts'
import { createLogbookRoutes, type LogbookDependencies } from '../logbook/app.ts'
import { createLogTokenAuthenticator, type LogTokenCaller } from '../logbook/authenticate-log-token.ts'
import {
  createRecorderPages,
  type RecorderPagesDependencies,
} from '../logbook/serve-recorder/create-recorder-pages.ts'
import { createRecorderSection } from '../logbook/serve-recorder/recorder-section.ts'
import { createBodies } from '../process/create-bodies.ts'
import { storeFailureTexts } from '../store/classify-failure.ts'
import { isReportedByStore, StoreUnavailable } from '../store/store-unavailable.ts'
import type { createTeamPage } from '../team-page/create-team-page.ts'
import { PatientTimers } from '../upstream/patient-timers.ts'
import type { createWall } from '../wall/create-wall.ts'

export type DoorsDependencies = {
  readonly config: Config
  readonly authenticateAdmin: AuthenticateAdmin
  readonly metrics: Metrics
  /** The page of a scrape. */
  readonly answerMetrics: () => Promise<Response>
  readonly gateway: GatewayParts
  readonly logbook: LogbookDependencies
  readonly admin: AdminDependencies
  /** What organisers read of the upstreams at `/health/ready`. */
  readonly describeHealth: () => object
  readonly teamPage: Pick<ReturnType<typeof createTeamPage>, 'routes' | 'openRoutes'>
  /** The console, the team page and the wall. */
  readonly pages: Pages
  readonly wall: Pick<ReturnType<typeof createWall>, 'openRoutes'>
  /** Where members of teams get their keys. */
  readonly join: Omit<JoinDependencies, 'script'>
  readonly recorder: Pick<RecorderPagesDependencies, 'buildProgram' | 'findPrograms'>
} & Pick<DoorOptions<unknown>, 'log' | 'newCallId' | 'isReady' | 'isDraining' | 'whyNotReady' | 'clock'> &
  Required<Pick<DoorOptions<unknown>, 'keptConnections'>> &
  Pick<OpenLog, 'logAccess'>

export type Doors = { readonly gateway: Door; readonly logbook: Door; readonly admin: Door }

export function createDoors(dependencies: DoorsDependencies): Doors {
  const {
    config,
    metrics,
    log,
    logAccess,
    newCallId,
    isReady,
    isDraining = () => false,
    whyNotReady = () => null,
    clock,
  } = dependencies
  const { teamPage, pages } = dependencies
  const { directory } = dependencies.admin
  const common = {
    log,
    logAccess,
    newCallId,
    isReady,
    isDraining,
    whyNotReady,
    // The store has logged its failure: a request that is refused for it alone needs no line besides its own.
    isReported: (error: unknown) =>
      isReportedByStore(error) || (isPlainRefusal(error) && whyNotReady() !== null),
    clock,
    readClientAddress: createClientAddress(createTrustedAddresses(config.trustedProxies)),
    observe: metrics.observeRequest,
    streamLimits: readStreamLimits(config),
    streamTimers: new PatientTimers(),
    observeCutStream: metrics.observeCutStream,
    keptConnections: dependencies.keptConnections,
    slowFailure: createFailedAuthThrottle({ clock, wait: milliseconds => Bun.sleep(milliseconds) }),
  }
  const authenticateBearer = createAuthenticate({ ...directory, clock })
  const authenticateMessages = createAuthenticate({ ...directory, clock, readSecret: readMessagesKey })
  const bodiesOf = createBodies(config.settings, metrics)
  return {
    gateway: createDoor({
      ...common,
      name: 'gateway',
      title: 'Fairgate gateway',
      description: 'Models for the teams of the competition. Send your gateway key (`sk-…`) as bearer token.',
      publicUrl: config.doors.gateway.publicUrl,
      securityScheme: { type: 'http', scheme: 'bearer', description: 'A gateway key, `sk-…`' },
      readSections: createModelsSection(dependencies.gateway.catalog),
      routes: [
        ...createGatewayRoutes(
          dependencies.gateway,
          createAuthenticate({ ...directory, clock, readSecret: readPassThroughKey }),
          authenticateMessages,
        ),
        ...teamPage.routes,
      ],
      openRoutes: [
        ...joinRoutes({ ...dependencies.join, script: () => pages.joinScript(teamPageRoot) }),
        ...teamPage.openRoutes,
        ...dependencies.wall.openRoutes,
      ],
      // Anthropic's clients ask for the list of models with the header that they send everywhere.
      authenticate: request =>
        request.headers.has('anthropic-version')
          ? authenticateMessages(request)
          : authenticateBearer(request),
      bodies: bodiesOf(
        'gateway',
        ({ key }: Caller) => key.keyHash,
        ({ team }) => team.teamId,
      ),
      openPages: {
        ...gatewayPages,
        ...pages.documents('team', teamPageRoot, teamPagePaths),
        ...pages.documents('wall', '/wall-page', ['/wall/:token']),
      },
    }),
    logbook: createDoor({
      ...common,
      name: 'logbook',
      title: 'Fairgate logbook',
      description: 'How the teams worked. Send your log token (`aitc_…`) as bearer token.',
      publicUrl: config.doors.logbook.publicUrl,
      securityScheme: { type: 'http', scheme: 'bearer', description: 'A log token, `aitc_…`' },
      routes: createLogbookRoutes(dependencies.logbook),
      authenticate: createLogTokenAuthenticator(directory),
      bodies: bodiesOf(
        'logbook',
        ({ tokenId }: LogTokenCaller) => tokenId,
        ({ teamId }) => teamId,
      ),
      readSections: createRecorderSection(config.doors.logbook.publicUrl),
      openPages: createRecorderPages({
        publicUrl: config.doors.logbook.publicUrl,
        gatewayUrl: config.doors.gateway.publicUrl,
        ...dependencies.recorder,
        wait: milliseconds => Bun.sleep(milliseconds),
      }),
    }),
    admin: createDoor({
      ...common,
      name: 'admin',
      title: 'Fairgate management',
      description:
        'For organisers: teams, keys, log tokens, boards, entries, audit. Send the admin key as bearer token.',
      // An export lasts as long as its reader takes. A reader that takes nothing is cut off, as everywhere.
      streamLimits: { ...common.streamLimits, longestMs: longestExportMs },
      publicUrl: config.doors.admin.publicUrl,
      securityScheme: { type: 'http', scheme: 'bearer', description: 'The admin key' },
      // Every management reply forbids caching.
      routes: createAdminRoutes(dependencies.admin).map(route => ({
        replyHeaders: ['cache-control'],
        ...route,
      })),
      openRoutes: [signInRoute(dependencies.admin.access.sessions)],
      authenticate: dependencies.authenticateAdmin,
      bodies: bodiesOf('admin', ({ actor }: AdminCaller) => actor),
      explainFailure: tellOrganisers,
      isHostAllowed: createHostCheck(config.adminHosts),
      openPages: {
        '/': () => new Response(null, { status: 302, headers: { location: '/console' } }),
        ...pages.documents('admin', '/console-page', ['/console', '/console/*']),
        '/metrics': dependencies.answerMetrics,
        '/health/ready': () => answerReady('admin', isReady, whyNotReady, dependencies.describeHealth()),
      },
    }),
  }
}

/** Participants are told to try again. Organisers are also told why, since they can fix it. */
function tellOrganisers(error: ApiError): ApiError {
  if (!(error instanceof StoreUnavailable) || error.reason === null) return error
  const { headers, reason } = error
  return new ApiError('unavailable', { message: storeFailureTexts[reason], headers, cause: error })
}

/** Names that no API route has; `/join/…` is a page of its own. */
const teamPageRoot = '/page'
const teamPagePaths = ['/', '/sign-in', '/connect', '/calls', '/log', '/log/*', '/limits', '/ask']

const longestExportMs = 12 * 3_600_000

function isPlainRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unavailable' && error.cause === undefined
}

/** A stream may last as long as its upstream may take, and then as long as its client may take for the rest. */
function readStreamLimits({ settings, upstreams }: Config): StreamLimits {
  const { stalled_client_seconds: stalledSeconds } = settings.limits
  const timeouts = [resolveTimeouts(settings.upstream), ...upstreams.map(entry => entry.timeouts)]
  return { stalledSeconds, longestMs: Math.max(...timeouts.map(({ chat }) => chat)) + stalledSeconds * 1000 }
}
