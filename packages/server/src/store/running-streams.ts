// Tracks the streams that this process is serving: the usage of each so far, and how their rows wait for each other on the way to the disk.
import type { StreamProgress } from '../ledger/charge.ts'

export type ServedStream = {
  /** Called about once a second; null for none yet. */
  readonly progress: () => StreamProgress | null
  /** Ends the stream as a failure of this server. */
  readonly stop: () => void
}

export class RunningStreams {
  readonly #streams = new Map<string, ServedStream>()

  begin(callId: string, stream: ServedStream): void {
    this.#streams.set(callId, stream)
  }

  end(callId: string): void {
    this.#streams.delete(callId)
  }

  count(): number {
    return this.#streams.size
  }

  stopAll(report: (error: unknown) => void): void {
    for (const { stop } of [...this.#streams.values()]) {
      try {
        stop()
      } catch (error) {
        report(error)
      }
    }
  }

  collectProgress(report: (error: unknown) => void): StreamProgress[] {
    const progress: StreamProgress[] = []
    for (const stream of this.#streams.values()) {
      try {
        const known = stream.progress()
        if (known !== null) progress.push(known)
      } catch (error) {
        // A stream with unreadable progress must not stop the charges of all others.
        report(error)
      }
    }
    return progress
  }
}

/** How long rows wait for each other: no stream has its first byte or its end so soon that its client would notice. */
const gatherMs = 5

export type GatheringDependencies = {
  readonly monotonicMs: () => number
  /** Runs a function once, after this many milliseconds. */
  readonly after: (milliseconds: number, run: () => void) => void
  /** The gathered rows must be taken now. */
  readonly whenGathered: () => void
}

/** Rows that follow each other closely go together: otherwise a thousand streams a second would be two thousand commits. */
export class Gathering<Row> {
  readonly #dependencies: GatheringDependencies
  #rows: Row[] = []
  #isWaiting = false
  #lastAt = Number.NEGATIVE_INFINITY

  constructor(dependencies: GatheringDependencies) {
    this.#dependencies = dependencies
  }

  /** False for a row that comes alone: it is not kept, and need not wait. */
  add(row: Row): boolean {
    const { monotonicMs, after, whenGathered } = this.#dependencies
    const now = monotonicMs()
    const isAlone = now - this.#lastAt >= gatherMs
    this.#lastAt = now
    if (isAlone) return false
    this.#rows.push(row)
    if (this.#isWaiting) return true
    this.#isWaiting = true
    after(gatherMs, () => {
      this.#isWaiting = false
      whenGathered()
    })
    return true
  }

  /** Everything that has been gathered; a commit that runs anyway takes it along. */
  take(): Row[] {
    return this.#rows.splice(0)
  }
}
