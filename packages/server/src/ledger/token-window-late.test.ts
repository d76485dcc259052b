// Tokens that come back in the same millisecond in which their second leaves the window: nothing is subtracted twice.
import { expect, test } from 'bun:test'
import { TokenWindow } from './token-window.ts'

test.each([60_000, 60_001, 120_000])(
  'returned at %d ms, a reservation of 0 ms leaves the count at 0',
  time => {
    const window = new TokenWindow()
    const reservation = window.reserve(100, 0)
    window.settle(reservation, 0, time)
    expect(window.count(time)).toBe(0)
  },
)
