// Media of OpenAI-compatible servers: the requests, and the results of replies, with what can be charged for them.
import { describe, expect, test } from 'bun:test'
import type { CatalogModel } from '../../catalog/types.ts'
import { buildWav } from '../../media/pcm.ts'
import { buildChatCall } from '../testing/build-chat-call.ts'
import {
  buildEditForm,
  buildEmbeddingsBody,
  buildImageBody,
  buildSpeechBody,
  buildTranscriptionForm,
  mapEmbeddingsReply,
  mapImageReply,
  mapSpeechReply,
  mapTranscriptionReply,
} from './media.ts'

const model = (changes: Partial<CatalogModel> = {}): CatalogModel => ({
  ...buildChatCall().model,
  upstreamId: 'up',
  imageSizes: new Map([['1:1', '1024x1024']]),
  ...changes,
})
const reported = (inputTokens: number, outputTokens: number, media?: object) => ({
  kind: 'reported',
  usage: {
    inputTokens,
    cachedTokens: 0,
    outputTokens,
    reasoningTokens: 0,
    ...(media === undefined ? {} : { media }),
  },
})

describe('images', () => {
  const call = (modality: 'image' | 'imggen', aspectRatio: string | null = '1:1') => ({
    model: model({ modality }),
    prompt: 'A cat',
    count: 2,
    aspectRatio,
    images: [],
  })

  test('models billed per image are asked to send it; those billed by tokens would refuse that', () => {
    const body = { model: 'up', prompt: 'A cat', n: 2, size: '1024x1024' }
    expect(buildImageBody(call('imggen'))).toEqual({ ...body, response_format: 'b64_json' })
    expect(buildImageBody(call('image'))).toEqual(body)
  })

  test.each([[null], ['16:9']])('a ratio of %p has no size: it is left to the model', ratio =>
    expect(buildImageBody(call('image', ratio))).not.toHaveProperty('size'),
  )

  test.each([
    [1, ['image']],
    [2, ['image[]', 'image[]']],
  ])('an edit sends %i files under their name', (count, names) => {
    const image = { mimeType: 'image/png', base64: 'UE5H' } as const
    const form = buildEditForm({ ...call('image'), images: Array.from({ length: count }, () => image) })
    expect([...form.keys()].filter(name => name.startsWith('image'))).toEqual(names)
    expect(form.get('size')).toBe('1024x1024')
  })

  const data = [{ b64_json: 'b25l', revised_prompt: 'A small cat' }, { b64_json: '' }, null]
  test('billed per image: received images are counted', () => {
    expect(mapImageReply({ data, usage: { input_tokens: 5, output_tokens: 7 } }, call('imggen'))).toEqual({
      images: [{ base64: 'b25l', revisedPrompt: 'A small cat' }],
      usage: { kind: 'counted', units: { image: 1 } },
    })
  })
  test.each([
    ['output is image', { input_tokens: 5, output_tokens: 7 }, reported(5, 7, { outputImage: 7 })],
    [
      'unless text is listed separately',
      { input_tokens: 5, output_tokens: 7, output_tokens_details: { image_tokens: 6, text_tokens: 1 } },
      reported(5, 7, { outputImage: 6 }),
    ],
    ['none', undefined, { kind: 'absent' }],
  ])('billed by tokens: %s', (_, usage, expected) => {
    expect(mapImageReply({ data, usage }, call('image')).usage as unknown).toEqual(expected)
  })

  test.each([[null], [[]], [{}], [{ data: [] }], [{ data: [{}] }], [{ error: { message: 'x' } }]])(
    '%j is no answer',
    reply => {
      for (const kind of ['image', 'imggen'] as const)
        expect(() => mapImageReply(reply, call(kind))).toThrow('empty answer')
    },
  )

  test('images sent as addresses are an error', () => {
    expect(() => mapImageReply({ data: [{ url: 'https://x' }] }, call('imggen'))).toThrow('image URLs')
  })
})

describe('speech', () => {
  const call = { model: model(), text: 'Hi 👋', instructions: null, voice: 'nova' }

  test('samples are requested; instructions go next to the text', () => {
    expect(buildSpeechBody(call)).toEqual({
      model: 'up',
      input: 'Hi 👋',
      voice: 'nova',
      response_format: 'pcm',
    })
    expect(buildSpeechBody({ ...call, instructions: 'Sing' })).toMatchObject({
      input: 'Hi 👋',
      instructions: 'Sing',
    })
  })

  const samples = Buffer.from([1, 0, 2, 0])
  test.each<[string, string, Buffer, object | null]>([
    ['samples', 'audio/pcm', samples, { samples, rate: 24_000 }],
    ['samples of another rate', 'audio/L16; rate=16000', samples, { samples, rate: 16_000 }],
    ['samples of no type', '', samples, { samples, rate: 24_000 }],
    ['a WAV file', 'audio/mpeg', Buffer.from(buildWav({ samples, rate: 8000 })), { samples, rate: 8000 }],
  ])('%s', (_, type, bytes, audio) => {
    expect(mapSpeechReply(call, type, bytes) as unknown).toEqual({
      audio,
      // Characters, not UTF-16 units.
      usage: { kind: 'counted', units: { inputCharacter: 4 } },
    })
  })

  test.each([
    ['no bytes', Buffer.alloc(0)],
    ['null', Buffer.from('null')],
    ['an error', Buffer.from('{"error":{"message":"x"}}')],
    ['a file without samples', Buffer.from(buildWav({ samples: Buffer.alloc(0), rate: 8000 }))],
  ])('%s is no answer', (_, bytes) =>
    expect(() => mapSpeechReply(call, 'audio/pcm', bytes)).toThrow('empty answer'),
  )

  test.each(['audio/mpeg', 'application/json'])('%s was not requested', type =>
    expect(() => mapSpeechReply(call, type, samples)).toThrow('a different format'),
  )
})

