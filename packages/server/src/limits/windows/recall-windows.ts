// Fills the windows with what they held before a restart, before the first call is admitted.
import { windowMs } from '../../ledger/request-window.ts'
import type { OpenStream } from '../../store/statements/open-streams.ts'
import type { Store } from '../../store/store.ts'
import type { MemoryLimits } from '../memory/create-memory-limits.ts'
import { countCharges, countExcess } from './count-past-calls.ts'
import { firstIdAt } from './first-id-at.ts'
import { addTokens, mergeAccounts } from './merge-contents.ts'
import { replayRows } from './replay-rows.ts'
import type { WindowContents } from './window-contents.ts'

export type RecallDependencies = {
  readonly read: Pick<Store['read'], 'readWindowRows' | 'readRecentCharges'>
  readonly limits: Pick<MemoryLimits, 'restoreWindows'>
  /** Unix ms, of the windows; as a process starts it is the time of day. */
  readonly clock: () => number
  /** Streams that the last process left open. */
  readonly openStreams: readonly OpenStream[]
  /** Rows that could not be read. */
  readonly reportDamage: (rows: number) => void
}

/** A call's id is made when it arrives; its body may take long. */
const longestArrivalMs = 600_000

/** Answers the sequence of the last row, 0 when there was none. */
export async function recallWindows(dependencies: RecallDependencies): Promise<{ lastSequence: number }> {
  const { read, limits, clock, openStreams, reportDamage } = dependencies
  const rows = await read.readWindowRows()
  const now = clock()
  const { windows, damaged } = replayRows(rows, now)
  if (damaged > 0) reportDamage(damaged)
  const isWhole = rows.length > 0 && damaged === 0
  const known = isWhole ? windows : mergeAccounts(windows, await recallCharges(read, now))
  limits.restoreWindows(addTokens(known, countExcess(openStreams, now)))
  return { lastSequence: rows.at(-1)?.sequence ?? 0 }
}

/** Where rows are missing, as after an upgrade, the ledger still knows every call that was charged. */
async function recallCharges(read: RecallDependencies['read'], now: number): Promise<WindowContents[]> {
  const since = now - windowMs
  const charges = await read.readRecentCharges({ since, firstCallId: firstIdAt(since - longestArrivalMs) })
  return countCharges(charges, now)
}
