// Prices in plain numbers and in bigint are equal, up to where plain numbers stop being exact.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addExactly, divideRoundingUp, type Exact, multiplyExactly, timesExactly } from './exact.ts'

const most = Number.MAX_SAFE_INTEGER
// Small ones, large ones, and those around the end of what a number shows exactly.
const whole = fc.oneof(
  fc.integer({ min: 0, max: 10_000_000 }),
  fc.maxSafeNat(),
  fc.integer({ min: 0, max: 5 }).map(less => most - less),
  fc.constantFrom(94_906_265, 94_906_266, 94_906_267),
)
const exact: fc.Arbitrary<Exact> = fc.oneof(
  whole,
  fc.bigInt({ min: BigInt(most) + 1n, max: BigInt(most) ** 2n }),
)

function isPlain(value: bigint): boolean {
  return value <= BigInt(most)
}

describe('plain numbers and bigints agree', () => {
  test('on products', () => {
    fc.assert(
      fc.property(whole, whole, (left, right) => {
        const product = multiplyExactly(left, right)
        expect(BigInt(product)).toBe(BigInt(left) * BigInt(right))
        expect(typeof product).toBe(isPlain(BigInt(product)) ? 'number' : 'bigint')
        expect(BigInt(timesExactly(BigInt(left), right))).toBe(BigInt(product))
        expect(timesExactly(left, right)).toBe(product)
      }),
    )
  })

  test('on sums', () => {
    fc.assert(
      fc.property(exact, exact, (left, right) => {
        const sum = addExactly(left, right)
        expect(BigInt(sum)).toBe(BigInt(left) + BigInt(right))
        expect(typeof sum).toBe(isPlain(BigInt(sum)) ? 'number' : 'bigint')
      }),
    )
  })

  test('on quotients, rounded up', () => {
    fc.assert(
      fc.property(
        exact,
        fc.oneof(
          whole.filter(some => some > 0),
          fc.constantFrom(1, 3, 1_000_000),
        ),
        (dividend, divisor) => {
          const expected = (BigInt(dividend) + BigInt(divisor) - 1n) / BigInt(divisor)
          expect(BigInt(divideRoundingUp(dividend, divisor))).toBe(expected)
        },
      ),
    )
  })
})

test.each([
  [0.5, 2],
  [2, 0.5],
  [Number.NaN, 0],
  [0, Number.POSITIVE_INFINITY],
])('%p × %p is refused', (left, right) => {
  expect(() => multiplyExactly(left, right)).toThrow(RangeError)
})
