// The highest rate of a prompt that ends exactly where the next tier begins: that tier is out of its reach.
import { expect, test } from 'bun:test'
import { dearestRate } from './price.ts'

test('a tier above N tokens begins with N + 1', () => {
  const cheap = { aboveInputTokens: 0, rates: { inputText: 5 } }
  const dear = { aboveInputTokens: 1000, rates: { inputText: 9 } }
  const rateAt = (inputTokens: number) => dearestRate({ tiers: [cheap, dear] }, ['inputText'], inputTokens)
  expect([999, 1000, 1001].map(rateAt)).toEqual([5, 5, 9])
})
