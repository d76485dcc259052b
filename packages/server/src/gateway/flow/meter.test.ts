// Checks the charge of a call: its usage if that is plausible, and never more than was held for it.
// Shown to fail on the previous build (a charge of 5,000 tokens on a hold of 10, RangeError for 9e15), and by leaving the hold out of `meter`.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ChargeFlag } from '../../ledger/charge.ts'
import { buildModel } from '../../limits/testing/build-parties.ts'
import type { TokenUsage, UsageReport } from '../../upstream/port.ts'
import { type Metered, meter, meterInterrupted } from './meter.ts'
import { buildAdmitted } from './testing/build-admitted.ts'

const report = (inputTokens: number, outputTokens: number, more: Partial<TokenUsage> = {}): UsageReport => ({
  kind: 'reported',
  usage: { inputTokens, cachedTokens: 0, outputTokens, reasoningTokens: 0, ...more },
})
const told = ({ units, cost, tokens, flag, reported }: Metered) => ({
  units,
  cost: Number(cost),
  tokens,
  flag,
  reported: reported === null ? null : JSON.parse(reported),
})
/** The charge of a whole hold. */
const heldFor = (cost: number, flag: ChargeFlag, reported: object | null, tokens = 20) => ({
  units: {},
  cost,
  tokens,
  flag,
  reported,
})

describe('a usage', () => {
  test('within the hold is charged as is, to its last nano-dollar', () => {
    const units = { inputText: 10, cachedInput: 0, outputText: 10, reasoning: 0 }
    expect(told(meter(buildAdmitted(50_000), [report(10, 10)]))).toEqual({
      units,
      cost: 50_000,
      tokens: 20,
      flag: null,
      reported: null,
    })
    expect(meter(buildAdmitted(49_999), [report(10, 10)])).toMatchObject({
      cost: 49_999,
      flag: 'usage_above_hold',
    })
  })

  test('above the hold is charged at the hold, and a plausible excess counts in the window', () => {
    const units = { inputText: 10, cachedInput: 0, outputText: 150, reasoning: 0 }
    expect(told(meter(buildAdmitted(50_000), [report(10, 150)]))).toEqual(
      heldFor(50_000, 'usage_above_hold', { units, cost_nano: '610000', uncharged_nano: 560_000 }, 160),
    )
  })

  // Shown to fail with a ratio that is based on the raised hold: the third trick then worked again.
  test('above the hold is an excess, with the ratio of the use to the hold as it was before it was raised', () => {
    const basis = { medium: 'audio', ratio: 1_000_000 } as const
    expect(meter(buildAdmitted(50_000, { basis }), [report(10, 150)]).excess).toMatchObject({
      ...{ medium: 'audio', amount: 560_000, ratio: 12_200_000 },
    })
    const raised = buildAdmitted(100_000, { basis: { ...basis, ratio: 2_000_000 } })
    expect(meter(raised, [report(10, 150)]).excess).toMatchObject({ amount: 510_000, ratio: 12_200_245 })
    expect(meter(buildAdmitted(0, { basis }), [report(10, 150)]).excess).toMatchObject({ ratio: 1_000_000 })
  })

  test('plausible for tokens but not for money counts in the window, and is not an excess', () => {
    expect(meter(buildAdmitted(50_000), [report(0, 500)])).toMatchObject({ tokens: 500, excess: null })
  })

  test.each([
    ['within the hold', 610_000, [report(10, 150)]],
    ['of more tokens than a call can have', 50_000, [report(1000, 201)]],
    ['without figures', 50_000, [{ kind: 'absent' }]],
    ['of an amount that no number can hold', 50_000, [report(9e15, 0)]],
  ] as const)('%s is not an excess', (_, amount, reports) => {
    expect(meter(buildAdmitted(amount), reports).excess).toBeNull()
  })

  test('impossible for the model does not fill the window: the reserved amount counts', () => {
    expect(meter(buildAdmitted(50_000), [report(5_000_000_000, 0)])).toMatchObject({
      cost: 50_000,
      tokens: 20,
    })
    // Twice the model's limits are possible for two calls.
    expect(meter(buildAdmitted(50_000), [report(1000, 200), report(1000, 200)]).tokens).toBe(2400)
    expect(meter(buildAdmitted(50_000), [report(1000, 200), report(1000, 201)]).tokens).toBe(20)
    // A batch may have more texts than fit one prompt, as long as it fits its hold.
    expect(meter(buildAdmitted(9_000_000), [report(5000, 0)]).tokens).toBe(5000)
  })

  test('of a free model is trusted up to its maximum', () => {
    const rates = { inputText: 0, cachedInput: 0, outputText: 0, reasoning: 0 }
    const free = {
      model: buildModel({
        contextLimit: 900,
        maxOutput: 100,
        price: { tiers: [{ aboveInputTokens: 0, rates }] },
      }),
    }
    expect(meter(buildAdmitted(0, free), [report(900, 100)])).toMatchObject({
      cost: 0,
      tokens: 1000,
      flag: null,
    })
    expect(meter(buildAdmitted(0, free), [report(100_000_000, 0)])).toMatchObject({
      cost: 0,
      tokens: 20,
      flag: null,
    })
  })

  test('of more nano-dollars than a number can hold is kept as text', () => {
    const { reported } = told(meter(buildAdmitted(50_000), [report(9e15, 0)]))
    expect(reported).toMatchObject({ cost_nano: '9000000000000000000' })
  })

  test.each<[string, UsageReport, ChargeFlag, object | null]>([
    ['none', { kind: 'absent' }, 'usage_absent', null],
    [
      'values that are not figures',
      { kind: 'invalid', said: { promptTokenCount: -5, thoughts: Number.POSITIVE_INFINITY } },
      'usage_invalid',
      { usage: { promptTokenCount: -5, thoughts: 'Infinity' } },
    ],
    [
      'more things than requested',
      { kind: 'counted', units: { image: 3 } },
      'unit_unpriced',
      { units: { image: 3 } },
    ],
    [
      'a fraction',
      report(1.5, 0),
      'usage_invalid',
      { units: { inputText: 1.5, cachedInput: 0, outputText: 0, reasoning: 0 } },
    ],
  ])('%s: the hold is charged', (_, usage, flag, reported) => {
    expect(told(meter(buildAdmitted(50_000), [usage]))).toEqual(heldFor(50_000, flag, reported))
  })

  test('that is long is truncated', () => {
    const said = { text: 'x'.repeat(100_000) }
    const { reported } = meter(buildAdmitted(50_000), [{ kind: 'invalid', said }])
    expect(reported?.length).toBeLessThan(3000)
    expect(JSON.parse(reported ?? '')).toHaveProperty('cut')
  })
})

