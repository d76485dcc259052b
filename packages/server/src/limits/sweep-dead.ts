// Ends what dead processes left behind: at a start, and once a second if multiple processes share a database.

import type { ProcessRef } from '../store/statements/processes.ts'
import type { SweepOutcome } from '../store/statements/sweep-calls.ts'
import type { Store } from '../store/store.ts'
import { keepRunning } from '../world/timers.ts'
import type { World } from '../world/world.ts'
import type { Lease } from './hold-lease.ts'

export type SweepStore = {
  readonly read: Pick<Store['read'], 'findDeadProcesses'>
  readonly write: Pick<Store['write'], 'sweepCalls'>
}

export type Swept = Omit<SweepOutcome, 'isOver'>

/** Calls per transaction: a charge waiting for it must not wait for everything a process left behind. */
const callsPerPiece = 200

/** `withUnknown`: also calls of processes that have no row, which scans all running calls. */
export async function sweepDead(
  store: SweepStore,
  process: ProcessRef,
  { clock, withUnknown }: { readonly clock: () => number; readonly withUnknown: boolean },
): Promise<Swept> {
  const sum = { charged: 0, refunded: 0, released: 0 }
  for (const deadProcessId of await store.read.findDeadProcesses({ ...process, withUnknown })) {
    for (let isOver = false; !isOver; ) {
      const piece = await store.write.sweepCalls({
        process,
        deadProcessId,
        now: clock(),
        limit: callsPerPiece,
      })
      sum.charged += piece.charged
      sum.refunded += piece.refunded
      sum.released += piece.released
      isOver = piece.isOver
    }
  }
  return sum
}

export type SweepDependencies = Pick<World, 'clock' | 'every'> & {
  readonly store: SweepStore
  readonly lease: Pick<Lease, 'process' | 'maySweep'>
  readonly report: (swept: Swept) => void
  readonly reportFailure: (error: unknown) => void
}

const secondMs = 1000
/** Calls of unknown processes are rare: a process that slept wrote them after it was swept. */
const roundsPerLookAtAll = 30

/** Sweeps regularly. The returned function stops it and resolves when the current sweep has ended. */
export function keepSweeping(dependencies: SweepDependencies): () => Promise<void> {
  const { store, lease, clock, every, report, reportFailure } = dependencies
  let rounds = 0
  const sweep = async (): Promise<void> => {
    const withUnknown = rounds % roundsPerLookAtAll === 0
    rounds += 1
    const swept = await sweepDead(store, lease.process(), { clock, withUnknown })
    if (swept.charged + swept.refunded + swept.released > 0) report(swept)
  }
  return keepRunning(every, secondMs, async () => {
    if (lease.maySweep()) await sweep().catch(reportFailure)
  })
}
