// Runs the changes of the directory one after the other, and keeps memory the same as the disk when the answer to a change was lost.

/** Runs a task when those before it have ended. */
export type InTurn = <Result>(task: () => Promise<Result>) => Promise<Result>

export type InStepDependencies = {
  /** Whether a change may have been made although it failed with this error. */
  readonly isUncertain: (error: unknown) => boolean
  /** Reads what the disk has into memory. Rejects when that cannot be done yet. */
  readonly reload: () => Promise<void>
}

export class InStep {
  readonly #dependencies: InStepDependencies
  #last: Promise<unknown> = Promise.resolve()
  /** Memory may lack a change that the disk has. */
  #isBehind = false

  constructor(dependencies: InStepDependencies) {
    this.#dependencies = dependencies
  }

  /** Runs a change in turn, so that it starts from the result of the change before it. Memory is put right first, if need be. */
  readonly inTurn: InTurn = task =>
    this.#queue(async () => {
      await this.#reloadIfBehind()
      try {
        return await task()
      } catch (error) {
        if (this.#dependencies.isUncertain(error)) {
          this.#isBehind = true
          // A lost connection is soon replaced. Otherwise the next change or the recovery of the store reloads.
          await this.#reloadIfBehind().catch(() => undefined)
        }
        throw error
      }
    })

  /** Puts memory right, if need be; for when the store can be used again. */
  catchUp(): Promise<void> {
    return this.#queue(() => this.#reloadIfBehind())
  }

  readonly #queue: InTurn = task => {
    const result = this.#last.then(task)
    // A failed task must not stop those behind it; its own caller gets the error.
    this.#last = result.catch(() => undefined)
    return result
  }

  async #reloadIfBehind(): Promise<void> {
    if (!this.#isBehind) return
    await this.#dependencies.reload()
    this.#isBehind = false
  }
}
