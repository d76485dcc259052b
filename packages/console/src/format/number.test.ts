// Counts and shares are never overstated or understated.
import { expect, test } from 'bun:test'
import { countOf, formatBytes, formatCount, formatShare } from './number.ts'

test.each([
  [0, '0'],
  [12_345, '12,345'],
  [999_999, '999,999'],
  [1_310_000, '1.31 M'],
  [2_000_000_000, '2 G'],
])('the count %d is shown as %s', (count, shown) => {
  expect(formatCount(count)).toBe(shown)
})

test.each([
  [null, '–'],
  [0, '0 %'],
  [0.00001, '< 0.1 %'],
  [0.0314, '3.1 %'],
  [0.9999, '99.9 %'],
  [1, '100 %'],
])('the share %p is shown as %s', (share, shown) => {
  expect(formatShare(share)).toBe(shown)
})

test('plurals and sizes', () => {
  expect([countOf(1, 'team'), countOf(3, 'team'), countOf(2, 'entry', 'entries')]).toEqual([
    '1 team',
    '3 teams',
    '2 entries',
  ])
  expect([0, 999, 148_000, 2_100_000_000].map(formatBytes)).toEqual(['0 B', '999 B', '148 kB', '2.1 GB'])
})
