// Counts a rehearsal's calls, refusals, failures, entries and their durations.

/** Latencies, in ms. */
class Times {
  readonly #values: number[] = []

  add(milliseconds: number): void {
    this.#values.push(milliseconds)
  }

  /** Nearest rank; null if nothing was measured. */
  at(share: number): number | null {
    const sorted = this.#values.toSorted((left, right) => left - right)
    const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
    return value === undefined ? null : Math.round(value * 10) / 10
  }

  summary(): Percentiles {
    return { p50_ms: this.at(0.5), p95_ms: this.at(0.95), p99_ms: this.at(0.99) }
  }
}

export type Percentiles = {
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  readonly p99_ms: number | null
}

export type TallyFigures = {
  readonly calls: number
  readonly streams: number
  readonly refusals: Readonly<Record<string, number>>
  /** Refusals of the team that loops without a pause, which are intended. */
  readonly refusals_of_the_loop: number
  readonly failures: Readonly<Record<string, number>>
  readonly call: Percentiles
  readonly first_token: Percentiles
  readonly pushes: number
  readonly push: Percentiles
  readonly entries: number
  /** Entries sent that were neither stored nor recognized as duplicates. */
  readonly entries_missing: number
  /** The cost that the replies reported. */
  readonly told_cost_nano: number
}

export class Tally {
  #calls = 0
  #streams = 0
  #pushes = 0
  #entries = 0
  #missing = 0
  #costNano = 0
  #loopRefusals = 0
  readonly #refusals = new Map<string, number>()
  readonly #failures = new Map<string, number>()
  readonly #callTimes = new Times()
  readonly #firstTokens = new Times()
  readonly #pushTimes = new Times()

  /** `firstTokenMs`: streams only. */
  addCall(call: {
    readonly milliseconds: number
    readonly firstTokenMs: number | null
    readonly costNano: number
  }): void {
    this.#calls += 1
    this.#costNano += call.costNano
    this.#callTimes.add(call.milliseconds)
    if (call.firstTokenMs === null) return
    this.#streams += 1
    this.#firstTokens.add(call.firstTokenMs)
  }

  addRefusal(code: string, isLoop: boolean): void {
    increment(this.#refusals, code)
    if (isLoop) this.#loopRefusals += 1
  }

  addFailure(kind: string): void {
    increment(this.#failures, kind)
  }

  addPush(push: { readonly milliseconds: number; readonly sent: number; readonly kept: number }): void {
    this.#pushes += 1
    this.#entries += push.kept
    this.#missing += push.sent - push.kept
    this.#pushTimes.add(push.milliseconds)
  }

  read(): TallyFigures {
    return {
      calls: this.#calls,
      streams: this.#streams,
      refusals: Object.fromEntries(this.#refusals),
      refusals_of_the_loop: this.#loopRefusals,
      failures: Object.fromEntries(this.#failures),
      call: this.#callTimes.summary(),
      first_token: this.#firstTokens.summary(),
      pushes: this.#pushes,
      push: this.#pushTimes.summary(),
      entries: this.#entries,
      entries_missing: this.#missing,
      told_cost_nano: this.#costNano,
    }
  }
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
