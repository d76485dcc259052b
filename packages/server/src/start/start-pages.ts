// Starts what people look at in a browser: the page of a team, the wall, and the documents and files of all pages.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { openPages } from '@fairgate/console/open-pages.ts'
import type { Desks } from '../admin/create-desks.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { Log } from '../http/log.ts'
import { createPages, type Pages } from '../http/pages/serve-pages.ts'
import type { SpendReports } from '../insight/spend-reports.ts'
import type { Live } from '../insight/start-live.ts'
import type { DoorAddresses } from '../process/door-addresses.ts'
import type { Store } from '../store/store.ts'
import { createTeamPage, type TeamPageDependencies } from '../team-page/create-team-page.ts'
import { createWall } from '../wall/create-wall.ts'
import type { ServerTime } from '../world/server-time.ts'
import { every } from '../world/timers.ts'

export type PagesParts = {
  readonly dataFolder: string
  readonly store: Pick<Store, 'read' | 'write'>
  readonly directory: Directory
  /** The figures of the moment. */
  readonly live: Pick<Live, 'readFigures' | 'peaks'>
  /** What a team reads of its own. */
  readonly own: Pick<
    TeamPageDependencies,
    'catalog' | 'limits' | 'records' | 'calls' | 'coverage' | 'listRecorders'
  > & {
    readonly reports: Pick<SpendReports, 'series'>
  }
  readonly desks: Pick<Desks, 'walls' | 'isSecure'>
  readonly addresses: Pick<DoorAddresses, 'ofClients'>
  readonly time: Pick<ServerTime, 'clock' | 'stopwatch'>
  readonly log: Pick<Log, 'error'>
}

export type StartedPages = {
  readonly teamPage: ReturnType<typeof createTeamPage>
  readonly wall: ReturnType<typeof createWall>
  readonly pages: Pages
  /** Ends what pages follow. */
  readonly close: () => void
}

export function startPages(parts: PagesParts): StartedPages {
  const { dataFolder, store, directory, live, own, desks, addresses, time, log } = parts
  const { read, write } = store
  const { clock, stopwatch } = time
  const common = { directory, readFigures: live.readFigures, every, clock, stopwatch, log }
  const { reports, ...ownParts } = own
  const teamPage = createTeamPage({
    ...common,
    ...ownParts,
    read,
    write,
    isSecure: desks.isSecure,
    randomBytes,
    event: directory.event,
    announcements: directory.announcements,
    peaks: live.peaks,
    readSeries: query => reports.series(query),
    addresses: addresses.ofClients,
  })
  const wall = createWall({
    ...common,
    read,
    desk: desks.walls,
  })
  const pages = createPages({
    open: () => openPages(join(dataFolder, 'pages')),
    reportFailure: error => log.error({ err: error }, 'The pages of the console could not be built.'),
  })
  return {
    teamPage,
    wall,
    pages,
    close: () => {
      teamPage.close()
      wall.close()
    },
  }
}
