// Writes the state of walls: once a second for all viewers, and only once for a frozen wall.

import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { Directory } from '../directory/create-directory.ts'
import { buildClock } from '../directory/event/event-record.ts'
import type { LiveFigures } from '../insight/live-figures.ts'
import type { WallLink, WallService } from '../people/wall-service.ts'
import type { Store } from '../store/store.ts'
import { FreshValue } from '../world/fresh-value.ts'
import type { World } from '../world/world.ts'
import { buildWallFigures } from './build-wall.ts'

export type WallSources = Pick<World, 'clock'> & {
  readonly service: WallService
  readonly directory: Pick<Directory, 'event' | 'announcements'>
  readonly readFigures: () => Promise<LiveFigures>
  readonly read: Pick<Store['read'], 'listBoards'>
}

/** Figures that are this old are read again. */
const freshMs = 1000

export class WallBoard {
  readonly #given: WallSources
  readonly #figures: FreshValue<{ readonly plain: string; readonly withBudgets: string }>

  constructor(given: WallSources) {
    this.#given = given
    this.#figures = new FreshValue(() => this.#write(), given.clock, freshMs)
  }

  /** Returns the wall's JSON: its figures, which can be frozen, and its clock, but without `now`. Rejects with StoreUnavailable. */
  async write(link: WallLink): Promise<string> {
    const { directory, clock } = this.#given
    const now = clock()
    const shown = await this.freezeIfDue(link)
    const figures = shown.snapshot ?? (await this.#figuresOf(shown))
    const frame = JSON.stringify({
      name: shown.name,
      shows_budgets: shown.shows_budgets !== 0,
      freeze_at: isoTime(shown.freeze_at),
      frozen_at: isoTime(shown.frozen_at),
      clock: buildClock(directory.event(), now),
    })
    // The figures are the long part and were serialized once for all viewers.
    return `${frame.slice(0, -1)},${figures.slice(1)}`
  }

  /** Freezes the wall if its time has come. If multiple callers do, the first one's figures count. Returns the current link. */
  async freezeIfDue(link: WallLink): Promise<WallLink> {
    const { service, clock } = this.#given
    if (link.snapshot !== null || link.freeze_at === null || clock() < link.freeze_at) return link
    return await service.freeze(link, await this.#figuresOf(link))
  }

  async #figuresOf({ shows_budgets }: WallLink): Promise<string> {
    const { plain, withBudgets } = await this.#figures.read()
    return shows_budgets !== 0 ? withBudgets : plain
  }

  async #write() {
    const { directory, readFigures, read, clock } = this.#given
    const now = clock()
    const [{ rows, overview }, boards] = await Promise.all([readFigures(), read.listBoards()])
    const announcements = directory.announcements()
    const facts = { now, event: directory.event(), rows, overview, boards, announcements }
    return {
      plain: JSON.stringify(buildWallFigures(facts, false)),
      withBudgets: JSON.stringify(buildWallFigures(facts, true)),
    }
  }
}
