// Opens the management: its door, who may enter it, and what organisers and judges work with.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { openCatalogFile } from '../catalog/edit-catalog-file.ts'
import type { ReloadCatalog } from '../catalog/reload-catalog.ts'
import type { Catalog } from '../catalog/types.ts'
import { shippedModels } from '../config/config.ts'
import { digestAdminKey } from '../config/join-key.ts'
import { createTrustedAddresses } from '../config/listener-settings.ts'
import { createHostCheck } from '../http/check-host.ts'
import { createSecureCheck } from '../http/client-address.ts'
import type { Door } from '../http/create-door.ts'
import { answerReady } from '../http/health.ts'
import type { Pages } from '../http/pages/serve-pages.ts'
import type { Insight } from '../insight/open-insight.ts'
import type { Live } from '../insight/open-live.ts'
import type { Ledger } from '../limits/open-ledger.ts'
import { ClaimDesk } from '../people/claim-desk.ts'
import type { Entrance } from '../process/open-entrance.ts'
import type { Records } from '../record/open-records.ts'
import { storeFailureTexts } from '../store/classify-failure.ts'
import { StoreUnavailable } from '../store/store-unavailable.ts'
import { type Upstreams, writeHealth } from '../upstream/open-upstreams.ts'
import type { World } from '../world/world.ts'
import { type AdminDependencies, createAdminRoutes } from './app.ts'
import type { AdminCaller } from './authenticate-admin.ts'
import { type Access, createAccess } from './create-access.ts'
import { NoteDesk } from './note-desk.ts'
import { signInRoute } from './session-routes.ts'

type Neighbours = Pick<Entrance, 'makeDoor' | 'addresses' | 'readiness' | 'answerScrape'> &
  Pick<Records, 'calls' | 'coverage'> &
  Pick<AdminDependencies, 'webhooks' | 'logs'> & {
    readonly ledger: Ledger
    readonly catalog: Catalog
    readonly reloadCatalog: ReloadCatalog
    readonly upstreams: Upstreams
    readonly insight: Insight
    readonly live: Live
    readonly wall: { readonly desk: AdminDependencies['walls']['desk'] }
    readonly fitness: AdminDependencies['readiness']
    readonly pages: Pages
  }

const longestExportMs = 12 * 3_600_000

export function openAdmin(
  world: World,
  neighbours: Neighbours,
): { readonly door: Door; readonly access: Access } {
  const { config, secrets, store, sharedDatabase, clock } = world
  const { makeDoor, ledger, catalog, upstreams, insight, addresses, readiness, pages } = neighbours
  const { directory, catalogs } = ledger
  const access = createAccess({
    ...world,
    adminKey: secrets.adminKey,
    adminKeyDigest: digestAdminKey(secrets.joinKey, secrets.adminKey),
    isSecure: createSecureCheck(createTrustedAddresses(config.trustedProxies)),
    publicUrl: addresses.ofAdmin,
  })
  const routes = createAdminRoutes({
    ...neighbours,
    ...ledger,
    catalog: {
      catalog,
      reloadCatalog: neighbours.reloadCatalog,
      file: openCatalogFile(
        config.modelsFile,
        sharedDatabase === null && config.modelsFile !== shippedModels,
      ),
    },
    store,
    describeUpstreams: upstreams.describeHealth,
    attention: insight.attention,
    spend: insight.spend,
    claims: new ClaimDesk({ ...world, ...store, directory, addresses: addresses.ofClients }),
    access,
    readiness: neighbours.fitness,
    notes: new NoteDesk({ ...store, directory, clock }),
    walls: { desk: neighbours.wall.desk, gatewayUrl: () => addresses.ofClients().gateway },
    clock,
  })
  const describeHealth = () => ({
    upstreams: upstreams.describeHealth().map(writeHealth),
    ...(catalogs === null ? {} : { differing_catalogs: catalogs.differing() }),
  })
  const door = makeDoor<AdminCaller>({
    name: 'admin',
    title: 'Fairgate management',
    description:
      'For organisers: teams, keys, log tokens, boards, entries, audit. Send the admin key as bearer token.',
    // An export lasts as long as its reader takes. A reader that takes nothing is cut off, as everywhere.
    longestStreamMs: longestExportMs,
    securityScheme: { type: 'http', scheme: 'bearer', description: 'The admin key' },
    // Every management reply forbids caching.
    routes: routes.map(route => ({ replyHeaders: ['cache-control'], ...route })),
    openRoutes: [signInRoute(access.sessions)],
    authenticate: access.authenticate,
    ownerOf: ({ actor }) => actor,
    explainFailure,
    isHostAllowed: createHostCheck(config.adminHosts),
    openPages: {
      '/': () => new Response(null, { status: 302, headers: { location: '/console' } }),
      ...pages.documents('admin', '/console-page', ['/console', '/console/*']),
      '/metrics': neighbours.answerScrape,
      '/health/ready': () => answerReady('admin', readiness.whyNot(), describeHealth()),
    },
  })
  return { door, access }
}

/** Participants are asked to try again. Organisers also learn why, since they can fix it. */
function explainFailure(error: ApiError): ApiError {
  if (!(error instanceof StoreUnavailable) || error.reason === null) return error
  const { headers, reason } = error
  return new ApiError('unavailable', { message: storeFailureTexts[reason], headers, cause: error })
}
