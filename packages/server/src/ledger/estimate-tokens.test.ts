import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { inputCeiling, inputEstimate } from './estimate-tokens.ts'

test('the ceiling is one token per byte plus a constant per message', () => {
  expect(inputCeiling(1000, 0)).toBe(1000)
  expect(inputCeiling(1000, 3) - inputCeiling(1000, 2)).toBe(inputCeiling(0, 1))
})

test('the estimate rounds up and is never above the ceiling', () => {
  expect(inputEstimate(1, 0)).toBe(1)
  expect(inputEstimate(4, 0)).toBe(1)
  expect(inputEstimate(5, 0)).toBe(2)
  fc.assert(
    fc.property(fc.nat(), fc.nat(10_000), (bytes, messages) => {
      expect(inputEstimate(bytes, messages)).toBeLessThanOrEqual(inputCeiling(bytes, messages))
    }),
  )
})
