// Opens the event's wall: its routes on the gateway door, its live stream, and the timer that freezes walls without viewers.
import { randomUUID } from 'node:crypto'
import type { Directory } from '../directory/create-directory.ts'
import { LiveFeed } from '../insight/live-feed.ts'
import type { Live } from '../insight/open-live.ts'
import { WallService } from '../people/wall-service.ts'
import { reportTo } from '../store/open-store.ts'
import type { World } from '../world/world.ts'
import { topicOf, wallRoutes } from './route.ts'
import { WallBoard } from './wall-board.ts'

/** Screens in halls, and people who open the link on their phones. */
const maxReaders = 1000

export function openWall(world: World, directory: Directory, { readFigures }: Pick<Live, 'readFigures'>) {
  const { store, every, log, onDrain, onStop } = world
  const service = new WallService({ ...world, ...store, timeZone: () => directory.event().timeZone })
  const report = reportTo(log, 'error', 'Wall figures could not be read.')
  const board = new WallBoard({ ...world, ...store, service, directory, readFigures })
  const feed = new LiveFeed({
    ...world,
    sources: [
      {
        isOf: () => true,
        everyMs: () => 1000,
        read: async topics => {
          const links = await service.recent()
          const shown = links.filter(link => topics.has(topicOf(link)))
          const texts = await Promise.all(
            shown.map(async link => [topicOf(link), new Map([['', await board.write(link)]])] as const),
          )
          return new Map(texts)
        },
      },
    ],
    // Constant, because the number of organisers' changes is not for the hall.
    version: () => 0,
    newId: randomUUID,
    report,
    maxReaders,
    nameEvent: () => 'wall',
  })
  // Walls without viewers are also frozen on time.
  onStop(
    every(1000, async () => {
      try {
        for (const link of await service.recent()) await board.freezeIfDue(link)
      } catch (error) {
        report(error)
      }
    }),
  )
  onDrain(() => feed.close())
  return { service, openRoutes: wallRoutes({ ...world, service, board, feed }) }
}
