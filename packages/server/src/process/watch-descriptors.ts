// Keeps file descriptors in reserve: holds new connections back before they have used up what calls, files and the database need.
import { closeSync, openSync } from 'node:fs'
import type { ListeningSockets } from './listening-sockets.ts'

export type DescriptorFacts = {
  /** Null if the system does not say. */
  readonly limit: number | null
  readonly open: number | null
  /** Kept from new connections; null if they cannot be held back here. */
  readonly reserve: number | null
  /** New connections wait. */
  readonly isHolding: boolean
}

export type DescriptorWatchDependencies = {
  /** Most that the process may open; null if the system does not say. */
  readonly limit: number | null
  /** All below this one are in use; null if none is left. Cheap: it is read 50 times a second. */
  readonly readLowestFree: () => number | null
  /** Costs time in proportion to the limit: 1 ms for 4,096. */
  readonly countOpen: () => number | null
  /** Runs a function every so many milliseconds; returns its stop. */
  readonly every: (milliseconds: number, run: () => void) => () => void
  readonly reportHeld: (facts: DescriptorFacts) => void
  readonly reportReleased: (facts: DescriptorFacts) => void
}

/**
 * 10,000 connections a second (measured over loopback on two cores) are 200 between two looks; up to 512 more have been accepted by
 * the kernel when the sockets begin to hold back. A look takes 5 µs.
 */
const lookMs = 20
/** While connections wait, every 50th look counts. */
const looksPerCount = 50
/** Each connection may need another descriptor for its call. Beyond 2,048 the reserve would only keep clients out. */
const reserveShare = 1 / 4
const maxReserve = 2048

export class DescriptorWatch {
  readonly #dependencies: DescriptorWatchDependencies
  readonly #reserve: number
  #sockets: ListeningSockets | null = null
  #isHolding = false
  #looks = 0
  #stop = () => {}

  constructor(dependencies: DescriptorWatchDependencies) {
    this.#dependencies = dependencies
    this.#reserve = Math.min(Math.floor((dependencies.limit ?? 0) * reserveShare), maxReserve)
  }

  /** `sockets`: null on systems that cannot hold connections back. */
  start(sockets: ListeningSockets | null): void {
    const { limit, every } = this.#dependencies
    this.#sockets = sockets
    if (limit !== null && sockets !== null) this.#stop = every(lookMs, () => this.#look(limit, sockets))
  }

  /** Connections that wait are let in. */
  stop(): void {
    this.#stop()
    if (this.#isHolding) this.#sockets?.release()
    this.#isHolding = false
  }

  readonly read = (): DescriptorFacts => {
    const { limit, countOpen } = this.#dependencies
    return {
      limit,
      open: countOpen(),
      reserve: this.#sockets === null ? null : this.#reserve,
      isHolding: this.#isHolding,
    }
  }

  readonly isHolding = (): boolean => this.#isHolding

  #look(limit: number, sockets: ListeningSockets): void {
    const { readLowestFree, countOpen, reportHeld, reportReleased } = this.#dependencies
    if (!this.#isHolding) {
      if ((readLowestFree() ?? limit) < limit - this.#reserve) return
      sockets.hold()
      this.#isHolding = true
      this.#looks = 0
      reportHeld(this.read())
      return
    }
    this.#looks += 1
    if (this.#looks % looksPerCount !== 0) return
    // Half a reserve more than the bound, or the doors would open for one connection at a time.
    if ((countOpen() ?? limit) > limit - this.#reserve * 1.5) return
    sockets.release()
    this.#isHolding = false
    reportReleased(this.read())
  }
}

/** The kernel gives the lowest descriptor that is free. */
export function readLowestFree(): number | null {
  try {
    const descriptor = openSync('/dev/null', 'r')
    closeSync(descriptor)
    return descriptor
  } catch {
    return null
  }
}