test('for any report, nothing is thrown and at most the hold is charged', () => {
  const figure = fc.oneof(
    fc.integer({ min: -5, max: 100 }),
    fc.constantFrom(0, 1.5, -1, 5e9, 9e15, Number.MAX_SAFE_INTEGER, 1e300, Infinity, Number.NaN),
    fc.constantFrom<never>(null as never, undefined as never, '5' as never, 10n as never, {} as never),
  )
  const counts = fc.record({
    inputTokens: figure,
    cachedTokens: figure,
    outputTokens: figure,
    reasoningTokens: figure,
    searches: figure,
    media: fc.option(fc.record({ inputAudio: figure, outputImage: figure })),
  })
  const reports = fc.array(
    fc.oneof(
      counts.map(usage => ({ kind: 'reported', usage })),
      fc
        .dictionary(fc.constantFrom('image', 'song', 'request', '__proto__'), figure)
        .map(units => ({ kind: 'counted', units })),
      fc.anything().map(said => ({ kind: 'invalid', said })),
      fc.anything(),
    ),
    { maxLength: 4 },
  )
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000 }), reports, (amount, given) => {
      const admitted = buildAdmitted(amount, { reservedTokens: 20 })
      const choices = given.map(usage => ({ usage: usage as UsageReport, characters: 40 }))
      for (const metered of [
        meter(admitted, given as UsageReport[]),
        meterInterrupted(admitted, { estimatedInput: 10, outputCap: 10 }, choices),
      ]) {
        expect(Number(metered.cost)).toBeLessThanOrEqual(amount)
        expect(Number.isSafeInteger(metered.cost) && metered.cost >= 0).toBe(true)
        expect(metered.tokens >= 0 && metered.tokens <= 10_000_000).toBe(true)
        expect(metered.reported === null || typeof metered.reported === 'string').toBe(true)
      }
    }),
    { numRuns: 500 },
  )
})

describe('a stream that ended early', () => {
  const expected = { estimatedInput: 5, outputCap: 10 }
  const interrupt = (amount: number, ...choices: { usage: UsageReport | null; characters: number }[]) =>
    told(meterInterrupted(buildAdmitted(amount), expected, choices))

  test('is charged by its last report, otherwise by its delivered output', () => {
    expect(interrupt(90_000, { usage: report(3, 2), characters: 400 })).toMatchObject({
      cost: 11_000,
      flag: null,
    })
    expect(interrupt(90_000, { usage: null, characters: 9 })).toMatchObject({
      cost: 17_000,
      flag: 'estimated',
    })
    expect(interrupt(90_000, { usage: null, characters: 4000 })).toMatchObject({ cost: 45_000 })
    expect(
      interrupt(90_000, { usage: report(3, 2), characters: 0 }, { usage: null, characters: 0 }),
    ).toMatchObject({ cost: 16_000, flag: 'estimated' })
  })

  test('is never charged more than its hold, no matter which side counts', () => {
    expect(interrupt(4000, { usage: null, characters: 40 })).toMatchObject({
      cost: 4000,
      flag: 'estimated',
      reported: null,
    })
    const above = interrupt(4000, { usage: report(3, 2), characters: 0 }, { usage: null, characters: 0 })
    expect(above).toMatchObject({ cost: 4000, flag: 'usage_above_hold', reported: { cost_nano: '11000' } })
  })

  test('with a unit that has no price is reported', () => {
    const usage = report(3, 2, { searches: 1 })
    expect(interrupt(4000, { usage, characters: 0 })).toMatchObject({ cost: 4000, flag: 'unit_unpriced' })
    const rates = { inputText: 1000, outputAudio: 1000 }
    const speech = buildModel({ price: { tiers: [{ aboveInputTokens: 0, rates }] } })
    const admitted = buildAdmitted(4000, { model: speech })
    expect(meterInterrupted(admitted, expected, [{ usage: null, characters: 9 }])).toMatchObject({
      cost: 4000,
      flag: 'unit_unpriced',
    })
  })
})
