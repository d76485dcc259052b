// Stores what the checks have found and since when, and repeats outdated checks when their results are read.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { ReadinessItem, ReadinessPart } from '@fairgate/contracts/management/readiness.ts'
import type { World } from '../../world/world.ts'
import { type Checks, type Finding, runCheck, sortFindings, type Wait, worstOf } from './finding.ts'

export type ReadinessBoardDependencies = Pick<World, 'clock'> & {
  readonly checks: Checks
  readonly wait: Wait
}

/** How long a finding is shown before a read checks again. */
const freshMs = 60_000
const patienceMs = 15_000
/** Trying a key may mean calling a slow model. */
const patienceForCallsMs = 60_000

export class ReadinessBoard {
  readonly #dependencies: ReadinessBoardDependencies
  readonly #items = new Map<ReadinessPart, ReadinessItem>()
  /** Running checks: requests that arrive meanwhile share their results, so that checks cannot pile up. */
  readonly #running = new Map<string, Promise<ReadinessItem>>()
  #version = 0

  constructor(dependencies: ReadinessBoardDependencies) {
    this.#dependencies = dependencies
  }

  /** Grows when a part's state changes. */
  get version(): number {
    return this.#version
  }

  /** All parts, in the order of their checks; those checked more than a minute ago are checked again first, without calls. */
  async read(): Promise<ReadinessItem[]> {
    const now = this.#dependencies.clock()
    const parts = [...this.#dependencies.checks.keys()]
    return Promise.all(
      parts.map(part => {
        const known = this.#items.get(part)
        const isFresh = known !== undefined && now - Date.parse(known.checked_at) < freshMs
        return isFresh ? known : this.check(part, false)
      }),
    )
  }

  /** Throws ApiError `not_found` for a part that has no check here. */
  check(part: string, calls: boolean): Promise<ReadinessItem> {
    const found = [...this.#dependencies.checks].find(([name]) => name === part)
    if (found === undefined)
      throw new ApiError('not_found', {
        message: `There is no part "${part}" to check. GET /readiness lists them.`,
      })
    const [name, check] = found
    const id = `${name} ${calls}`
    const running = this.#running.get(id)
    if (running !== undefined) return running
    const milliseconds = calls ? patienceForCallsMs : patienceMs
    const run = runCheck(check, { calls }, { milliseconds, wait: this.#dependencies.wait })
      .then(findings => this.#note(name, findings))
      .finally(() => this.#running.delete(id))
    this.#running.set(id, run)
    return run
  }

  #note(part: ReadinessPart, findings: readonly Finding[]): ReadinessItem {
    const now = new Date(this.#dependencies.clock()).toISOString()
    const before = this.#items.get(part)
    const worst = worstOf(findings)
    const isSame = before?.state === worst.state && before.text === worst.text
    if (!isSame) this.#version += 1
    const since = before !== undefined && before.state === worst.state ? before.since : now
    const item = { part, ...worst, since, checked_at: now, findings: sortFindings(findings) }
    this.#items.set(part, item)
    return item
  }
}
