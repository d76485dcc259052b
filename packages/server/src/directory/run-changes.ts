// Runs the changes of the directory one after the other, each from the newest state, and keeps memory the same as the disk when the
// answer to a change was lost.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'

/** `version`: the number of the change that the result rests on. */
export type Written<Result> = { readonly version: number; readonly result: Result }

/** `attempt` is one try: null when what it changes was changed by another process since it was read; it is then run again. */
export type RunChange = <Result>(attempt: () => Promise<Written<Result> | null>) => Promise<Result>

export type ChangeRunnerDependencies = {
  /** Whether a change may have been made although it failed with this error. */
  readonly isUncertain: (error: unknown) => boolean
  /** Other processes change the same directory. */
  readonly hasOthers: boolean
  /** Reads into memory what others have changed. Rejects when that cannot be done. */
  readonly refresh: () => Promise<void>
  /** Reads into memory what the disk has when no change runs any more. Rejects when that cannot be done yet. */
  readonly reload: () => Promise<void>
  /** Resolves when the other processes have the change in force, or after a while. */
  readonly awaitOthers: (version: number) => Promise<void>
}

/** Each lost try is a change that another process has made, so this many in a row are a fight and not bad luck. */
const mostTries = 200

export class ChangeRunner {
  readonly #dependencies: ChangeRunnerDependencies
  #last: Promise<unknown> = Promise.resolve()
  /** Memory may lack a change that the disk has. */
  #isBehind = false

  constructor(dependencies: ChangeRunnerDependencies) {
    this.#dependencies = dependencies
  }

  /** Throws ApiError `conflict` (409) when others kept getting in between. */
  readonly run: RunChange = async attempt => {
    const { version, result } = await this.#queue(() => this.#try(attempt))
    await this.#dependencies.awaitOthers(version)
    return result
  }

  /** Reads everything again, in turn; for when the store can be used again. */
  reload(): Promise<void> {
    return this.#queue(() => this.#reload())
  }

  /** Starts from the result of the change before it. Memory is put right first, if need be. */
  async #try<Result>(attempt: () => Promise<Written<Result> | null>): Promise<Written<Result>> {
    const { hasOthers, refresh } = this.#dependencies
    if (this.#isBehind) await this.#reload()
    for (let tries = 0; tries < mostTries; tries += 1) {
      if (hasOthers || tries > 0) await refresh()
      const written = await this.#guard(attempt)
      if (written !== null) return written
    }
    throw new ApiError('conflict', {
      message: 'Others keep changing the same team, key or token. Nothing was changed; try again.',
    })
  }

  async #guard<Result>(attempt: () => Promise<Result>): Promise<Result> {
    try {
      return await attempt()
    } catch (error) {
      if (this.#dependencies.isUncertain(error)) {
        this.#isBehind = true
        // A lost connection is soon replaced. Otherwise the next change or the recovery of the store reloads.
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
