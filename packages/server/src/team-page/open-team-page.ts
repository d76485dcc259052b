// Opens what the team's page reads and signs in with: its routes, and figures that all pages share.
import type { TeamRow } from '@fairgate/contracts/console/teams.ts'
import type { Catalog } from '../catalog/types.ts'
import { createTrustedAddresses } from '../config/listener-settings.ts'
import { listShown } from '../directory/announcements.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { Team } from '../directory/types.ts'
import {
  type AuthenticateDependencies,
  createAuthenticate,
  findCallerByHash,
  findCallerBySecret,
} from '../gateway/flow/authenticate.ts'
import { createRouteGate } from '../gateway/gate.ts'
import type { Call } from '../http/call.ts'
import { createSecureCheck } from '../http/client-address.ts'
import type { Log } from '../http/log.ts'
import { LiveFeed, type StreamOpener } from '../insight/live-feed.ts'
import type { LiveFigures } from '../insight/live-figures.ts'
import type { Live } from '../insight/open-live.ts'
import type { SpendReports } from '../insight/spend-reports.ts'
import { type LimitsInUseDependencies, readLimitsInUse } from '../insight/team-detail.ts'
import type { Ledger } from '../limits/open-ledger.ts'
import { isOwnPage } from '../people/own-page.ts'
import { writeCookie } from '../people/session-cookie.ts'
import { SignIns, type SignInsDependencies } from '../people/sign-ins.ts'
import type { DoorAddresses } from '../process/listen.ts'
import type { Records } from '../record/open-records.ts'
import type { Board } from '../store/statements/boards.ts'
import type { QuestionSum } from '../store/statements/questions.ts'
import type { Store } from '../store/store.ts'
import { isReportedByStore } from '../store/store-unavailable.ts'
import { FreshValue } from '../world/fresh-value.ts'
import type { World } from '../world/world.ts'
import { buildSelfFigures } from './build-self.ts'
import { createOwnEntries, type OwnEntriesDependencies } from './create-own-entries.ts'
import { createSelfFamily, type SelfFamilyDependencies, teamCookie, writeCredential } from './self-family.ts'
import { type SelfDependencies, selfRoutes, type TeamFigures } from './self-routes.ts'
import {
  type SelfSessionDependencies,
  selfLinkRoute,
  selfSignInRoute,
  selfSignOutRoute,
} from './session-routes.ts'

/** What the team's page signs in with. */
type TeamPageSessions = SelfSessionDependencies & SelfFamilyDependencies

export type TeamPageDependencies = Omit<
  SelfDependencies,
  'readTeam' | 'openStream' | 'directory' | 'log' | 'messages'
> &
  Pick<TeamPageSessions, 'isSecure'> &
  Omit<SignInsDependencies, 'door'> & {
    readonly directory: SelfDependencies['directory'] &
      OwnEntriesDependencies['directory'] &
      Pick<Directory, 'findTeam' | 'event'> &
      Pick<AuthenticateDependencies, 'findKeyBySecret'>
    readonly readFigures: () => Promise<LiveFigures>
    readonly limits: LimitsInUseDependencies['limits']
    readonly catalog: LimitsInUseDependencies['catalog']
    readonly peaks: LimitsInUseDependencies['peaks']
    readonly read: Pick<Store['read'], 'listBoards' | 'sumQuestions'> &
      OwnEntriesDependencies['read'] &
      SelfDependencies['messages']['read']
    readonly write: SelfDependencies['messages']['write']
    readonly coverage: OwnEntriesDependencies['coverage']
    /** Monotonic ms. */
    readonly stopwatch: () => number
    readonly log: Pick<Log, 'error'>
  }

/** Figures that are this old are read again. */
const freshMs = 1000

export function openTeamPage(
  world: World,
  parts: Pick<Ledger, 'directory' | 'limits' | 'records'> &
    Pick<Records, 'calls' | 'coverage'> & {
      readonly catalog: Catalog
      readonly live: Pick<Live, 'readFigures' | 'peaks'>
      readonly reports: Pick<SpendReports, 'series'>
      readonly recorders: { readonly list: TeamPageDependencies['listRecorders'] }
      readonly addresses: DoorAddresses
    },
) {
  const { config, store, clock, onDrain } = world
  const { directory, live, reports } = parts
  const addresses = parts.addresses.ofClients
  const dependencies: TeamPageDependencies = {
    ...world,
    ...store,
    ...parts,
    ...live,
    addresses,
    event: directory.event,
    announcements: directory.announcements,
    readSeries: query => reports.series(query),
    listRecorders: parts.recorders.list,
    isSecure: createSecureCheck(createTrustedAddresses(config.trustedProxies)),
  }
  const keys = { ...directory, clock }
  const signIns = new SignIns({ ...dependencies, door: 'gateway' })
  const figures = new SharedFigures(dependencies)
  const sessions: TeamPageSessions = {
    ...dependencies,
    signIns,
    authenticate: createAuthenticate(keys),
    findCaller: secretHash => findCallerByHash(keys, secretHash),
    findCallerBySecret: secret => findCallerBySecret(keys, secret),
    ownOrigin: () => new URL(addresses().gateway).origin,
  }
  const feed = createFeed(dependencies, figures)
  onDrain(() => feed.close())
  const self = {
    ...dependencies,
    log: createOwnEntries(dependencies),
    messages: dependencies,
    readTeam: (team: Team) => figures.readTeam(team),
    openStream: (teamId: string, lastId: string | null, opener: StreamOpener) =>
      feed.open(new Set([`${topicPrefix}${teamId}`]), lastId, opener),
  }
  const claims = {
    isOwn: ({ request }: Call) => isOwnPage(request.headers, sessions.ownOrigin()),
    signIn: async (call: Call, keyHash: string) => {
      const { cookie } = await signIns.begin(writeCredential(keyHash))
      return writeCookie(teamCookie, cookie, dependencies.isSecure(call))
    },
  }
  const family = createSelfFamily(sessions)
  const routes = [
    ...selfRoutes(self, family),
    selfLinkRoute(sessions, family),
    selfSignOutRoute(sessions, family),
  ]
  return {
    signIns,
    claims,
    /** They count against no limit. */
    routes: routes.map(route => ({ ...route, gate: createRouteGate(route) })),
    openRoutes: [selfSignInRoute(sessions)],
  }
}

