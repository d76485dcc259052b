// Makes what the team's page reads and signs in with: its routes, and figures that all pages share.
import type { TeamRow } from '@fairgate/contracts/console/teams.ts'
import { SignIns, type SignInsDependencies } from '../access/sign-ins.ts'
import type { LiveFigures } from '../admin/overview/live-figures.ts'
import { LiveFeed } from '../admin/stream/live-feed.ts'
import { listShown } from '../directory/announcements.ts'
import type { Directory } from '../directory/create-directory.ts'
import {
  buildSelfFigures,
  createTeamPageRoutes,
  type SelfDependencies,
  type TeamPageSessions,
} from '../gateway/app.ts'
import {
  type AuthenticateDependencies,
  createAuthenticate,
  findCallerByHash,
  findCallerBySecret,
} from '../gateway/flow/authenticate.ts'

import type { Log } from '../http/log.ts'
import { isReportedByStore } from '../store/store-unavailable.ts'

export type TeamPageDependencies = Omit<SelfDependencies, 'readTeamRow' | 'openStream' | 'directory'> &
  Pick<TeamPageSessions, 'guesses' | 'isSecure'> &
  Omit<SignInsDependencies, 'door'> & {
    readonly directory: SelfDependencies['directory'] &
      Pick<Directory, 'findTeam'> &
      Pick<AuthenticateDependencies, 'findKeyBySecret'>
    readonly readFigures: () => Promise<LiveFigures>
    /** Monotonic ms. */
    readonly stopwatch: () => number
    readonly log: Pick<Log, 'error'>
  }

/** Figures that are this old are read again. */
const freshMs = 1000

export function createTeamPage(dependencies: TeamPageDependencies) {
  const { directory, addresses, readFigures, clock } = dependencies
  const keys = { ...directory, clock }
  const signIns = new SignIns({ ...dependencies, door: 'gateway' })
  const figures = new SharedFigures(readFigures, clock)
  const sessions: TeamPageSessions = {
    ...dependencies,
    signIns,
    authenticate: createAuthenticate(keys),
    findCaller: secretHash => findCallerByHash(keys, secretHash),
    findCallerBySecret: secret => findCallerBySecret(keys, secret),
    ownOrigin: () => new URL(addresses().gateway).origin,
  }
  const feed = createFeed(dependencies, figures)
  const self = {
    ...dependencies,
    readTeamRow: (teamId: string) => figures.findTeam(teamId),
    openStream: (teamId: string, lastId: string | null) =>
      feed.open(new Set([`${topicPrefix}${teamId}`]), lastId),
  }
  return { signIns, close: () => feed.close(), ...createTeamPageRoutes(self, sessions) }
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
              const row = await figures.findTeam(teamId)
              const shown = listShown(announcements(), teamId, now)
              const things =
                row === null ? [] : [buildSelfFigures({ now, row, event: event(), announcements: shown })]
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

/** However many pages ask, the figures of all teams are read once a second at most. */
class SharedFigures {
  readonly #read: () => Promise<LiveFigures>
  readonly #clock: () => number
  #last: { readonly at: number; readonly rows: Promise<ReadonlyMap<string, TeamRow>> } | null = null

  constructor(read: () => Promise<LiveFigures>, clock: () => number) {
    this.#read = read
    this.#clock = clock
  }

  /** Null for a team that is not there. Rejects with StoreUnavailable. */
  async findTeam(teamId: string): Promise<TeamRow | null> {
    return (await this.#rows()).get(teamId) ?? null
  }

  #rows(): Promise<ReadonlyMap<string, TeamRow>> {
    const now = this.#clock()
    if (this.#last !== null && now - this.#last.at < freshMs) return this.#last.rows
    const rows = this.#read().then(figures => new Map(figures.rows.map(row => [row.team_id, row])))
    const reading = { at: now, rows }
    this.#last = reading
    // A failure is for those who ask now; the next one tries again.
    rows.catch(() => {
      if (this.#last === reading) this.#last = null
    })
    return rows
  }
}
