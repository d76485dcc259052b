// Usage that is impossible, or that would make a call cost more than allowed.

import { isObject, type Json } from '../../src/json.ts'
import { answered, counted, type Family, streamed } from '../families.ts'
import { type Reshape, reshape, setFigures, withUsage } from '../reshape.ts'
import type { Fault, Faults, GoodReply } from '../script.ts'

const metered: readonly Family[] = [...answered, ...streamed, ...counted]

const anthropic: readonly Family[] = ['anthropic', 'anthropicStream']

type Change = (usage: Json, good: GoodReply, place: Parameters<Reshape>[1]) => unknown

const usage = (does: string, change: Change, bites = metered): Fault => ({
  does,
  bites,
  play: good => reshape(withUsage((given, place) => change(given, good, place)))(good),
})
const figures = (does: string, values: Parameters<typeof setFigures>[1], bites = metered): Fault =>
  usage(does, given => setFigures(given, values), bites)

const farAbove = (cap: number | null) => (cap ?? 65_536) * 10

export const usageFaults: Faults = {
  'usage-absent': usage('no usage', () => undefined),
  'usage-null': usage('usage is null', () => null),
  'usage-text': usage('usage is a string', () => 'twelve'),
  'usage-list': usage('usage is a list', () => [1, 2, 3]),
  'usage-empty': usage('usage without figures', () => ({})),
  'usage-zero': figures('all figures are 0', { prompt: 0, output: 0, total: 0 }),
  'usage-negative': figures('negative output', { output: -5, prompt: -3 }),
  'usage-fractional': figures('half tokens', { output: 2.5, prompt: 3.5 }),
  'usage-digits': figures('figures as strings', { output: '12', prompt: '3' }),
  'usage-boolean': figures('true in place of figures', { output: true, prompt: true }),
  'usage-billions': figures('5,000,000,000 tokens', { prompt: 5e9, output: 5e9, total: 1e10 }),
  'usage-2-to-53': figures('2^53 tokens', { prompt: 2 ** 53, output: 2 ** 53, total: 2 ** 54 }),
  'usage-1e308': figures('1e308 tokens', { prompt: 1e308, output: 1e308, total: 1e308 }),
  'usage-cached-above-prompt': figures('more cached than sent', { cached: 1_000_000 }),
  'usage-cached-negative': figures('negative cached tokens', { cached: -100 }),
  'usage-total-below-parts': figures('a total below the sum of its parts', { total: 1 }),
  'usage-thoughts-above-cap': usage('more thoughts than the cap', (given, { cap }) =>
    setFigures(given, { thoughts: farAbove(cap) }),
  ),
  'usage-output-above-cap': usage('more output than the requested cap', (given, { cap }) =>
    setFigures(given, { output: farAbove(cap), total: farAbove(cap) }),
  ),
  'usage-input-above-ceiling': figures('more input than could have been sent', {
    prompt: 1_000_000,
    total: 1_000_100,
  }),
  'usage-details-disagree': usage('details that do not add up', given => ({
    ...given,
    promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 900_000 }],
    candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 900_000 }],
  })),
  'usage-details-odd': usage('details with wrong types', given => ({
    ...given,
    promptTokensDetails: { modality: 7 },
    candidatesTokensDetails: [null, 'IMAGE', { modality: 'SMELL', tokenCount: 5 }],
    prompt_tokens_details: 'none',
    completion_tokens_details: [],
  })),
  'usage-cache-writes-unasked': usage(
    'cache writes that nobody asked for',
    given => ({
      ...given,
      cache_creation_input_tokens: 50_000,
      cache_creation: { ephemeral_5m_input_tokens: 20_000, ephemeral_1h_input_tokens: 30_000 },
    }),
    anthropic,
  ),
  'usage-cache-writes-negative': usage(
    'negative cache writes',
    given => ({
      ...setFigures(given, { written: -500 }),
      cache_creation: { ephemeral_5m_input_tokens: -500, ephemeral_1h_input_tokens: -1 },
    }),
    anthropic,
  ),
  'usage-cache-writes-disagree': usage(
    'cache writes whose lifetimes do not add up',
    given => ({
      ...setFigures(given, { written: 10 }),
      cache_creation: { ephemeral_5m_input_tokens: 2e9, ephemeral_1h_input_tokens: 2e9 },
    }),
    anthropic,
  ),
  'usage-cache-writes-odd': usage(
    'cache writes of wrong types',
    given => ({ ...setFigures(given, { written: '10', cached: {} }), cache_creation: [5] }),
    anthropic,
  ),
  'usage-shrinks': usage(
    'figures that shrink during a stream',
    (given, _good, { index }) => setFigures(given, { output: Math.max(1, 40 - 5 * index) }),
    streamed,
  ),
  'usage-first-only': {
    does: 'usage only in the first piece of a stream',
    bites: ['stream', 'array'],
    play: reshape((reply, { index }) => (index === 0 ? reply : { ...reply, usageMetadata: undefined })),
  },
  'usage-last-wild': {
    does: 'plausible figures, then absurd ones in the last piece',
    bites: streamed,
    play: reshape((reply, place) =>
      place.isLast
        ? withUsage(given => setFigures(isObject(given) ? given : {}, { output: 4e9 }))(reply, place)
        : reply,
    ),
  },
}
