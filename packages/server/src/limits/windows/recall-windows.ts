// Restores the windows to their state before a restart, before the first call is admitted.
import { windowMs } from '../../ledger/request-window.ts'
import { firstIdOf } from '../../store/statements/calls.ts'
import type { LeftStream } from '../../store/statements/running-calls.ts'
import type { Store } from '../../store/store.ts'
import type { MemoryLimits } from '../memory/create-memory-limits.ts'
import { countCharges, countExcess } from './count-past-calls.ts'
import { replayRows } from './replay-rows.ts'
import { addTokens, joinWindows, type WindowContents } from './window-contents.ts'

export type RecallDependencies = {
  readonly read: Pick<Store['read'], 'readWindowRows' | 'readRecentCharges'>
  readonly limits: Pick<MemoryLimits, 'restoreWindows'>
  /** Unix ms, the clock of the windows; it begins with the time of day. */
  readonly clock: () => number
  /** Streams that dead processes left behind. */
  readonly leftStreams: readonly LeftStream[]
  /** Receives the number of rows that could not be read. */
  readonly reportDamage: (rows: number) => void
}

/** A call's id is created when it arrives; its body may take long. */
const longestArrivalMs = 600_000

/** Returns the sequence of the last row, 0 if there was none. */
export async function recallWindows(dependencies: RecallDependencies): Promise<{ lastSequence: number }> {
  const { read, limits, clock, leftStreams, reportDamage } = dependencies
  const rows = await read.readWindowRows()
  const now = clock()
  const { windows, damaged } = replayRows(rows, now)
  if (damaged > 0) reportDamage(damaged)
  const isWhole = rows.length > 0 && damaged === 0
  // Both sources saw the same calls, but neither saw all of them: what one saw counts, and what both saw counts once.
  const known = isWhole
    ? windows
    : joinWindows([...windows, ...(await recallCharges(read, now))], mergeTimes, Math.max)
  limits.restoreWindows(joinWindows([...known, ...countExcess(leftStreams, now)], mergeTimes, addTokens))
  return { lastSequence: rows.at(-1)?.sequence ?? 0 }
}

/** If rows are missing, as after an upgrade, the ledger still knows every call that was charged. */
async function recallCharges(read: RecallDependencies['read'], now: number): Promise<WindowContents[]> {
  const since = now - windowMs
  const charges = await read.readRecentCharges({ since, firstCallId: firstIdOf(since - longestArrivalMs) })
  return countCharges(charges, now)
}

/** A call has the same millisecond in all sources; for each millisecond use the source with the most calls. */
function mergeTimes(accounts: readonly (readonly number[])[]): number[] {
  const counts = new Map<number, number>()
  for (const times of accounts)
    for (const [time, same] of Map.groupBy(times, each => each))
      counts.set(time, Math.max(same.length, counts.get(time) ?? 0))
  const moments = [...counts].sort(([left], [right]) => left - right)
  return moments.flatMap(([time, count]) => Array<number>(count).fill(time))
}
