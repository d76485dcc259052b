// Checks which tries at an upstream are counted: those of the last five minutes, for any start of the clock.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { RecentTries } from './upstream-tries.ts'

test.each([0, 7, 1_000_000_000])('tries are counted for five minutes (clock at %d ms)', start => {
  const recent = new RecentTries()
  expect(recent.sum(start)).toEqual({ tries: 0, failed: 0 })
  recent.note(false, start)
  recent.note(true, start)
  expect(recent.sum(start + 1)).toEqual({ tries: 2, failed: 1 })
  expect(recent.sum(start + 289_999)).toEqual({ tries: 2, failed: 1 })
  expect(recent.sum(start + 300_000)).toEqual({ tries: 0, failed: 0 })
})

test('counts tries in the ten-second slices that overlap the last five minutes', () => {
  const noted = fc.array(fc.record({ after: fc.nat(40_000), isFailed: fc.boolean() }), { maxLength: 200 })
  fc.assert(
    fc.property(noted, tries => {
      const recent = new RecentTries()
      let now = 0
      const all = tries.map(({ after, isFailed }) => {
        now += after
        recent.note(isFailed, now)
        return { at: now, isFailed }
      })
      const from = (Math.floor(now / 10_000) - 29) * 10_000
      const late = all.filter(({ at }) => at >= from)
      const failed = late.filter(({ isFailed }) => isFailed)
      expect(recent.sum(now)).toEqual({ tries: late.length, failed: failed.length })
    }),
  )
})