describe('transcripts', () => {
  const call = {
    model: model(),
    audio: new Uint8Array([1, 2, 3]),
    mimeType: 'audio/mp3',
    language: 'de',
    prompt: 'Fairgate',
    vocabulary: ['Fairgate'],
    needsTimes: true,
  }

  test('the file has a name that shows its format', () => {
    const form = buildTranscriptionForm(call)
    const file = form.get('file')
    expect(file instanceof File ? [file.name, file.type, file.size] : file).toEqual([
      'recording.mp3',
      'audio/mpeg',
      3,
    ])
    expect(
      Object.fromEntries(
        [...form.keys()].filter(name => name !== 'file').map(name => [name, form.get(name)]),
      ),
    ).toEqual({
      model: 'up',
      response_format: 'verbose_json',
      'timestamp_granularities[]': 'word',
      language: 'de',
      prompt: 'Fairgate',
    })
    const plain = buildTranscriptionForm({ ...call, language: null, prompt: null, needsTimes: false })
    expect([...plain.keys()]).toEqual(['model', 'response_format', 'file'])
  })

  const seconds = (count: number) => reported(count * 32, 0, { inputAudio: count * 32 })
  test.each<[string, object, unknown]>([
    ['tokens', { usage: { type: 'tokens', input_tokens: 5, output_tokens: 2 } }, reported(5, 2)],
    ['seconds', { usage: { type: 'duration', seconds: 3 }, duration: 2.5 }, seconds(3)],
    ['the length next to the text', { duration: 2 }, seconds(2)],
    ['neither', { text: 'Hi' }, { kind: 'absent' }],
    [
      'seconds that cannot be',
      { usage: { type: 'duration', seconds: -1 } },
      { kind: 'invalid', said: { seconds: -1 } },
    ],
    ['an invalid length', { duration: 'long' }, { kind: 'invalid', said: { seconds: 'long' } }],
  ])('usage in %s', (_, reply, usage) => expect(mapTranscriptionReply(reply).usage as unknown).toEqual(usage))

  test.each([[null], [[]], [{}], [{ error: { message: 'x' } }]])('%j is no answer', reply =>
    expect(() => mapTranscriptionReply(reply)).toThrow('empty answer'),
  )

  test('silence has an empty text', () => expect(mapTranscriptionReply({ text: '' }).text).toBe(''))

  test('the language is reported or not', () => {
    expect(mapTranscriptionReply({ text: 'Hi', language: 'english' }).language).toBe('english')
    for (const reply of [{ text: 'Hi' }, { text: 'Hi', language: '' }, { text: 'Hi', language: 5 }])
      expect(mapTranscriptionReply(reply).language).toBeNull()
  })

  test('words have times, or else segments', () => {
    const words = [{ word: 'Hi', start: 0, end: 0.5 }, { word: 'x' }]
    const segments = [{ text: ' Hi there.', start: 0, end: 1 }]
    expect(mapTranscriptionReply({ text: 'Hi', words, segments }).words).toEqual([
      { text: 'Hi', start: 0, end: 0.5 },
    ])
    expect(mapTranscriptionReply({ segments }).words).toEqual([{ text: 'Hi there.', start: 0, end: 1 }])
  })
})

describe('embeddings', () => {
  test('numbers are requested, and a length if one is given', () => {
    const body = { model: 'up', input: ['a'], encoding_format: 'float' }
    expect(buildEmbeddingsBody({ model: model(), texts: ['a'], dimensions: null })).toEqual(body)
    expect(buildEmbeddingsBody({ model: model(), texts: ['a'], dimensions: 3 })).toEqual({
      ...body,
      dimensions: 3,
    })
  })

  test('vectors come in the order of the texts', () => {
    const data = [
      { index: 1, embedding: [2] },
      { index: 0, embedding: [1] },
    ]
    expect(mapEmbeddingsReply({ data, usage: { prompt_tokens: 4, total_tokens: 4 } }, 2) as unknown).toEqual({
      vectors: [[1], [2]],
      usage: reported(4, 0),
    })
  })

  test.each([[{}], [{ data: [{ index: 0, embedding: [] }] }], [{ data: [{ embedding: 'AAAA' }] }]])(
    '%j are too few',
    reply => expect(() => mapEmbeddingsReply(reply, 1)).toThrow('too few vectors'),
  )
})
