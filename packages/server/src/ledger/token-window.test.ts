import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { windowMs } from './request-window.ts'
import { clipReservation, TokenWindow } from './token-window.ts'

test.each([
  [{ input: 10, output: 20 }, 100, 30],
  [{ input: 10, output: 200 }, 100, 100],
  [{ input: 100, output: 1 }, 100, 100],
  [{ input: 101, output: 1 }, 100, 102],
])('%j under a limit of %p reserves %p', (tokens, limit, expected) => {
  expect(clipReservation(tokens, limit)).toBe(expected)
})

describe('the token window', () => {
  test('returns unused tokens to the second they came from', () => {
    const window = new TokenWindow()
    const early = window.reserve(100, 500)
    window.reserve(50, 30_000)
    window.settle(early, 40, 45_000)
    expect(window.count(45_000)).toBe(90)
    expect(window.count(60_500)).toBe(50)
    expect(window.count(90_000)).toBe(0)
  })

  test('counts an excess from the second in which it becomes known', () => {
    const window = new TokenWindow()
    window.settle(window.reserve(100, 0), 130, 30_000)
    expect(window.count(59_999)).toBe(130)
    expect(window.count(60_000)).toBe(30)
    expect(window.count(89_999)).toBe(30)
    expect(window.count(90_000)).toBe(0)
  })

  test('a settlement after the reservation has left the window returns nothing twice', () => {
    const window = new TokenWindow()
    const old = window.reserve(100, 0)
    window.reserve(7, 70_000)
    window.settle(old, 10, 70_001)
    expect(window.count(70_001)).toBe(7)
  })

  test('predicts when a call will fit', () => {
    const window = new TokenWindow()
    window.reserve(60, 1_000)
    window.reserve(40, 20_500)
    expect(window.nextFreeAt(10, 110, 30_000)).toBe(30_000)
    expect(window.nextFreeAt(50, 100, 30_000)).toBe(61_000)
    expect(window.nextFreeAt(100, 100, 30_000)).toBe(80_500)
    expect(window.nextFreeAt(101, 100, 30_000)).toBeNull()
  })

  // Shown to guard: it fails when a bucket leaves 60 s after its second began instead of 60 s after its last reservation.
  test('reservations of any trailing 60 s never exceed the limit, and predictions are correct', () => {
    const step = fc.record({
      wait: fc.oneof(fc.nat(999), fc.nat(30_000), fc.integer({ min: windowMs - 999, max: windowMs })),
      input: fc.nat(60),
      output: fc.nat(100),
      usedShare: fc.double({ min: 0, max: 1, noNaN: true }),
      settles: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), steps => {
        const limit = 100
        const window = new TokenWindow()
        const counted: { time: number; tokens: number }[] = []
        const within = (moment: number) =>
          counted.reduce((sum, { time, tokens }) => (moment - time < windowMs ? sum + tokens : sum), 0)
        let now = 0
        for (const { wait, input, output, usedShare, settles } of steps) {
          now += wait
          const wanted = clipReservation({ input, output }, limit)
          expect(window.count(now)).toBeGreaterThanOrEqual(within(now))
          if (window.count(now) + wanted > limit) {
            const free = window.nextFreeAt(wanted, limit, now)
            if (free === null)
              throw new Error('An input that fits an empty window is never refused for ever.')
            expect(free).toBeGreaterThan(now)
            expect(free).toBeLessThan(now + windowMs + 1000)
            now = free
          }
          expect(window.count(now) + wanted).toBeLessThanOrEqual(limit)
          const reservation = window.reserve(wanted, now)
          const record = { time: now, tokens: wanted }
          counted.push(record)
          expect(within(now)).toBeLessThanOrEqual(limit)
          if (!settles) continue
          record.tokens = Math.floor(wanted * usedShare)
          window.settle(reservation, record.tokens, now + 10)
          now += 10
        }
        expect(window.count(now + windowMs + 1000)).toBe(0)
      }),
    )
  })
})
