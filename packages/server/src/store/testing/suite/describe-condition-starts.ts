// Engine tests: starts of conditions. Processes that see one begin keep the earliest time.
import { expect, test } from 'bun:test'
import type { Current } from './store-actions.ts'

export function describeConditionStarts(current: Current): void {
  const ids = Array.from({ length: 20 }, (_, index) => `condition ${index}`)

  test('several that note the same conditions at once, in any order, keep the earliest', async () => {
    const { write, read } = current()
    const times = [3000, 1000, 2000, 4000]
    await Promise.all(
      times.map((since, index) =>
        write.noteConditionStarts({
          begun: (index % 2 === 0 ? ids : ids.toReversed()).map(conditionId => ({ conditionId, since })),
          ended: [],
        }),
      ),
    )
    const starts = await read.listConditionStarts(null)
    expect(starts).toHaveLength(20)
    expect(new Set(starts.map(({ since }) => since))).toEqual(new Set([1000]))
  })

  test('a later one gets the earlier time, and ended conditions are gone', async () => {
    const { write, read } = current()
    await write.noteConditionStarts({ begun: [{ conditionId: 'a', since: 1000 }], ended: [] })
    const later = { begun: [{ conditionId: 'a', since: 2000 }], ended: ['b'] }
    expect(await write.noteConditionStarts(later)).toEqual([{ conditionId: 'a', since: 1000 }])
    expect(await write.noteConditionStarts({ begun: [], ended: ['a'] })).toEqual([])
    expect(await read.listConditionStarts(null)).toEqual([])
  })
}
