// A commit that ends on command, for tests of events while it runs.
import type { LedgerBatch } from '../statements/ledger-batch.ts'

export type BegunCommit = {
  readonly batch: LedgerBatch
  readonly succeed: () => void
  readonly fail: (error: Error) => void
}

export function createCommitGate() {
  const arrivals: PromiseWithResolvers<BegunCommit>[] = []
  const arrivalOf = (number: number) => {
    const arrival = arrivals[number] ?? Promise.withResolvers<BegunCommit>()
    arrivals[number] = arrival
    return arrival
  }
  let count = 0
  return {
    commit: (batch: LedgerBatch) =>
      new Promise<void>((succeed, fail) => {
        arrivalOf(count).resolve({ batch, succeed, fail })
        count += 1
      }),
    /** Resolves when the commit of this number, counted from 0, has begun. */
    begun: (number: number) => arrivalOf(number).promise,
    /** Commits that have begun. */
    count: () => count,
  }
}
