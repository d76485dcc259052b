// The ceiling of a call: each kind of token at the highest price it can have, and never a kind without a price.
import { expect, test } from 'bun:test'
import { type Ceiling, ceilingCost, type PriceTable, UnpricedUnitError } from './price.ts'

const price: PriceTable = {
  tiers: [
    {
      aboveInputTokens: 0,
      rates: { inputText: 300_000_000, inputAudio: 1_000_000_000, outputText: 2_500_000_000 },
    },
    {
      aboveInputTokens: 1000,
      rates: { inputText: 600_000_000, inputAudio: 500_000_000, outputText: 5_000_000_000 },
    },
  ],
}
const output: Ceiling = { tokens: 10, units: ['outputText'] }

test.each<[string, number, Ceiling[], number]>([
  ['nothing', 0, [], 0],
  ['two kinds', 100, [{ tokens: 100, units: ['inputText'] }, output], 30_000 + 25_000],
  ['the costliest of multiple units', 100, [{ tokens: 100, units: ['inputText', 'inputAudio'] }], 100_000],
  ['the more expensive tier', 1001, [{ tokens: 1001, units: ['inputText'] }, output], 600_600 + 50_000],
  ['a tier that is cheaper for some', 1001, [{ tokens: 1001, units: ['inputAudio'] }], 1_001_000],
  ['rounded up once', 1, [{ tokens: 1, units: ['inputText'] }], 300],
  ['a kind without a price and without tokens', 1, [{ tokens: 0, units: ['outputImage'] }, output], 25_000],
])('%s', (_, input, ceilings, cost) => expect(ceilingCost(price, input, ceilings) as number).toBe(cost))

test('a kind without a price does not mean a ceiling of 0', () => {
  expect(() => ceilingCost(price, 1, [{ tokens: 1, units: ['outputImage'] }])).toThrow(UnpricedUnitError)
})
