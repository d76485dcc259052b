// Makes the wall of the event: its routes on the gateway door, its live stream, and the timer that freezes walls when nobody looks.

import type { Directory } from '../directory/create-directory.ts'
import type { Log } from '../http/log.ts'
import { LiveFeed } from '../insight/live-feed.ts'
import type { LiveFigures } from '../insight/live-figures.ts'
import type { WallDesk, WallLink } from '../people/wall-desk.ts'
import type { Store } from '../store/store.ts'
import { isReportedByStore } from '../store/store-unavailable.ts'
import { type WallDependencies, wallRoutes } from './route.ts'
import { WallBoard } from './wall-board.ts'

export type WallParts = Pick<WallDependencies, 'every' | 'clock'> & {
  readonly desk: WallDesk
  readonly directory: Pick<Directory, 'event' | 'announcements'>
  readonly readFigures: () => Promise<LiveFigures>
  readonly read: Pick<Store['read'], 'listBoards'>
  /** Monotonic ms. */
  readonly stopwatch: () => number
  readonly log: Pick<Log, 'error'>
}

/** Screens in halls, and people who open the link on their phones. */
const mostReaders = 1000
const topicPrefix = 'wall:'

export function createWall(parts: WallParts) {
  const { desk, directory, readFigures, read, every, clock, stopwatch, log } = parts
  const report = (error: unknown) => {
    if (!isReportedByStore(error)) log.error({ err: error }, 'Figures for the wall could not be read.')
  }
  const board = new WallBoard({
    readFacts: async () => {
      const [{ rows, overview }, boards] = await Promise.all([readFigures(), read.listBoards()])
      return { rows, overview, boards, announcements: directory.announcements() }
    },
    event: directory.event,
    freeze: (link, snapshot) => desk.freeze(link, snapshot),
    clock,
  })
  const feed = new LiveFeed({
    sources: [
      {
        isOf: topic => topic.startsWith(topicPrefix),
        everyMs: () => 1000,
        read: async topics => {
          const links = await desk.recent()
          const shown = links.filter(({ wallTokenId }) => topics.has(`${topicPrefix}${wallTokenId}`))
          const texts = await Promise.all(
            shown.map(
              async link =>
                [`${topicPrefix}${link.wallTokenId}`, new Map([['', await board.write(link)]])] as const,
            ),
          )
          return new Map(texts)
        },
      },
    ],
    // How much organisers change is not for the hall.
    version: () => 0,
    clock,
    stopwatch,
    every,
    newId: () => crypto.randomUUID(),
    report,
    mostReaders,
    nameEvent: () => 'wall',
  })
  // A wall that nobody looks at is frozen in time too.
  const stopFreezing = every(1000, async () => {
    try {
      for (const link of await desk.recent()) await board.freezeIfDue(link)
    } catch (error) {
      report(error)
    }
  })
  return {
    openRoutes: wallRoutes({
      ...parts,
      findLink: token => desk.find(token),
      write: link => board.write(link),
      openStream: (link: WallLink, lastId, address) =>
        feed.open(new Set([`${topicPrefix}${link.wallTokenId}`]), lastId, { owner: null, address }),
    }),
    close: () => {
      stopFreezing()
      feed.close()
    },
  }
}
