// The charge of Anthropic's usage to the nano-dollar: both cache lifetimes, reads, long context; and figures that are never charged.
import { describe, expect, test } from 'bun:test'
import type Anthropic from '@anthropic-ai/sdk'
import { costOf, type PriceTable, UnpricedUnitError, unitsOfTokens } from '../../ledger/price.ts'
import { mapUsage } from './map-usage.ts'

/** 3 USD a million input, 3.75 and 6 to write, 0.30 to read, 15 output; twice that above 200,000, with 22.50 for output. */
const rates = {
  inputText: 3e9,
  cacheWrite5m: 3.75e9,
  cacheWrite1h: 6e9,
  cachedInput: 0.3e9,
  outputText: 15e9,
  reasoning: 15e9,
}
const longRates = {
  inputText: 6e9,
  cacheWrite5m: 7.5e9,
  cacheWrite1h: 12e9,
  cachedInput: 0.6e9,
  outputText: 22.5e9,
  reasoning: 22.5e9,
}
const price: PriceTable = {
  tiers: [
    { aboveInputTokens: 0, rates },
    { aboveInputTokens: 200_000, rates: longRates },
  ],
}

type Said = Partial<Anthropic.Usage>
const cost = (usage: Said, table = price): number => {
  const report = mapUsage(usage)
  if (report.kind !== 'reported') throw new Error(report.kind)
  return costOf(table, unitsOfTokens(report.usage), report.usage.inputTokens)
}
const writes = (short: number, long: number): Said => ({
  cache_creation_input_tokens: short + long,
  cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
})

test.each<[string, Said, number]>([
  ['plain', { input_tokens: 7, output_tokens: 3 }, 7 * 3000 + 3 * 15_000],
  [
    'thoughts are output',
    { input_tokens: 7, output_tokens: 3, output_tokens_details: { thinking_tokens: 2 } },
    7 * 3000 + 3 * 15_000,
  ],
  ['a read', { input_tokens: 7, cache_read_input_tokens: 11, output_tokens: 0 }, 7 * 3000 + 11 * 300],
  ['written for five minutes', { input_tokens: 7, output_tokens: 0, ...writes(13, 0) }, 7 * 3000 + 13 * 3750],
  ['written for an hour', { input_tokens: 7, output_tokens: 0, ...writes(0, 13) }, 7 * 3000 + 13 * 6000],
  [
    'all at once',
    { input_tokens: 1, cache_read_input_tokens: 2, output_tokens: 4, ...writes(3, 5) },
    3000 + 2 * 300 + 3 * 3750 + 5 * 6000 + 4 * 15_000,
  ],
  [
    'an unknown lifetime costs as the longer one',
    { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 10 },
    10 * 6000,
  ],
  [
    'cached and written input count towards the long context',
    { input_tokens: 1, cache_read_input_tokens: 100_000, output_tokens: 1, ...writes(100_000, 0) },
    6000 + 100_000 * 600 + 100_000 * 7500 + 22_500,
  ],
])('%s', (_, usage, nano) => expect(cost(usage)).toBe(nano))

test('a write without a price is never free', () => {
  const { cacheWrite5m: _, cacheWrite1h: __, ...others } = rates
  const unpriced: PriceTable = { tiers: [{ aboveInputTokens: 0, rates: others }] }
  expect(() => cost({ input_tokens: 7, output_tokens: 3, ...writes(1, 0) }, unpriced)).toThrow(
    UnpricedUnitError,
  )
})

describe('no usage', () => {
  test.each<[string, Record<string, unknown> | null, string]>([
    ['missing', null, 'absent'],
    ['without input', { output_tokens: 3 }, 'invalid'],
    ['negative', { input_tokens: -1, output_tokens: 3 }, 'invalid'],
    ['fractional', { input_tokens: 1, output_tokens: 0.5 }, 'invalid'],
    ['of a fast answer, at another price', { input_tokens: 1, output_tokens: 3, speed: 'fast' }, 'invalid'],
  ])('%s', (_, usage, kind) => expect(mapUsage(usage).kind as string).toBe(kind))

  test('searches are counted, so that they are not free', () => {
    const usage = {
      input_tokens: 1,
      output_tokens: 1,
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
    }
    expect(mapUsage(usage)).toMatchObject({ usage: { searches: 2 } })
  })
})
