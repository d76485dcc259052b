// Reads sums of spend up to now without adding up hours of buckets each time: sums older than a quarter of an hour rarely change.
import { bucketMs } from '../../store/schema/spend.ts'
import type { SpendSum, SumSpendInput } from '../../store/statements/spend-sums.ts'
import type { World } from '../../world/world.ts'

type SumSpend = (input: SumSpendInput) => Promise<SpendSum[]>

export type SettledSumsDependencies = Pick<World, 'clock'> & {
  readonly sumSpend: SumSpend
  /** Version of the directory: after a change no earlier sum is used. */
  readonly version: () => number
}

/** A charge belongs to the time at which its call arrived. Calls longer than this show up in sums up to a minute late; totals include them at once. */
const settledMs = 15 * 60_000
/** From this age on, sums are read again, but nobody waits for them. */
const keptMs = 30_000
/** Nobody has asked for so long that the next caller waits. */
const longestKeptMs = 60_000
/** Of all questions together: some 150 bytes each. Those asked longest ago are dropped first. */
const maxKeptSums = 400_000

type Kept = {
  readonly from: number
  /** A bucket begins there: no call is in both parts. */
  readonly until: number
  readonly version: number
  readonly readAt: number
  readonly sums: Promise<readonly SpendSum[]>
  /** How many they are, once they have been read. */
  count: number
}

/**
 * For ranges without an end. 1,000 teams with a million calls in eight hours have 1.2 million buckets: SQLite adds up those of four hours in
 * 200 ms, and those of a quarter of an hour in 10 ms.
 */
export function keepSettledSums({ sumSpend, clock, version }: SettledSumsDependencies): SumSpend {
  const keptByQuestion = new Map<string, Kept>()
  const renewing = new Set<string>()

  const read = (input: SumSpendInput, from: number, now: number): Kept => {
    const until = Math.floor((now - settledMs) / bucketMs) * bucketMs
    return { from, until, version: version(), readAt: now, sums: sumSpend({ ...input, until }), count: 0 }
  }

  const forgetOldest = () => {
    let sums = [...keptByQuestion.values()].reduce((sum, { count }) => sum + count, 0)
    for (const [question, { count }] of keptByQuestion) {
      if (sums <= maxKeptSums) break
      keptByQuestion.delete(question)
      sums -= count
    }
  }

  const note = (question: string, kept: Kept) => {
    keptByQuestion.delete(question)
    keptByQuestion.set(question, kept)
    kept.sums.then(
      ({ length }) => {
        kept.count = length
        forgetOldest()
      },
      () => {
        if (keptByQuestion.get(question) === kept) keptByQuestion.delete(question)
      },
    )
  }

  /** Earlier sums serve meanwhile. */
  const renew = async (question: string, input: SumSpendInput, from: number, now: number) => {
    if (renewing.has(question)) return
    renewing.add(question)
    try {
      const kept = read(input, from, now)
      await kept.sums
      note(question, kept)
    } catch {
      // The next caller tries again.
    } finally {
      renewing.delete(question)
    }
  }

  const keep = (input: SumSpendInput, from: number, now: number): Kept => {
    const question = JSON.stringify([input.by, input.teamId, input.keyHash, input.modelId])
    const known = keptByQuestion.get(question)
    const isOfUse =
      known !== undefined &&
      known.version === version() &&
      now - known.readAt < longestKeptMs &&
      coversRange(known, input, from)
    if (isOfUse) {
      if (now - known.readAt >= keptMs) void renew(question, input, from, now)
      return known
    }
    const kept = read(input, from, now)
    note(question, kept)
    return kept
  }

  return async input => {
    const now = clock()
    const { from: asked, until, by } = input
    const from = asked ?? 0
    if (until !== null || from >= now - settledMs - bucketMs) return sumSpend(input)
    const kept = keep(input, from, now)
    const [settled, fresh] = await Promise.all([kept.sums, sumSpend({ ...input, from: kept.until })])
    if (!by.includes('bucket_start')) return addSums([...settled, ...fresh])
    const first = from - (from % bucketMs)
    return [...settled.filter(({ bucketStart }) => (bucketStart ?? 0) >= first), ...fresh]
  }
}

/** Buckets before `from` can be left out. A range of one sum may begin a minute off. */
function coversRange(known: Kept, { by }: SumSpendInput, from: number): boolean {
  const isOfBuckets = by.includes('bucket_start') && from % bucketMs === 0
  return isOfBuckets ? known.from <= from : Math.abs(from - known.from) < longestKeptMs
}

/** One for each combination of dimensions. */
function addSums(sums: readonly SpendSum[]): SpendSum[] {
  const added = new Map<string, SpendSum>()
  for (const sum of sums) {
    const name = JSON.stringify([sum.teamId, sum.keyHash, sum.modelId, sum.code])
    const known = added.get(name)
    added.set(
      name,
      known === undefined
        ? sum
        : {
            ...known,
            calls: known.calls + sum.calls,
            refused: known.refused + sum.refused,
            cost: known.cost + sum.cost,
          },
    )
  }
  return [...added.values()]
}
