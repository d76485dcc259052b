// Keeps file descriptors in reserve: holds new connections back before they use up what calls, files and the database need.
import { closeSync, openSync } from 'node:fs'
import { createProcessFigures } from '../http/process-figures.ts'
import type { World } from '../world/world.ts'
import type { ListeningSockets } from './listening-sockets.ts'

export type DescriptorFacts = {
  /** Null if the system does not report it. */
  readonly limit: number | null
  readonly open: number | null
  /** Reserved from new connections; null if they cannot be held back here. */
  readonly reserve: number | null
  /** True while new connections wait. */
  readonly isHolding: boolean
}

type WatchedWorld = Pick<World, 'every'> & { readonly log: Pick<World['log'], 'warn'> }

/** Figures reported by the system. */
type Descriptors = {
  /** Max descriptors that the process may open; null if the system does not report it. */
  readonly maximumDescriptors: number | null
  /** Costs time in proportion to the limit: 1 ms for 4,096. */
  readonly openDescriptors: () => number | null
  /** All below this one are in use; null if none is left. Cheap, because it is read 50 times a second. */
  readonly readLowestFree: () => number | null
}

/**
 * 10,000 connections a second (measured over loopback on two cores) are 200 between two checks; the kernel has accepted up to 512 more when
 * the sockets begin to hold back. A check takes 5 µs.
 */
const lookMs = 20
/** While connections wait, every 50th check counts descriptors. */
const looksPerCount = 50
/** Each connection may need another descriptor for its call. Beyond 2,048 the reserve would only keep clients out. */
const reserveShare = 1 / 4
const maxReserve = 2048

export class DescriptorWatch {
  readonly #world: WatchedWorld
  readonly #descriptors: Descriptors
  readonly #reserve: number
  #sockets: ListeningSockets | null = null
  #isHolding = false
  #looks = 0
  #stop = () => {}

  constructor(world: WatchedWorld, descriptors: Descriptors) {
    this.#world = world
    this.#descriptors = descriptors
    this.#reserve = Math.min(Math.floor((descriptors.maximumDescriptors ?? 0) * reserveShare), maxReserve)
  }

  /** `sockets`: null on systems that cannot hold connections back. */
  start(sockets: ListeningSockets | null): void {
    const { maximumDescriptors: limit } = this.#descriptors
    this.#sockets = sockets
    if (limit !== null && sockets !== null)
      this.#stop = this.#world.every(lookMs, () => this.#look(limit, sockets))
  }

  /** Lets waiting connections in. */
  stop(): void {
    this.#stop()
    if (this.#isHolding) this.#sockets?.release()
    this.#isHolding = false
  }

  readonly read = (): DescriptorFacts => {
    return {
      limit: this.#descriptors.maximumDescriptors,
      open: this.#descriptors.openDescriptors(),
      reserve: this.#sockets === null ? null : this.#reserve,
      isHolding: this.#isHolding,
    }
  }

  readonly isHolding = (): boolean => this.#isHolding

  #look(limit: number, sockets: ListeningSockets): void {
    const { readLowestFree, openDescriptors } = this.#descriptors
    if (!this.#isHolding) {
      if ((readLowestFree() ?? limit) < limit - this.#reserve) return
      sockets.hold()
      this.#isHolding = true
      this.#looks = 0
      this.#report(
        'File descriptors are running out: new connections wait. Raise the limit, or close connections.',
      )
      return
    }
    this.#looks += 1
    if (this.#looks % looksPerCount !== 0) return
    // Half a reserve more than the bound, or the doors would open for one connection at a time.
    if ((openDescriptors() ?? limit) > limit - this.#reserve * 1.5) return
    sockets.release()
    this.#isHolding = false
    this.#report('File descriptors are free: new connections are accepted again.')
  }

  #report(text: string): void {
    const { open, limit } = this.read()
    this.#world.log.warn({ open_descriptors: open, max_descriptors: limit }, text)
  }
}

/** Checks begin with `start`. */
export function openDescriptorWatch(world: World): DescriptorWatch {
  const watch = new DescriptorWatch(world, { ...createProcessFigures(), readLowestFree })
  world.metrics.watch({ isHolding: watch.isHolding })
  world.onDrain(() => watch.stop())
  return watch
}

/** The kernel returns the lowest free descriptor. */
function readLowestFree(): number | null {
  try {
    const descriptor = openSync('/dev/null', 'r')
    closeSync(descriptor)
    return descriptor
  } catch {
    return null
  }
}
