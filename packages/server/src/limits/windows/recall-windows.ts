// Fills the windows with what they held before a restart, before the first call is admitted.
import { windowMs } from '../../ledger/request-window.ts'
import type { SecondOfTokens } from '../../ledger/token-window.ts'
import type { LeftStream } from '../../store/statements/running-calls.ts'
import type { Store } from '../../store/store.ts'
import type { MemoryLimits } from '../memory/create-memory-limits.ts'
import { countCharges, countExcess } from './count-past-calls.ts'
import { replayRows } from './replay-rows.ts'
import { idOfWindow, type WindowContents } from './window-contents.ts'

export type RecallDependencies = {
  readonly read: Pick<Store['read'], 'readWindowRows' | 'readRecentCharges'>
  readonly limits: Pick<MemoryLimits, 'restoreWindows'>
  /** Unix ms, of the windows; it begins with the time of day. */
  readonly clock: () => number
  /** Streams that dead processes have left. */
  readonly leftStreams: readonly LeftStream[]
  /** Rows that could not be read. */
  readonly reportDamage: (rows: number) => void
}

/** A call's id is made when it arrives; its body may take long. */
const longestArrivalMs = 600_000

/** Answers the sequence of the last row, 0 when there was none. */
export async function recallWindows(dependencies: RecallDependencies): Promise<{ lastSequence: number }> {
  const { read, limits, clock, leftStreams, reportDamage } = dependencies
  const rows = await read.readWindowRows()
  const now = clock()
  const { windows, damaged } = replayRows(rows, now)
  if (damaged > 0) reportDamage(damaged)
  const isWhole = rows.length > 0 && damaged === 0
  const known = isWhole ? windows : mergeAccounts(windows, await recallCharges(read, now))
  limits.restoreWindows(addTokens(known, countExcess(leftStreams, now)))
  return { lastSequence: rows.at(-1)?.sequence ?? 0 }
}

/** Where rows are missing, as after an upgrade, the ledger still knows every call that was charged. */
async function recallCharges(read: RecallDependencies['read'], now: number): Promise<WindowContents[]> {
  const since = now - windowMs
  const charges = await read.readRecentCharges({ since, firstCallId: firstIdAt(since - longestArrivalMs) })
  return countCharges(charges, now)
}

/** The least id of that millisecond (Unix ms). */
export function firstIdAt(moment: number): string {
  const digits = Math.max(0, Math.floor(moment)).toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`
}

/** What both accounts have of one second. */
type JoinTokens = (left: number, right: number) => number

/** Both have seen the same calls, though not all of them: what one has seen counts, and what both have seen counts once. */
const mergeAccounts = (left: readonly WindowContents[], right: readonly WindowContents[]) =>
  join(left, right, Math.max)

/** Tokens of their own, that come to those of the windows. */
const addTokens = (windows: readonly WindowContents[], more: readonly WindowContents[]) =>
  join(windows, more, (left, right) => left + right)

function join(
  left: readonly WindowContents[],
  right: readonly WindowContents[],
  joinTokens: JoinTokens,
): WindowContents[] {
  const merged = new Map(left.map(window => [idOfWindow(window.name), window]))
  for (const window of right) {
    const id = idOfWindow(window.name)
    const known = merged.get(id)
    merged.set(
      id,
      known === undefined
        ? window
        : {
            name: window.name,
            times: mergeTimes(known.times, window.times),
            seconds: mergeSeconds(known.seconds, window.seconds, joinTokens),
          },
    )
  }
  return [...merged.values()]
}

/** A call has the same millisecond in both; of each millisecond the account with more calls is believed. */
function mergeTimes(left: readonly number[], right: readonly number[]): number[] {
  const [inLeft, inRight] = [Map.groupBy(left, time => time), Map.groupBy(right, time => time)]
  const moments = [...new Set([...inLeft.keys(), ...inRight.keys()])].sort((first, second) => first - second)
  return moments.flatMap(time => {
    const [some, others] = [inLeft.get(time) ?? [], inRight.get(time) ?? []]
    return some.length > others.length ? some : others
  })
}

function mergeSeconds(
  left: readonly SecondOfTokens[],
  right: readonly SecondOfTokens[],
  joinTokens: JoinTokens,
): SecondOfTokens[] {
  const merged = new Map<number, SecondOfTokens>()
  for (const { latest, tokens } of [...left, ...right]) {
    const second = Math.floor(latest / 1000)
    const known = merged.get(second)
    merged.set(second, {
      latest: Math.max(latest, known?.latest ?? latest),
      tokens: known === undefined ? tokens : joinTokens(known.tokens, tokens),
    })
  }
  return [...merged.values()].sort((first, second) => first.latest - second.latest)
}
