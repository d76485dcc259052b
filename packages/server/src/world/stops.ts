// Shuts the server down: each room registers its stop when it starts, and the last to start is the first to stop.

export class Stops {
  readonly #draining: (() => void)[] = []
  readonly #stopping: (() => unknown)[] = []

  /** Runs before requests are waited for: ends what clients would otherwise follow forever. */
  readonly onDrain = (run: () => void): void => {
    this.#draining.push(run)
  }

  /** A stop that resolves with false has lost something. */
  readonly onStop = (stop: () => unknown): void => {
    this.#stopping.push(stop)
  }

  readonly drain = (): void => {
    for (const run of this.#draining.splice(0)) run()
  }

  /** Resolves with false if something was lost. Rejects with the error of a stop after all have run. */
  async stop(): Promise<boolean> {
    let isWritten = true
    const failures: unknown[] = []
    for (const stop of this.#stopping.splice(0).reverse()) {
      try {
        if ((await stop()) === false) isWritten = false
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
    return isWritten
  }
}