/** Of a large event: a page for each participant, and some that were left open. */
const mostReaders = 3000
const topicPrefix = 'self:'

/** What a team's pages follow: written once a second for each team that somebody follows, whoever they are. */
function createFeed(
  { directory, event, announcements, clock, stopwatch, every, log }: TeamPageDependencies,
  figures: SharedFigures,
): LiveFeed {
  return new LiveFeed({
    sources: [
      {
        isOf: topic => topic.startsWith(topicPrefix),
        everyMs: () => 1000,
        read: async topics => {
          const now = clock()
          const written = await Promise.all(
            [...topics].map(async topic => {
              const teamId = topic.slice(topicPrefix.length)
              const team = directory.findTeam(teamId)
              const shared = team === undefined ? null : await figures.readTeam(team)
              const shown = listShown(announcements(), teamId, now)
              const things =
                shared === null
                  ? []
                  : [buildSelfFigures({ ...shared, now, event: event(), announcements: shown })]
              return [topic, new Map(things.map(thing => ['', JSON.stringify(thing)]))] as const
            }),
          )
          return new Map(written)
        },
      },
    ],
    version: directory.version,
    clock,
    stopwatch,
    every,
    newId: () => crypto.randomUUID(),
    report: error => {
      if (!isReportedByStore(error))
        log.error({ err: error }, "Figures for the teams' pages could not be read.")
    },
    mostReaders,
    nameEvent: () => 'self',
  })
}

/** However many pages ask, the figures of all teams are read once a second at most, and the limits of each team too. */
class SharedFigures {
  readonly #given: SharedFiguresDependencies
  readonly #all: FreshValue<AllFigures>
  readonly #limits = new Map<string, FreshValue<TeamFigures['limits']>>()

  constructor(given: SharedFiguresDependencies) {
    this.#given = given
    this.#all = new FreshValue(() => this.#readAll(), given.clock, freshMs)
  }

  /** Null for a team that is not there. Rejects with StoreUnavailable. */
  async readTeam(team: Team): Promise<TeamFigures | null> {
    const [shared, limits] = await Promise.all([this.#all.read(), this.#readLimits(team)])
    // A team that was made within this second is in the next figures.
    const isNew = !shared.rows.has(team.teamId) && this.#given.directory.findTeam(team.teamId) !== undefined
    const { rows, boards, questions } = isNew ? await this.#all.renew() : shared
    const row = rows.get(team.teamId)
    if (row === undefined) return null
    const { teamId } = team
    return { row, limits, board: boards.get(teamId) ?? null, questions: questions.get(teamId) ?? null }
  }

  #readLimits({ teamId }: Team): Promise<TeamFigures['limits']> {
    const { directory, clock } = this.#given
    const kept = this.#limits.get(teamId)
    if (kept !== undefined) return kept.read()
    const value = new FreshValue(
      async () => {
        const team = directory.findTeam(teamId)
        return team === undefined ? [] : await readLimitsInUse(this.#given, team, clock())
      },
      clock,
      freshMs,
    )
    this.#limits.set(teamId, value)
    return value.read()
  }

  async #readAll(): Promise<AllFigures> {
    const { readFigures, read } = this.#given
    const [figures, boards, questions] = await Promise.all([
      readFigures(),
      read.listBoards(),
      read.sumQuestions(null),
    ])
    return {
      rows: figures.rowOf,
      boards: new Map(boards.map(board => [board.teamId, board])),
      questions: new Map(questions.map(sum => [sum.teamId, sum])),
    }
  }
}

type SharedFiguresDependencies = Pick<
  TeamPageDependencies,
  'directory' | 'readFigures' | 'read' | 'limits' | 'catalog' | 'peaks' | 'clock'
>

type AllFigures = {
  readonly rows: ReadonlyMap<string, TeamRow>
  readonly boards: ReadonlyMap<string, Board>
  readonly questions: ReadonlyMap<string, QuestionSum>
}
