// Opens the team page's routes, its sign-in, and the figures that all pages share.
import { createTrustedAddresses } from '../config/listener-settings.ts'
import { createAuthenticate, findCallerByHash, findCallerBySecret } from '../gateway/flow/authenticate.ts'
import { createRouteGate } from '../gateway/gate.ts'
import type { Call } from '../http/call.ts'
import { createSecureCheck } from '../http/client-address.ts'
import { LiveFeed } from '../insight/live-feed.ts'
import type { Live } from '../insight/open-live.ts'
import type { Ledger } from '../limits/open-ledger.ts'
import { isOwnPage } from '../people/own-page.ts'
import { writeCookie } from '../people/session-cookie.ts'
import { SignIns } from '../people/sign-ins.ts'
import { reportTo } from '../store/open-store.ts'
import type { World } from '../world/world.ts'
import { createOwnEntries } from './create-own-entries.ts'
import { createSelfFamily, teamCookie, writeCredential } from './self-family.ts'
import type { SelfSources } from './self-route.ts'
import { selfRoutes } from './self-routes.ts'
import { selfLinkRoute, selfSignInRoute, selfSignOutRoute } from './session-routes.ts'
import { SharedFigures } from './shared-figures.ts'

/** Enough for a large event: a page for each participant, and some left open. */
const maxReaders = 3000

export function openTeamPage(
  world: World,
  parts: Pick<Ledger, 'directory' | 'limits' | 'records'> &
    Pick<
      SelfSources,
      'calls' | 'coverage' | 'catalog' | 'reports' | 'recorders' | 'addresses' | 'submissions' | 'judging'
    > & {
      readonly live: Pick<Live, 'readFigures' | 'peaks'>
    },
) {
  const { config, store, clock, log, onDrain } = world
  const { directory, live, addresses } = parts
  const around = { ...world, ...store, ...parts, ...live }
  const figures = new SharedFigures(around)
  const feed = new LiveFeed({
    ...world,
    sources: [figures.source],
    version: directory.version,
    newId: () => crypto.randomUUID(),
    report: reportTo(log, 'error', 'Team page figures could not be read.'),
    maxReaders,
    nameEvent: () => 'self',
  })
  onDrain(() => feed.close())
  const keys = { ...directory, clock }
  const signIns = new SignIns({ ...around, door: 'gateway' })
  const sessions = {
    directory,
    signIns,
    isSecure: createSecureCheck(createTrustedAddresses(config.trustedProxies)),
    authenticate: createAuthenticate(keys),
    findCaller: (secretHash: string) => findCallerByHash(keys, secretHash),
    findCallerBySecret: (secret: string) => findCallerBySecret(keys, secret),
    ownOrigin: () => new URL(addresses.ofClients().gateway).origin,
  }
  const family = createSelfFamily(sessions)
  const routes = [
    ...selfRoutes({ ...around, figures, feed, entries: createOwnEntries(around) }, family),
    selfLinkRoute(sessions),
    selfSignOutRoute(sessions),
  ]
  return {
    signIns,
    claims: {
      isOwn: ({ request }: Call) => isOwnPage(request.headers, sessions.ownOrigin()),
      signIn: async (call: Call, keyHash: string) => {
        const { cookie } = await signIns.begin(writeCredential(keyHash))
        return writeCookie(teamCookie, cookie, sessions.isSecure(call))
      },
    },
    /** These routes count against no limit. */
    routes: routes.map(route => ({ ...route, family, gate: createRouteGate(route) })),
    openRoutes: [selfSignInRoute(sessions)],
  }
}
