// Runs changes of the directory one after another, each from the newest state, and keeps memory equal to the disk if the result of a change was lost.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'

/** `version`: the number of the change that the result is based on. */
export type Written<Result> = { readonly version: number; readonly result: Result }

/** `attempt` is one try: null if another process has changed the same record since it was read. It is then run again. */
export type RunChange = <Result>(attempt: () => Promise<Written<Result> | null>) => Promise<Result>

export type ChangeRunnerDependencies = {
  /** True if a change may have been made although it failed with this error. */
  readonly isUncertain: (error: unknown) => boolean
  /** Other processes change the same directory. */
  readonly hasOthers: boolean
  /** Reads other processes' changes into memory. Rejects if that is not possible. */
  readonly refresh: () => Promise<void>
  /** Reads the disk into memory once no change is running. Rejects if that is not possible yet. */
  readonly reload: () => Promise<void>
  /** Resolves when the other processes apply the change, or after a while. */
  readonly awaitOthers: (version: number) => Promise<void>
}

/** Each lost try is a change by another process, so this many in a row are contention, not bad luck. */
const maxTries = 200

export class ChangeRunner {
  readonly #dependencies: ChangeRunnerDependencies
  #last: Promise<unknown> = Promise.resolve()
  /** Memory may lack a change that the disk has. */
  #isBehind = false

  constructor(dependencies: ChangeRunnerDependencies) {
    this.#dependencies = dependencies
  }

  /** Throws ApiError `conflict` (409) if other writers kept winning. */
  readonly run: RunChange = async attempt => {
    const { version, result } = await this.#queue(() => this.#try(attempt))
    await this.#dependencies.awaitOthers(version)
    return result
  }

  /** Reads everything again, in turn, once the store is available again. */
  reload(): Promise<void> {
    return this.#queue(() => this.#reload())
  }

  /** Starts from the result of the previous change. Memory is corrected first if necessary. */
  async #try<Result>(attempt: () => Promise<Written<Result> | null>): Promise<Written<Result>> {
    const { hasOthers, refresh } = this.#dependencies
    if (this.#isBehind) await this.#reload()
    for (let tries = 0; tries < maxTries; tries += 1) {
      if (hasOthers || tries > 0) await refresh()
      const written = await this.#guard(attempt)
      if (written !== null) return written
    }
    throw new ApiError('conflict', {
      message: 'The same team, key or token keeps being changed by others. Nothing was changed; try again.',
    })
  }

  async #guard<Result>(attempt: () => Promise<Result>): Promise<Result> {
    try {
      return await attempt()
    } catch (error) {
      if (this.#dependencies.isUncertain(error)) {
        this.#isBehind = true
        // A lost connection is soon replaced. Otherwise the next change or the store's recovery reloads.
        await this.#reload().catch(() => undefined)
      }
      throw error
    }
  }

  async #reload(): Promise<void> {
    await this.#dependencies.reload()
    this.#isBehind = false
  }

  #queue<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(task)
    // A failed task must not stop those behind it; its own caller gets the error.
    this.#last = result.catch(() => undefined)
    return result
  }
}
