// Group commit of entries: requests that wait while one commit runs share the next commit and its wait for the disk.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import type { AppendOutcome, AppendRequest } from '../../store/statements/append-entries.ts'
import type { Store } from '../../store/store.ts'
import { isStoreFailure } from '../../store/store-unavailable.ts'

export type GroupCommitDependencies = Pick<Store['write'], 'appendEntries'> &
  Pick<Store['handover'], 'discard'> & {
    /** Called once per request that could not be stored. */
    readonly reportFailure: (error: unknown) => void
  }

export type Committed = Omit<Extract<AppendOutcome, { locked: false }>, 'locked'>

type Waiting = {
  readonly request: AppendRequest
  readonly resolve: (committed: Committed) => void
  readonly reject: (error: ApiError) => void
}

/**
 * A group is small enough that charges, which the same thread writes, do not wait long behind it. Groups of 500 entries took 51 µs of the
 * writer's CPU per entry at 240,000 entries, 1,000 took 38, 2,000 took 34 and 4,000 took 31 (two shared cores, busy).
 */
const maximumGroupEntries = 2000
const maximumGroupBytes = 4 * 1024 * 1024
/** Anything beyond this is refused at once, so that a flood cannot fill the memory. */
const maximumWaitingBytes = 128 * 1024 * 1024

export class GroupCommit {
  readonly #dependencies: GroupCommitDependencies
  #waiting: Waiting[] = []
  #waitingBytes = 0
  #isRunning = false

  constructor(dependencies: GroupCommitDependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Resolves when the entries are on disk. Throws ApiError `locked` (403; spec 3.3), or `unavailable` (503) if none of them was stored.
   * Sending them again is always safe.
   */
  commit(request: AppendRequest): Promise<Committed> {
    return new Promise((resolve, reject) => {
      const member: Waiting = { request, resolve, reject }
      const { bytes } = request.entries
      if (this.#waitingBytes + bytes > maximumWaitingBytes) {
        this.#refuse(member)
        return
      }
      this.#waiting.push(member)
      this.#waitingBytes += bytes
      if (!this.#isRunning) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      const group = takeGroup(this.#waiting)
      this.#waiting = this.#waiting.slice(group.length)
      for (const { request } of group) this.#waitingBytes -= request.entries.bytes
      await this.#appendGroup(group)
    }
    this.#isRunning = false
  }

  async #appendGroup(group: readonly Waiting[]): Promise<void> {
    try {
      await this.#append(group)
    } catch (error) {
      // The store itself failed: each request of the group would get the same failure alone.
      if (group.length === 1 || isStoreFailure(error)) {
        for (const member of group) {
          this.#dependencies.reportFailure(error)
          this.#refuse(member, error)
        }
        return
      }
      // The request that spoiled the group must not affect the others.
      await Promise.all(group.map(member => this.#appendGroup([member])))
    }
  }

  async #append(group: readonly Waiting[]): Promise<void> {
    const requests = group.map(({ request }) => request)
    const outcomes = await this.#dependencies.appendEntries({ requests, now: null })
    for (const [position, member] of group.entries()) {
      const outcome = outcomes[position]
      if (outcome === undefined) this.#refuse(member, new Error('The store gave no outcome.'))
      else if (outcome.locked) member.reject(new ApiError('locked'))
      else {
        const { locked: _, ...committed } = outcome
        member.resolve(committed)
      }
    }
  }

  #refuse({ request: { entries }, reject }: Waiting, cause?: unknown): void {
    if ('heldAs' in entries) this.#dependencies.discard(entries.heldAs)
    const message =
      'The logbook cannot store entries now; none of these were stored. Send them again shortly.'
    reject(unavailable(5, cause, message))
  }
}

/** Always at least one request, however large it is. */
function takeGroup(waiting: readonly Waiting[]): Waiting[] {
  const group: Waiting[] = []
  let entries = 0
  let bytes = 0
  for (const member of waiting) {
    entries += member.request.entries.count
    bytes += member.request.entries.bytes
    if (group.length > 0 && (entries > maximumGroupEntries || bytes > maximumGroupBytes)) break
    group.push(member)
  }
  return group
}
