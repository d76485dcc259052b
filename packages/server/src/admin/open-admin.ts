// Opens the admin door: its routes, access control and pages.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { openCatalogFile } from '../catalog/edit-catalog-file.ts'
import { shippedModels } from '../config/config.ts'
import { digestAdminKey } from '../config/join-key.ts'
import { createTrustedAddresses } from '../config/listener-settings.ts'
import { createHostCheck } from '../http/check-host.ts'
import { createSecureCheck } from '../http/client-address.ts'
import type { Door } from '../http/create-door.ts'
import { answerReady } from '../http/health.ts'
import type { Pages } from '../http/pages/serve-pages.ts'
import type { Ledger } from '../limits/open-ledger.ts'
import { ClaimService } from '../people/claim-service.ts'
import type { Entrance } from '../process/open-entrance.ts'
import { storeFailureTexts } from '../store/classify-failure.ts'
import { StoreUnavailable } from '../store/store-unavailable.ts'
import { type Upstreams, writeHealth } from '../upstream/open-upstreams.ts'
import type { World } from '../world/world.ts'
import { createAdminRoutes } from './app.ts'
import type { AdminCaller } from './authenticate-admin.ts'
import { type Access, createAccess } from './create-access.ts'
import { createStamps, type Management } from './management-route.ts'
import { NoteService } from './note-service.ts'
import { judgeSignInRoute, signInRoute } from './session-routes.ts'

/** Dependencies of the routes that come from the world and the ledger (`Own`) or are created here (`Made`). */
type Own =
  | 'read'
  | 'write'
  | 'clock'
  | 'moment'
  | 'stamp'
  | 'directory'
  | 'limits'
  | 'records'
  | 'corrections'
type Made = 'catalogFile' | 'describeUpstreams' | 'claims' | 'notes' | 'gatewayUrl' | 'judgingUrl' | 'access'

type Neighbours = Pick<Entrance, 'makeDoor' | 'addresses' | 'readiness' | 'answerScrape'> &
  Omit<Management, Own | Made> & {
    readonly ledger: Ledger
    readonly upstreams: Upstreams
    readonly pages: Pages
  }

const longestExportMs = 12 * 3_600_000

export function openAdmin(
  world: World,
  neighbours: Neighbours,
): { readonly door: Door; readonly access: Access } {
  const { config, secrets, store, sharedDatabase, clock } = world
  const { makeDoor, ledger, upstreams, addresses, readiness, pages } = neighbours
  const { directory, catalogs } = ledger
  const access = createAccess({
    ...world,
    adminKey: secrets.adminKey,
    adminKeyDigest: digestAdminKey(secrets.joinKey, secrets.adminKey),
    isSecure: createSecureCheck(createTrustedAddresses(config.trustedProxies)),
    publicUrl: addresses.ofAdmin,
    judging: neighbours.judging,
  })
  const isOwnFile = sharedDatabase === null && config.modelsFile !== shippedModels
  const routes = createAdminRoutes({
    ...neighbours,
    ...ledger,
    ...store,
    catalogFile: openCatalogFile(config.modelsFile, isOwnFile),
    describeUpstreams: upstreams.describeHealth,
    claims: new ClaimService({ ...world, ...store, directory, addresses: addresses.ofClients }),
    notes: new NoteService({ ...store, directory, clock }),
    gatewayUrl: () => addresses.ofClients().gateway,
    judgingUrl: () => config.judgingUrl ?? addresses.ofAdmin(),
    access,
    clock,
    ...createStamps(directory, clock),
  })
  const describeHealth = () => ({
    upstreams: upstreams.describeHealth().map(writeHealth),
    ...(catalogs === null ? {} : { differing_catalogs: catalogs.differing() }),
  })
  const door = makeDoor<AdminCaller>({
    name: 'admin',
    title: 'Fairgate management',
    description:
      'For organisers: teams, keys, log tokens, boards, entries, audit. Send the admin key as a bearer token.',
    // An export lasts as long as its reader keeps reading. A reader that stops is disconnected, as everywhere.
    longestStreamMs: longestExportMs,
    securityScheme: { type: 'http', scheme: 'bearer', description: 'The admin key' },
    // Every management reply forbids caching.
    routes: routes.map(route => ({ replyHeaders: ['cache-control'], ...route })),
    openRoutes: [signInRoute(access.sessions), judgeSignInRoute(access.sessions)],
    authenticate: access.authenticate,
    ownerOf: ({ actor }) => actor,
    explainFailure,
    isHostAllowed: createHostCheck(config.adminHosts),
    openPages: {
      '/': () => new Response(null, { status: 302, headers: { location: '/console' } }),
      ...pages.documents('admin', '/console-page', ['/console', '/console/*']),
      ...pages.documents('judge', '/judging-page', ['/judging']),
      '/metrics': neighbours.answerScrape,
      '/health/ready': () => answerReady('admin', readiness.whyNot(), describeHealth()),
    },
  })
  return { door, access }
}

/** Adds the reason of a database failure. Participants are only asked to try again, but organisers can fix it. */
function explainFailure(error: ApiError): ApiError {
  if (!(error instanceof StoreUnavailable) || error.reason === null) return error
  const { headers, reason } = error
  return new ApiError('unavailable', { message: storeFailureTexts[reason], headers, cause: error })
}
