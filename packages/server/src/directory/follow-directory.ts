// Follows other processes' changes to the directory: by notification if available, and by polling twice a second in any case.
import type { Log } from '../http/log.ts'
import type { ServerChoice } from '../store/postgres/choose-server.ts'
import { type DirectoryNotice, listenToDirectory } from '../store/postgres/listen-to-directory.ts'
import type { AppliedVersion } from '../store/statements/processes.ts'
import type { Store } from '../store/store.ts'
import { messageOf } from '../world/message-of.ts'
import { every } from '../world/timers.ts'
import type { World } from '../world/world.ts'
import type { DirectoryMemory } from './directory-memory.ts'

export type FollowingDependencies = Pick<World, 'every' | 'wait'> & {
  /** As in the table of processes: it changes after the process was presumed dead. */
  readonly processId: () => string
  /** Calls `hear` for every notification from now on. Returns its stop. */
  readonly listen: (hear: (notice: DirectoryNotice) => void) => () => Promise<void>
  readonly monotonicMs: () => number
  /** From now on the directory may be out of date for this reason, or it no longer is (null). */
  readonly reportCurrent: (error: unknown) => void
  /** These processes have not applied a change in time. They refuse paid calls until they have. */
  readonly reportBehind: (processIds: readonly string[], version: number) => void
}

type FollowedStore = {
  readonly read: Pick<Store['read'], 'readAppliedVersions'>
  readonly write: Pick<Store['write'], 'noteDirectoryVersion'>
}

/** A change applies everywhere a second after its commit: a process that has not polled successfully for that long refuses paid calls. */
const currentMs = 1000
const lookMs = 500
const catchUpMs = 10
/** Max wait for a change: after this time, a process that lacks it knows that it may lack something. */
const longestWaitMs = currentMs
/** For databases without notifications. */
const askAgainMs = 50

/** An answer that waits until the others have a change; `until` by the monotonic clock. */
type Waiter = { readonly version: number; readonly until: number; readonly end: () => void }

export class DirectoryFollower {
  readonly #dependencies: FollowingDependencies
  readonly #memory: Pick<DirectoryMemory, 'version' | 'refresh'>
  readonly #store: FollowedStore
  readonly #stopLooking: () => void
  readonly #stopListening: () => Promise<void>
  readonly #waiters = new Set<Waiter>()
  #isAsking = false
  #askAgain: () => void = () => undefined
  /** When the last successful poll began. */
  #lookedAt: number
  #isLooking = false
  #isToLookAgain = false
  #isReportedBehind = false
  #notedVersion = 0
  #isNoting = false
  #catchingUp: Promise<void> | null = null
  #isStopped = false

  /** `loadedAt`: when the loading of `memory` began, by the monotonic clock. */
  constructor(
    dependencies: FollowingDependencies,
    memory: Pick<DirectoryMemory, 'version' | 'refresh'>,
    store: FollowedStore,
    loadedAt: number,
  ) {
    this.#dependencies = dependencies
    this.#memory = memory
    this.#store = store
    this.#lookedAt = loadedAt
    this.#stopLooking = dependencies.every(lookMs, () => void this.#look())
    this.#stopListening = dependencies.listen(notice => this.#hear(notice))
    void this.#look()
  }

  /** False if a change from more than a second ago may not apply here yet. */
  readonly isCurrent = (): boolean => this.#dependencies.monotonicMs() - this.#lookedAt <= currentMs

