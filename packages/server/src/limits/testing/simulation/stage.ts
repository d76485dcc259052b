// The clock of a simulation. It moves only in `move`, and waits for the engine to answer.

/** A clock that stands still until it is moved, with its timers and the engine's pending work. */
export class Stage {
  now: number
  #timers: { readonly at: number; readonly run: () => void }[] = []
  readonly #pending = new Set<Promise<unknown>>()

  constructor(beginAt: number) {
    this.now = beginAt
  }

  readonly after = (milliseconds: number, run: () => void) => {
    // Whole milliseconds, as a clock has them.
    const timer = { at: this.now + Math.ceil(milliseconds), run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter(each => each !== timer)
    }
  }

  wait(milliseconds: number): Promise<void> {
    return new Promise(resolve => this.after(milliseconds, resolve))
  }

  /** The clock stands still until the engine has answered. */
  track<Value>(answer: Value | Promise<Value>): Value | Promise<Value> {
    if (!(answer instanceof Promise)) return answer
    this.#pending.add(answer)
    const forget = () => this.#pending.delete(answer)
    answer.then(forget, forget)
    return answer
  }

  /** Runs every timer that is due until then, each at its own time, with its consequences. */
  async move(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds
    await this.#settle()
    for (;;) {
      const [first, ...others] = this.#timers
      if (first === undefined) break
      const next = others.reduce((least, each) => (each.at < least.at ? each : least), first)
      if (next.at > end) break
      this.#timers = this.#timers.filter(each => each !== next)
      this.now = Math.max(this.now, next.at)
      next.run()
      await this.#settle()
    }
    this.now = end
  }

  async #settle(): Promise<void> {
    do {
      await Promise.allSettled(this.#pending)
      // Everything that follows from an answer without waiting has happened by then.
      await new Promise(resolve => setImmediate(resolve))
    } while (this.#pending.size > 0)
  }
}
