// Remembered peaks of windows: the highest use of the last hour, and nothing older.
import { expect, test } from 'bun:test'
import { WindowPeaks } from './window-peaks.ts'

const minute = 60_000

test('keeps the highest use of the last hour, then the next highest', () => {
  const peaks = new WindowPeaks()
  peaks.note('a', 7, 0)
  peaks.note('a', 5, 30 * minute)
  peaks.note('a', 3, 30 * minute + 1)
  expect([peaks.peakOf('a', 59 * minute), peaks.peakOf('a', 60 * minute)]).toEqual([7, 5])
  expect([peaks.peakOf('a', 90 * minute), peaks.peakOf('b', 0)]).toEqual([0, 0])
})

test('forgets windows that have not been used for an hour', () => {
  const peaks = new WindowPeaks()
  for (let index = 0; index < 100; index += 1) peaks.note(`key ${index}`, 1, 0)
  peaks.note('idle', 0, 0)
  expect(peaks.size).toBe(100)
  peaks.note('a', 1, 60 * minute)
  expect(peaks.size).toBe(1)
})