  /**
   * For a process that was too busy to poll, as at its start: resolves when this process is current, and after a second in any case. Never
   * rejects.
   */
  readonly catchUp = (): Promise<void> => {
    this.#catchingUp ??= this.#catchUp().finally(() => {
      this.#catchingUp = null
    })
    return this.#catchingUp
  }

  /**
   * Records the number of the last change, as read by a query sent at `askedAt` (monotonic ms). It counts as a poll if that change already
   * applies here. A process that admits calls all the time is too busy to poll in time.
   */
  readonly noteSeen = (version: number, askedAt: number): void => {
    if (version > this.#memory.version()) void this.#look()
    else if (askedAt > this.#lookedAt) this.#lookedAt = askedAt
  }

  /** Resolves when every other living process applies this change, and after a second in any case. Never rejects. */
  readonly awaitOthers = (version: number): Promise<void> => {
    void this.#reportVersion()
    const { promise, resolve: end } = Promise.withResolvers<void>()
    this.#waiters.add({ version, until: this.#dependencies.monotonicMs() + longestWaitMs, end })
    this.#askAgain()
    if (!this.#isAsking) void this.#askForAll()
    return promise
  }

  readonly stop = async (): Promise<void> => {
    this.#isStopped = true
    this.#stopLooking()
    await this.#stopListening()
  }

  /** One query at a time for all that wait: after each notification that a process has applied changes, or after a short while. */
  async #askForAll(): Promise<void> {
    const { processId, wait } = this.#dependencies
    this.#isAsking = true
    let others: readonly AppliedVersion[] | null = null
    while (this.#waiters.size > 0) {
      const { promise: heard, resolve } = Promise.withResolvers<void>()
      this.#askAgain = resolve
      const reading = this.#store.read.readAppliedVersions({ besides: processId() }).catch(() => null)
      others = (await Promise.race([reading, wait(this.#leftToWait()).then(() => null)])) ?? others
      for (const waiter of this.#waiters) this.#endIfApplied(waiter, others)
      if (this.#waiters.size > 0) await Promise.race([heard, wait(Math.min(askAgainMs, this.#leftToWait()))])
    }
    this.#isAsking = false
  }

  #endIfApplied(waiter: Waiter, others: readonly AppliedVersion[] | null): void {
    const behind = others?.filter(({ version }) => version < waiter.version) ?? null
    const isOver = this.#dependencies.monotonicMs() >= waiter.until
    if (behind?.length !== 0 && !isOver) return
    this.#waiters.delete(waiter)
    waiter.end()
    if (behind?.length !== 0)
      this.#dependencies.reportBehind(behind?.map(({ processId }) => processId) ?? [], waiter.version)
  }

  #leftToWait(): number {
    const first = Math.min(...[...this.#waiters].map(({ until }) => until))
    return Math.max(0, first - this.#dependencies.monotonicMs())
  }

  #hear(notice: DirectoryNotice): void {
    if (notice.kind === 'applied') this.#askAgain()
    else if (notice.kind === 'changed' && notice.version <= this.#memory.version()) void this.#reportVersion()
    else void this.#look()
  }

  async #catchUp(): Promise<void> {
    const { monotonicMs, wait } = this.#dependencies
    const until = monotonicMs() + currentMs
    if (this.isCurrent()) return
    if (this.#isLooking) this.#isToLookAgain = true
    else void this.#look()
    while (!this.isCurrent() && monotonicMs() < until) await wait(catchUpMs)
  }

  /** One poll at a time. A notification that arrives meanwhile may be too late for it, so it then polls again. */
  async #look(): Promise<void> {
    this.#isToLookAgain = true
    if (this.#isLooking) {
      if (!this.isCurrent()) this.#report(new Error('The database has not answered for a second.'))
      return
    }
    this.#isLooking = true
    while (this.#isToLookAgain && !this.#isStopped) {
      this.#isToLookAgain = false
      const beganAt = this.#dependencies.monotonicMs()
      try {
        await this.#memory.refresh()
        this.#lookedAt = beganAt
        if (this.isCurrent()) this.#report(null)
        void this.#reportVersion()
      } catch (error) {
        if (!this.isCurrent()) this.#report(error)
      }
    }
    this.#isLooking = false
  }

  #report(error: unknown): void {
    const isBehind = error !== null
    if (isBehind === this.#isReportedBehind || this.#isStopped) return
    this.#isReportedBehind = isBehind
    this.#dependencies.reportCurrent(error)
  }

  /** Publishes the change that applies here. If this fails, the next poll makes up for it. */
  async #reportVersion(): Promise<void> {
    const processId = this.#dependencies.processId()
    if (this.#isNoting) return
    this.#isNoting = true
    while (this.#memory.version() > this.#notedVersion && !this.#isStopped) {
      const version = this.#memory.version()
      const isNoted = await this.#store.write.noteDirectoryVersion({ processId, version }).then(
        () => true,
        () => false,
      )
      if (!isNoted) break
      this.#notedVersion = version
    }
    this.#isNoting = false
  }
}

/** How a process on PostgreSQL follows changes, and what it logs. */
export function createFollowing(parts: {
  /** As in the table of processes. */
  readonly processId: () => string
  /** The server itself if DATABASE_URL points to a pooler. */
  readonly database: ServerChoice
  readonly log: Pick<Log, 'info' | 'warn'>
}): FollowingDependencies {
  const { processId, database, log } = parts
  return {
    processId,
    listen: hear => {
      const reportFailure = (error: unknown) =>
        log.warn(
          { reason: messageOf(error) },
          'No change notifications from the database. Polling for changes of teams and keys twice a second until they arrive.',
        )
      return listenToDirectory({ database, hear, reportFailure })
    },
    every,
    wait: milliseconds => Bun.sleep(milliseconds),
    monotonicMs: () => performance.now(),
    reportCurrent: error =>
      error === null
        ? log.info({}, 'Teams and keys are up to date again.')
        : log.warn(
            { reason: messageOf(error) },
            'Teams and keys may be out of date. Paid calls are refused until they have been read again.',
          ),
    reportBehind: (processes, version) =>
      log.warn(
        { processes, version },
        'A change was confirmed before these processes applied it. They refuse paid calls until they have.',
      ),
  }
}
