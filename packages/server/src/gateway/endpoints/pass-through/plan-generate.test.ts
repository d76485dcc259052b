// Checks the hold of a pass-through call on the real catalog: never less than the call can cost as it is.
import { describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import type { GeminiGenerate } from '@fairgate/contracts/gemini/generate-request.ts'
import { loadCatalog } from '../../../catalog/load-catalog.ts'
import { nanoDollars } from '../../../ledger/money.ts'
import { planGenerate } from './plan-generate.ts'

const catalog = loadCatalog(fileURLToPath(new URL('../../../../../../config/models.yaml', import.meta.url)))

function plan(
  name: string,
  request: Partial<GeminiGenerate> = {},
  bodyBytes = 100,
  exact: number | null = null,
) {
  const model = catalog.find(name)
  if (model === undefined) throw new Error(name)
  const whole = { contents: [{ parts: [{ text: 'Hi' }] }], ...request }
  return planGenerate({ request: whole, model, bodyBytes, countInput: async () => exact })
}
const costOf = ({ estimate }: { estimate: unknown }) => (estimate as { cost: number }).cost
/** One content with one part: a byte a token, and 16 for each of the two. */
const textTokens = 132
const blob = (mimeType: string, bytes: number) => ({
  contents: [{ parts: [{ inlineData: { mimeType, data: 'A'.repeat((bytes * 4) / 3) } }] }],
})

describe('held', () => {
  test.each<[string, string, Partial<GeminiGenerate>, number]>([
    ['the whole output of the model', 'mm-2.5-flash', {}, textTokens * 300 + 65_536 * 2500],
    [
      'the cap of the caller',
      'mm-2.5-flash',
      { generationConfig: { maxOutputTokens: '100' } },
      textTokens * 300 + 100 * 2500,
    ],
    [
      'a cap above the maximum of the model',
      'mm-2.5-flash',
      { generationConfig: { maxOutputTokens: 1_000_000 } },
      textTokens * 300 + 65_536 * 2500,
    ],
    [
      'every candidate',
      'mm-2.5-flash',
      { generationConfig: { maxOutputTokens: 100, candidateCount: 3 } },
      textTokens * 300 + 300 * 2500,
    ],
    [
      'the context for a search',
      'mm-2.5-flash',
      { tools: [{ googleSearch: {} }], generationConfig: { maxOutputTokens: 10 } },
      1_048_576 * 300 + 10 * 2500,
    ],
    [
      'the image of its size next to text',
      'imgalias-2',
      { generationConfig: { maxOutputTokens: 10, imageConfig: { imageSize: '2K' } } },
      textTokens * 500 + 10 * 3000 + 1680 * 60_000,
    ],
    [
      'the largest image if the size has no figure',
      'imgalias-2-lite',
      { generationConfig: { maxOutputTokens: 10, imageConfig: { imageSize: '4K' } } },
      textTokens * 250 + 10 * 1500 + 32_768 * 30_000,
    ],
    ['all output as audio', 'mm-2.5-flash-preview-tts', {}, textTokens * 500 + 16_384 * 10_000],
    ['a song', 'music-3-pro-preview', {}, 80_000_000],
  ])('%s', (_, model, request, cost) => expect(costOf(plan(model, request))).toBe(cost))

  test('the more expensive tier for a prompt that can reach it', () => {
    const cap = { generationConfig: { maxOutputTokens: 10 } }
    expect(costOf(plan('mm-2.5-pro', cap, 300_000))).toBe((300_000 + 32) * 2500 + 10 * 15_000)
  })

  test.each([
    ['image/png', 300, 2600],
    ['application/pdf', 3000, 1_048_576 - 132],
    ['audio/mpeg', 3000, 96],
    ['text/plain', 3000, 3000],
    ['video/mp4', 300, 1_048_576 - 132],
    ['audio/ogg', 300, 1_048_576 - 132],
    ['', 300, 1_048_576 - 132],
  ])('%s of %i bytes: %i tokens at the most expensive input rate', (type, bytes, mediaTokens) => {
    const request = { ...blob(type, bytes), generationConfig: { maxOutputTokens: 1 } }
    // The characters of the medium do not count as text.
    const cost = costOf(plan('mm-2.5-flash', request, 100 + (bytes * 4) / 3))
    expect(cost).toBe((textTokens + mediaTokens) * 1000 + 2500)
  })
})

test('the estimate for a stream without usage is at most the output of all candidates', () => {
  const config = { maxOutputTokens: 100, candidateCount: 3 }
  expect(plan('mm-2.5-flash', { generationConfig: config }).outputCap).toBe(300)
})

test('the exact count replaces the ceiling, unless it is higher or unavailable', async () => {
  const cap = { generationConfig: { maxOutputTokens: 10 } }
  const refined = await plan('mm-2.5-flash', cap, 100, 7).refine?.('red')
  const cost = nanoDollars(7 * 300 + 10 * 2500)
  expect(refined).toEqual({ estimate: { kind: 'fixed', cost }, inputTokens: 7 })
  expect(await plan('mm-2.5-flash', cap, 100, 500).refine?.('red')).toBeNull()
  expect(await plan('mm-2.5-flash', cap, 100, null).refine?.('red')).toBeNull()
  expect(
    await plan('mm-2.5-flash', { ...cap, tools: [{ googleSearch: {} }] }, 100, 7).refine?.('red'),
  ).toBeNull()
})

test('a large file holds the whole context, also within the result of a function', () => {
  const fileData = { fileUri: 'mark', mimeType: 'image/png' }
  const whole = 1_048_576 * 1000 + 65_536 * 2500
  for (const part of [{ fileData }, { functionResponse: { name: 'f', parts: [{ fileData }] } }]) {
    const planned = plan('mm-2.5-flash', { contents: [{ parts: [part] }] })
    expect(costOf(planned)).toBe(whole)
    expect(planned).toMatchObject({ medium: 'document', estimatedInput: 1_048_576 })
  }
})
