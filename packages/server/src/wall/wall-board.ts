// Writes what walls show: once a second for all viewers, and once and for all for a wall that is frozen.

import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { WallLink } from '../people/wall-desk.ts'
import { buildWallClock, buildWallFigures, type WallFacts } from './build-wall.ts'

export type WallBoardDependencies = {
  /** All that a wall needs to know, but for the moment and the event. */
  readonly readFacts: () => Promise<Omit<WallFacts, 'now' | 'event'>>
  readonly event: () => WallFacts['event']
  /** Keeps what the wall shows from now on. */
  readonly freeze: (link: WallLink, snapshot: string) => Promise<WallLink>
  /** Unix ms. */
  readonly clock: () => number
}

/** Figures that are this old are read again. */
const freshMs = 1000

type Written = { readonly plain: string; readonly withBudgets: string }

export class WallBoard {
  readonly #given: WallBoardDependencies
  #last: { readonly at: number; readonly written: Promise<Written> } | null = null

  constructor(dependencies: WallBoardDependencies) {
    this.#given = dependencies
  }

  /** JSON of what stands still when the wall is frozen, and of what tells the time, without `now`. Rejects with StoreUnavailable. */
  async write(link: WallLink): Promise<string> {
    const { event, clock } = this.#given
    const now = clock()
    const shown = await this.freezeIfDue(link)
    const figures = shown.snapshot ?? (await this.#figures(shown))
    const frame = JSON.stringify({
      name: shown.name,
      shows_budgets: shown.showsBudgets,
      freeze_at: isoTime(shown.freezeAt),
      frozen_at: isoTime(shown.frozenAt),
      clock: buildWallClock(event(), now),
    })
    // The figures are the long part: they were written once for everybody.
    return `${frame.slice(0, -1)},${figures.slice(1)}`
  }

  /** Of several that find that the time has come, the first one's figures count. Answers the link as it is then. */
  async freezeIfDue(link: WallLink): Promise<WallLink> {
    if (link.snapshot !== null || link.freezeAt === null || this.#given.clock() < link.freezeAt) return link
    return await this.#given.freeze(link, await this.#figures(link))
  }

  async #figures({ showsBudgets }: WallLink): Promise<string> {
    const { plain, withBudgets } = await this.#read()
    return showsBudgets ? withBudgets : plain
  }

  #read(): Promise<Written> {
    const { clock, readFacts, event } = this.#given
    const now = clock()
    if (this.#last !== null && now - this.#last.at < freshMs && now >= this.#last.at)
      return this.#last.written
    const written = readFacts().then(facts => {
      const all = { ...facts, now, event: event() }
      return {
        plain: JSON.stringify(buildWallFigures(all, false)),
        withBudgets: JSON.stringify(buildWallFigures(all, true)),
      }
    })
    const reading = { at: now, written }
    this.#last = reading
    // A failure is for those who ask now; the next one tries again.
    written.catch(() => {
      if (this.#last === reading) this.#last = null
    })
    return written
  }
}
