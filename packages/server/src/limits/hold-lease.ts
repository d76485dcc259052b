// Gives this process its place on the database: an id, a slot, and a lease that tells the others that it lives.
import type { ProcessRef, ProcessState, Renewal } from '../store/statements/processes.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'

export type Lease = {
  /** A new one after the process was taken for dead: what it had been doing is then ended by others. */
  readonly process: () => ProcessRef
  /** False when others may take this process for dead by now. */
  readonly isHeld: () => boolean
  /** True when the lease was renewed without a gap for a whole lease: everybody who lives has then had the time to renew theirs. */
  readonly maySweep: () => boolean
  /** `run` is called each time the lease is lost; the returned function ends that. */
  readonly whenLost: (run: () => void) => () => void
  /** Gives the place up. Never rejects. */
  readonly stop: () => Promise<void>
}

/** How long a process that gives no sign of life keeps what it holds. */
export const leaseMs = 5000
const renewMs = 1000
/** Longer than this between two renewals is a gap. */
const gapMs = 2 * renewMs

type Registration = {
  readonly write: Pick<Store['write'], 'registerProcess' | 'endProcess'>
  /** Of Fairgate. */
  readonly version: string
}

/** For a process that has the database for itself: as long as it has the database's lock, no other can take it for dead. */
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

const noPlace =
  'This database already has its maximum of 64 processes. Stop some of them.'

export type LeaseDependencies = Registration &
  Pick<World, 'every' | 'newId' | 'wait'> & {
    /** False when the process has been declared dead. Rejects when the database has not answered in time. */
    readonly renew: (renewal: Renewal) => Promise<boolean>
    readonly describe: () => ProcessState
    readonly monotonicMs: () => number
    /** The others may end what this process is doing, from now on. */
    readonly reportLost: () => void
    /** It has a new place, under a new id. */
    readonly reportNewPlace: (process: ProcessRef) => void
  }

/** All processes of an installation that died at once hold their places until the first ones have swept them. */
const placeTries = 15

/** For one of several processes on a database: the lease is renewed once a second. Rejects when there is no place. */
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
  /** When the last renewal was asked for: by the database's clock the lease lasts at least as long as from then. */
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
    // What is over before the next look is over now: its streams stop before others may charge them.
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
      // The store tells the operator that the database is away.
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
