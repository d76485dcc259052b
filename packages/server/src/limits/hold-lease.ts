// Registers this process with the database: an id, a slot, and a lease that shows the other processes that it is alive.
import type { ProcessRef, ProcessState, Renewal } from '../store/statements/processes.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'

export type Lease = {
  /** Changes after the process was considered dead; other processes then end what it was doing. */
  readonly process: () => ProcessRef
  /** False if other processes may consider this one dead by now. */
  readonly isHeld: () => boolean
  /** True if the lease was renewed without a gap for a whole lease: every live process has then had the time to renew its own. */
  readonly maySweep: () => boolean
  /** `run` is called each time the lease is lost; the returned function unsubscribes. */
  readonly whenLost: (run: () => void) => () => void
  /** Gives up the slot. Never rejects. */
  readonly stop: () => Promise<void>
}

/** How long a silent process keeps what it holds. */
export const leaseMs = 5000
const renewMs = 1000
/** A longer time between two renewals is a gap. */
const gapMs = 2 * renewMs

type Registration = {
  readonly write: Pick<Store['write'], 'registerProcess' | 'endProcess'>
  /** Version of Fairgate. */
  readonly version: string
}

/** For a process that has the database to itself: while it has the database's lock, no other process can consider it dead. */
export async function holdAlone({ write, version }: Registration, processId: string): Promise<Lease> {
  const process = await write.registerProcess({ processId, version, leaseMs })
  if (process === null) throw new Error(noPlace)
  return {
    process: () => process,
    isHeld: () => true,
    maySweep: () => true,
    whenLost: () => () => undefined,
    stop: () => write.endProcess(process).catch(() => undefined),
  }
}

const noPlace = 'This database already has its maximum of 64 processes. Stop some of them.'

export type LeaseDependencies = Registration &
  Pick<World, 'every' | 'newId' | 'wait'> & {
    /** False if the process was declared dead. Rejects if the database has not answered in time. */
    readonly renew: (renewal: Renewal) => Promise<boolean>
    readonly describe: () => ProcessState
    readonly monotonicMs: () => number
    /** From now on, other processes may end what this process is doing. */
    readonly reportLost: () => void
    /** The process has a new slot and a new id. */
    readonly reportNewPlace: (process: ProcessRef) => void
  }

/** If all processes of an installation die at once, they hold their slots until the first new ones have swept them. */
const placeTries = 15

/** For one of multiple processes on a database: renews the lease once a second. Rejects if there is no free slot. */
export async function holdRenewed(dependencies: LeaseDependencies): Promise<Lease> {
  for (let tries = 0; tries < placeTries; tries += 1) {
    const heldFrom = dependencies.monotonicMs()
    const process = await register(dependencies)
    if (process !== null) return new RenewedLease(dependencies, process, heldFrom).start()
    await dependencies.wait(renewMs)
  }
  throw new Error(noPlace)
}

function register({ write, newId, version }: LeaseDependencies): Promise<ProcessRef | null> {
  return write.registerProcess({ processId: newId(), version, leaseMs })
}

class RenewedLease {
  readonly #dependencies: LeaseDependencies
  readonly #listeners = new Set<() => void>()
  #process: ProcessRef
  /** When the last renewal was sent: by the database's clock the lease lasts at least as long from then. */
  #heldFrom: number
  /** The first of the renewals that followed each other without a gap; null after a failure. */
  #steadyFrom: number | null
  #isLost = false
  #renewing: Promise<void> | null = null
  #stopTimer = (): void => undefined

  constructor(dependencies: LeaseDependencies, process: ProcessRef, heldFrom: number) {
    this.#dependencies = dependencies
    this.#process = process
    this.#heldFrom = heldFrom
    this.#steadyFrom = heldFrom
  }

  start(): Lease {
    this.#stopTimer = this.#dependencies.every(renewMs, () => this.#tick())
    return {
      process: () => this.#process,
      isHeld: () => this.#isHeldFor(0),
      maySweep: () => this.#maySweep(),
      whenLost: run => {
        this.#listeners.add(run)
        return () => this.#listeners.delete(run)
      },
      stop: () => this.#stop(),
    }
  }

  #isHeldFor(milliseconds: number): boolean {
    return !this.#isLost && this.#dependencies.monotonicMs() - this.#heldFrom + milliseconds < leaseMs
  }

  #maySweep(): boolean {
    const now = this.#dependencies.monotonicMs()
    return (
      !this.#isLost &&
      this.#steadyFrom !== null &&
      now - this.#steadyFrom >= leaseMs &&
      now - this.#heldFrom <= gapMs
    )
  }

  #tick(): void {
    // A lease that ends before the next check has ended now: its streams stop before other processes may charge them.
    if (!this.#isHeldFor(renewMs)) this.#lose()
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = null
    })
  }

  async #renew(): Promise<void> {
    const { renew, describe, monotonicMs } = this.#dependencies
    const askedAt = monotonicMs()
    try {
      const isRenewed = await renew({ ...describe(), processId: this.#process.processId, leaseMs })
      if (isRenewed) this.#hold(askedAt)
      else await this.#takeNewPlace()
    } catch {
      // The store already reports that the database is away.
      this.#steadyFrom = null
    }
  }

  #hold(askedAt: number): void {
    if (this.#steadyFrom === null || askedAt - this.#heldFrom > gapMs) this.#steadyFrom = askedAt
    this.#heldFrom = askedAt
    this.#isLost = false
  }

  async #takeNewPlace(): Promise<void> {
    this.#lose()
    this.#steadyFrom = null
    const askedAt = this.#dependencies.monotonicMs()
    const process = await register(this.#dependencies)
    if (process === null) return
    this.#process = process
    this.#hold(askedAt)
    this.#dependencies.reportNewPlace(process)
  }

  #lose(): void {
    if (this.#isLost) return
    this.#isLost = true
    this.#dependencies.reportLost()
    for (const run of this.#listeners) run()
  }

  async #stop(): Promise<void> {
    this.#stopTimer()
    await this.#renewing
    await this.#dependencies.write.endProcess(this.#process).catch(() => undefined)
  }
}
