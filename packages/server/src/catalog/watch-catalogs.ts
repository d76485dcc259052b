// Warns if the processes of an installation have different model files, because each then admits and charges by its own prices.
import type { Log } from '../http/log.ts'
import type { CatalogOfProcess } from '../store/statements/processes.ts'
import type { Store } from '../store/store.ts'

export type CatalogWatchDependencies = {
  readonly read: Pick<Store['read'], 'readCatalogHashes'>
  readonly every: (milliseconds: number, run: () => void) => () => void
  readonly log: Pick<Log, 'warn' | 'info'>
}

/** Longer than a process takes to follow a reload and to publish that with its lease. */
const lookMs = 10_000

export class CatalogWatch {
  readonly #dependencies: CatalogWatchDependencies
  readonly #stopLooking: () => void
  #found: readonly CatalogOfProcess[] = []
  /**
   * The difference found by the last check, and the one that was reported. A difference is reported once two checks in a row have found it.
   */
  #seen = ''
  #reported = ''

  constructor(dependencies: CatalogWatchDependencies) {
    this.#dependencies = dependencies
    this.#stopLooking = dependencies.every(lookMs, () => void this.look())
  }

  /** The processes with their hashes if these differ; empty if all agree. For organisers, at `/health/ready`. */
  readonly differing = (): readonly CatalogOfProcess[] => (this.#reported === '' ? [] : this.#found)

  /** Never rejects: a failure to check is reported elsewhere, because every call runs into it. */
  async look(): Promise<void> {
    const found = await this.#dependencies.read.readCatalogHashes(null).catch(() => null)
    if (found === null) return
    const hashes = new Set(found.map(({ catalogHash }) => catalogHash))
    const state = hashes.size > 1 ? [...hashes].sort().join(' ') : ''
    const isSteady = state === this.#seen
    this.#seen = state
    if (state === '') this.#reportAgreement()
    else if (isSteady) this.#reportDifference(found, state)
  }

  stop(): void {
    this.#stopLooking()
  }

  #reportDifference(found: readonly CatalogOfProcess[], state: string): void {
    this.#found = found
    if (state === this.#reported) return
    this.#reported = state
    this.#dependencies.log.warn(
      { processes: found },
      'The processes have different model catalogs, and so different prices. Give all of them the same file and reload the catalog.',
    )
  }

  #reportAgreement(): void {
    if (this.#reported === '') return
    this.#reported = ''
    this.#dependencies.log.info({}, 'All processes have the same model catalog again.')
  }
}
