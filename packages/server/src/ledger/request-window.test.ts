import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RequestWindow, windowMs } from './request-window.ts'

describe('the request window', () => {
  test('105 pass, the 106th waits until the first is exactly 60 s old', () => {
    const window = new RequestWindow()
    for (let index = 0; index < 105; index += 1) window.add(1000 + index)
    expect(window.count(2000)).toBe(105)
    expect(window.nextFreeAt(105, 2000)).toBe(61_000)
    expect(window.count(60_999)).toBe(105)
    expect(window.count(61_000)).toBe(104)
    expect(window.nextFreeAt(105, 61_000)).toBe(61_000)
  })

  test('a limit lowered at run time waits for the excess; a raised one passes at once', () => {
    const window = new RequestWindow()
    for (const time of [0, 10, 20, 30]) window.add(time)
    expect(window.nextFreeAt(2, 40)).toBe(20 + windowMs)
    expect(window.nextFreeAt(5, 40)).toBe(40)
    expect(window.nextFreeAt(0, 40)).toBeNull()
  })

  test('a clock that steps back frees nothing and counts as stopped', () => {
    const window = new RequestWindow()
    window.add(100_000)
    window.add(5)
    expect(window.count(0)).toBe(2)
    expect(window.emptyAt(0)).toBe(160_000)
    expect(window.count(159_999)).toBe(2)
    expect(window.count(160_000)).toBe(0)
  })

  test('knows when it will be empty', () => {
    const window = new RequestWindow()
    expect(window.emptyAt(7)).toBe(7)
    window.add(10)
    window.add(20)
    expect(window.emptyAt(30)).toBe(20 + windowMs)
  })

  // Shown to guard: it fails with `<` instead of `<=` where old entries are dropped.
  test('agrees with a plain list of all admissions, never exceeds the limit, and predicts correctly when it frees', () => {
    const step = fc.record({
      wait: fc.oneof(fc.constant(0), fc.nat(2_000), fc.constantFrom(windowMs, windowMs - 1), fc.nat(90_000)),
      limit: fc.integer({ min: 1, max: 12 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), steps => {
        const window = new RequestWindow()
        const admitted: number[] = []
        let now = 0
        for (const { wait, limit } of steps) {
          now += wait
          const within = (moment: number) => admitted.filter(time => moment - time < windowMs).length
          expect(window.count(now)).toBe(within(now))
          if (within(now) < limit) {
            expect(window.nextFreeAt(limit, now)).toBe(now)
            window.add(now)
            admitted.push(now)
            continue
          }
          const free = window.nextFreeAt(limit, now)
          if (free === null) throw new Error('A limit above 0 frees at some time.')
          expect(within(free)).toBeLessThan(limit)
          expect(within(free - 1)).toBeGreaterThanOrEqual(limit)
        }
      }),
    )
  })
})
