// The catalog file: the parsed members, and that every error stops the start with the name of the entry.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadCatalog } from './load-catalog.ts'
import type { UpstreamKinds } from './upstream-kinds.ts'

const folder = mkdtempSync(join(tmpdir(), 'fairgate-catalog-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** YAML accepts JSON. */
function load(models: object, families?: object) {
  const path = join(folder, 'models.yaml')
  writeFileSync(path, JSON.stringify({ models, families }))
  return loadCatalog(path, kinds)
}
const kinds: UpstreamKinds = new Map([
  ['vendor', 'vendor'],
  ['own', 'openai'],
  ['claude', 'anthropic'],
])

const prices = { input: 0.3, cached_input: 0.03, output: 2.5, reasoning: 2.5 }
const chat = { upstream_id: 'up', context_limit: 1000, max_output: 100, price: prices }
const song = {
  modality: 'music',
  upstream_id: 'up',
  context_limit: 1,
  formats: ['mp3'],
  price: { song: 0.04 },
}

const speech = {
  upstream: 'own',
  modality: 'speech',
  upstream_id: 'up',
  context_limit: 1,
  price: { input_characters: 15 },
}

test('prices are whole nano-dollars per million units, including units that are not tokens', () => {
  expect(load({ chat }).find('chat')?.price.tiers[0].rates).toMatchObject({ inputText: 300_000_000 })
  expect(load({ song }).find('song')?.price.tiers[0].rates).toEqual({ song: 4e13 })
})

test('media input costs like text and reasoning like output, unless they have their own price', () => {
  const {
    cached_input: _cached,
    reasoning: _reasoning,
    ...some
  } = { ...prices, input_audio: 1, output_image: 30 }
  const image = { ...chat, modality: 'image', image_tokens: { '1K': 1290 }, price: some }
  expect(load({ image }).find('image')?.price.tiers[0].rates).toEqual({
    inputText: 300_000_000,
    inputAudio: 1_000_000_000,
    inputImage: 300_000_000,
    inputVideo: 300_000_000,
    cachedInput: 300_000_000,
    outputText: 2_500_000_000,
    reasoning: 2_500_000_000,
    outputImage: 30_000_000_000,
  })
})

test('a model belongs to the vendor unless it names another upstream, with larger reserves there', () => {
  const catalog = load({ chat, other: { ...chat, upstream: 'own' } })
  expect(catalog.find('chat')).toMatchObject({
    upstream: 'vendor',
    promptOverhead: 0,
    kind: 'vendor',
  })
  expect(catalog.find('other')).toMatchObject({
    upstream: 'own',
    promptOverhead: 1024,
    kind: 'openai',
  })
})

test('a family can also be served by another upstream', () => {
  const { find } = load({ chat }, { 'own-*': { ...chat, upstream: 'own', upstream_id: 'up-*' } })
  expect(find('own-x')).toMatchObject({ id: 'own-x', upstream: 'own', upstreamId: 'up-x' })
})

test('speech from an OpenAI-compatible server is priced by the character, with any voice or those of the catalog', () => {
  const catalog = load({ speech, two: { ...speech, voices: ['nova'], prompt_overhead: 5 } })
  expect(catalog.find('speech')?.price.tiers[0].rates).toEqual({ inputCharacter: 15_000_000_000 })
  expect(catalog.find('speech')?.voices).toBeNull()
  expect(catalog.find('two')).toMatchObject({ voices: ['nova'], promptOverhead: 5 })
})

test('fallbacks are models of this catalog, in order, with fallbacks of their own', () => {
  const two = { ...chat, fallbacks: ['three'] }
  const { find } = load({ one: { ...chat, fallbacks: ['three', 'two'] }, two, three: chat })
  expect(find('one')?.fallbacks.map(({ id }) => id)).toEqual(['three', 'two'])
  expect(find('one')?.fallbacks[1]).toBe(find('two'))
  expect(find('three')?.fallbacks).toEqual([])
})

test.each([
  ['no models', {}, 'no model is defined'],
  [
    'an unknown fallback',
    { one: { ...chat, fallbacks: ['two'] } },
    'one.fallbacks: two is not a model of this catalog',
  ],
  [
    'a fallback by its alias',
    { one: { ...chat, fallbacks: ['also'] }, two: { ...chat, aliases: ['also'] } },
    'one.fallbacks: also is not a model of this catalog',
  ],
  ['a fallback to itself', { one: { ...chat, fallbacks: ['one'] } }, 'one → one is a loop'],
  [
    'fallbacks in a circle',
    { one: { ...chat, fallbacks: ['two'] }, two: { ...chat, fallbacks: ['one'] } },
    'one → two → one is a loop',
  ],
  [
    'a duplicate fallback',
    { one: { ...chat, fallbacks: ['two', 'two'] }, two: chat },
    'a model is listed twice',
  ],
  [
    'a fallback of another kind',
    { one: { ...chat, fallbacks: ['song'] }, song },
    'only chat models can have fallbacks',
  ],
  [
    'a fallback of a model that does not chat',
    { chat, song: { ...song, fallbacks: ['chat'] } },
    'only chat models can have fallbacks',
  ],
  [
    'a fallback without a price',
    { one: { ...chat, fallbacks: ['two'] }, two: { ...chat, price: { ...prices, reasoning: undefined } } },
    'two.price.reasoning is missing',
  ],
  ['an unknown member', { chat: { ...chat, colour: 1 } }, 'colour'],
  ['a duplicate name', { one: chat, two: { ...chat, aliases: ['one'] } }, 'two models are called one'],
  ['an unknown kind', { chat: { ...chat, modality: 'smell' } }, 'modality'],
  [
    'chat without a price',
    { chat: { ...chat, price: { ...prices, reasoning: undefined } } },
    'chat.price.reasoning is missing',
  ],
  ['music without a price', { song: { ...song, price: { input: 1 } } }, 'song.price.song is missing'],
  ['a price below 0', { song: { ...song, price: { song: -1 } } }, 'song'],
  ['a price with too many decimals', { song: { ...song, price: { song: 1e-10 } } }, 'song.price.song'],
  ['a price that is too high', { song: { ...song, price: { song: 100 } } }, 'is too much'],
  [
    'a tier that is not a number',
    { chat: { ...chat, price: { ...prices, above: { many: prices } } } },
    'not a number of tokens',
  ],
  [
    'a tier without a price',
    { chat: { ...chat, price: { ...prices, above: { 10: { input: 1 } } } } },
    'above.10.cached_input is missing',
  ],
  ['no output cap', { chat: { ...chat, max_output: undefined } }, 'max_output is missing'],
  ['a default above the cap', { chat: { ...chat, default_output_cap: 101 } }, 'above max_output'],
  ['music without a format', { song: { ...song, formats: undefined } }, 'formats is missing'],
  [
    'an unknown upstream',
    { chat: { ...chat, upstream: 'else' } },
    'chat.upstream: else is none of vendor, own, claude',
  ],
  [
    'music from another upstream',
    { song: { ...song, upstream: 'own' } },
    'song: an upstream of the kind openai does not serve',
  ],
  [
    'a price of searches that are not offered',
    { chat: { ...chat, upstream: 'own', price: { ...prices, search: 0.01 } } },
    'chat.price.search',
  ],
  [
    'a price of cache writes that no other kind bills',
    { chat: { ...chat, price: { ...prices, cache_write_5m: 1 } } },
    'chat.price.cache_write_5m: only upstreams of the kind anthropic',
  ],
  [
    'images of an upstream that has chat only',
    { image: { ...chat, modality: 'image', upstream: 'claude' } },
    'image: an upstream of the kind anthropic does not serve',
  ],
  [
    'a tier without the cache prices of the first',
    { chat: { ...chat, upstream: 'claude', price: { ...prices, cache_write_1h: 1, above: { 9: prices } } } },
    'chat.price.above.9.cache_write_1h is missing',
  ],
  [
    'speech from another upstream, priced by token',
    { speech: { ...speech, price: { input: 1, output_audio: 1 } } },
    'speech.price.input_characters is missing',
  ],
  ['an invalid date', { chat: { ...chat, retires_on: '2026-13-45' } }, 'retires_on'],
] as const)('%s stops the start', (_, models, message) => {
  expect(() => load(models)).toThrow(message)
})

describe('families', () => {
  const video = { modality: 'video', upstream_id: 'veo-*', context_limit: 1, price: { request: 0.5 } }

  test('a name that matches the pattern is a model, unlisted; its own entry takes precedence', () => {
    const own = { ...video, upstream_id: 'veo-own', price: { request: 1 } }
    const catalog = load({ 'video-own': own }, { 'video-*': video })
    expect(catalog.models.map(model => model.id)).toEqual(['video-own'])
    expect(catalog.find('video-own')?.upstreamId).toBe('veo-own')
    expect(catalog.find('video-9.1-fast')).toMatchObject({
      id: 'video-9.1-fast',
      upstreamId: 'veo-9.1-fast',
      modality: 'video',
      price: { tiers: [{ rates: { request: 5e14 } }] },
    })
  })

  test.each([
    'video-',
    'video-*',
    'video--',
    'video-A',
    'video-a/b',
    'video-a:b',
    'video-..',
    'movie-1',
    `video-${'x'.repeat(65)}`,
  ])('%s does not match', name => {
    expect(load({ chat }, { 'video-*': video }).find(name)).toBeUndefined()
  })

  test.each([
    ['without a star', { 'video-': video }, 'must end in *'],
    ['with two stars', { 'v*-*': video }, 'must end in *'],
    ['an upstream without a star', { 'video-*': { ...video, upstream_id: 'veo' } }, 'upstream_id must end'],
    ['with aliases', { 'video-*': { ...video, aliases: ['a'] } }, 'a family cannot have aliases'],
    ['without a price', { 'video-*': { ...video, price: {} } }, 'families.video-*.price.request is missing'],
  ] as const)('%s stops the start', (_, families, message) => {
    expect(() => load({ chat }, families)).toThrow(message)
  })
})
