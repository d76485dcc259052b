// Checks the limits and the maximum hold of each kind of media call: the rules of the specification, on the real catalog.
import { describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import type { SpeechRequest } from '@fairgate/contracts/audio/speech-request.ts'
import type { ImageRequest } from '@fairgate/contracts/images/request.ts'
import { loadCatalog } from '../../catalog/load-catalog.ts'
import type { CatalogModel } from '../../catalog/types.ts'
import { planUnits } from '../flow/admit.ts'
import { planSpeech, readMusicCall, readSpeechCall } from './audio-speech/plan-speech.ts'
import { planTranscription } from './audio-transcriptions/plan-transcription.ts'
import { planImages, readImageCall } from './images/plan-images.ts'

const catalog = loadCatalog(fileURLToPath(new URL('../../../../../config/models.yaml', import.meta.url)))

function modelOf(name: string): CatalogModel {
  const model = catalog.find(name)
  if (model === undefined) throw new Error(name)
  return model
}

const usd = (amount: number) => Math.round(amount * 1e9)
const imageOf = (name: string, changes: Partial<ImageRequest> = {}) =>
  readImageCall({ model: name, prompt: 'A cat', ...changes }, modelOf(name))
const costOfPlan = ({ estimate }: { estimate: unknown }) => (estimate as { cost: number }).cost

describe('images', () => {
  test.each([
    ['imgalias-2', 'mm-3.1-flash-image'],
    ['imgalias-2-lite', 'mm-3.1-flash-lite-image'],
    ['imgalias-pro', 'mm-3-pro-image'],
    ['imgalias', 'mm-2.5-flash-image'],
    ['imggen-4', 'imggen-4.0-generate-001'],
  ])('%s is %s', (alias, id) => expect(modelOf(alias).id).toBe(id))

  test.each([
    ['by default', {}, '1:1'],
    ['landscape', { size: '1536x1024' }, '4:3'],
    ['portrait', { size: '1024x1536' }, '3:4'],
    ['aspect_ratio wins over size', { size: '1536x1024', aspect_ratio: '9:16' }, '9:16'],
  ] as const)('imggen, %s', (_, changes, ratio) =>
    expect(imageOf('imggen-4', changes).aspectRatio).toBe(ratio),
  )

  test('imggen: an unknown size is refused, by name', () => {
    expect(() => imageOf('imggen-4', { size: '512x512' })).toThrow('size must be one of')
  })

  test('alias family: one image only, and size has no effect', () => {
    expect(() => imageOf('imgalias-2', { n: 2 })).toThrow('one image per request')
    expect(imageOf('imgalias-2', { size: '7x7' }).aspectRatio).toBe('1:1')
  })

  test.each([
    ['imggen-4', 3, usd(0.12)],
    ['imggen-4.0-fast-generate-001', 4, usd(0.08)],
    ['imggen-4.0-ultra-generate-001', 1, usd(0.06)],
  ])('%s × %i holds exactly its price', (name, n, cost) =>
    expect(costOfPlan(planImages(imageOf(name, { n })))).toBe(cost),
  )

  test('an image billed by tokens holds more than it costs', () => {
    const cost = costOfPlan(planImages(imageOf('imgalias-2')))
    expect(cost).toBeGreaterThan(usd(0.0672))
    expect(cost).toBeLessThan(usd(0.08))
  })
})

describe('speech and music', () => {
  const ask = (changes: Partial<SpeechRequest> = {}): SpeechRequest => ({
    model: 'm',
    input: 'Hello there',
    voice: 'zephyr',
    ...changes,
  })

  test('voices are accepted in any case; unknown formats are refused', () => {
    const speech = modelOf('mm-2.5-flash-preview-tts')
    expect(readSpeechCall(ask(), speech)).toMatchObject({ call: { voice: 'Zephyr' }, format: 'mp3' })
    expect(readSpeechCall(ask({ response_format: 'pcm' }), speech).format).toBe('pcm')
    expect(() => readSpeechCall(ask({ voice: 'alloy' }), speech)).toThrow('Voices: Zephyr')
    expect(() => readSpeechCall(ask({ response_format: 'aac' }), speech)).toThrow('mp3, opus, flac, wav, pcm')
  })

  test('speech holds the cost of slow speech', () => {
    const { call } = readSpeechCall(ask({ input: 'x'.repeat(1000) }), modelOf('mm-2.5-flash-preview-tts'))
    // 1,000 characters at 15 a second are 67 s: 1,667 tokens of 10 USD a million.
    expect(costOfPlan(planSpeech(call))).toBeGreaterThan(usd(0.01667))
  })

  test.each([
    ['music-3-clip-preview', 0.04],
    ['music-3-pro-preview', 0.08],
  ])('%s has one price', (name, price) => {
    const call = readMusicCall(ask({ voice: 'default' }), modelOf(name))
    expect(costOfPlan(planUnits(call.model, 'music', { song: 1 }))).toBe(usd(price))
    expect(modelOf(name).rpmLimit).toBe(105)
  })

  test('music accepts the voice default, and wav from pro only', () => {
    const wav = ask({ voice: 'default', response_format: 'wav' })
    expect(() => readMusicCall(ask({ voice: 'Puck' }), modelOf('music-3-pro-preview'))).toThrow("'default'")
    expect(() => readMusicCall(wav, modelOf('music-3-clip-preview'))).toThrow('must be one of mp3 for')
    expect(readMusicCall(wav, modelOf('music-3-pro-preview')).format).toBe('wav')
  })
})

test('a transcription holds for the longest possible recording', () => {
  const model = modelOf('mm-3.5-transcribe-preview')
  const call = {
    model,
    audio: new Uint8Array(),
    mimeType: 'audio/mp3',
    language: null,
    prompt: null,
    vocabulary: [],
    needsTimes: false,
  }
  // 60 s at 32 tokens, 2 USD a million, and 400 tokens of text at 12.
  expect(costOfPlan(planTranscription(call, 60))).toBeGreaterThan(usd(0.00384 + 0.0048))
  // The words of a prompt are input too: 8 bytes at 2 USD a million.
  const prompted = planTranscription({ ...call, prompt: 'Fairgate' }, 60)
  expect(costOfPlan(prompted) - costOfPlan(planTranscription(call, 60))).toBe(8 * 2000)
})

describe('models of other upstreams', () => {
  test('speech billed by the character holds exactly its price and uses no token windows', () => {
    const tiers = [{ aboveInputTokens: 0, rates: { inputCharacter: 15_000_000_000 } }] as const
    const model = { ...modelOf('mm-2.5-flash-preview-tts'), price: { tiers }, voices: null }
    const { call } = readSpeechCall(
      { model: model.id, input: 'Good morning', voice: 'Nova', instructions: 'Sing' },
      model,
    )
    expect(call.voice).toBe('Nova')
    expect(planSpeech(call)).toMatchObject({
      tokens: { input: 0, output: 0 },
      estimate: { kind: 'fixed', cost: 16 * 15_000 },
    })
  })

  test('a sent image with an unknown number of tokens holds the whole context', () => {
    const known = modelOf('imgalias-2')
    const image = { mimeType: 'image/png', base64: 'UE5H' } as const
    const costWith = (model: CatalogModel) =>
      costOfPlan(planImages({ model, prompt: 'x', count: 1, aspectRatio: null, images: [image] }))
    const more = costWith({ ...known, kind: 'openai' }) - costWith(known)
    // 0.50 USD a million.
    expect(more).toBe((known.contextLimit - 2600) * 500)
  })
})
