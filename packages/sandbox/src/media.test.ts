// Images, speech, music and transcripts are real files of the right size and length, counted and billed.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { writeSine } from './media/sine.ts'
import { readWavSeconds, writeWav } from './media/wav.ts'
import type { Sandbox } from './start-sandbox.ts'
import {
  generate,
  mediumOf,
  partsOf,
  post,
  type Reply,
  readMp3Seconds,
  readPngSize,
  startTestSandbox,
} from './testing/call-sandbox.ts'

let sandbox: Sandbox
beforeAll(() => {
  sandbox = startTestSandbox()
})
beforeEach(() => sandbox.resetCounters())
afterAll(() => sandbox.stop())

describe('images', () => {
  test.each([
    ['gemini-2.5-flash-image', '16:9', undefined, '1344x768', 1290],
    ['gemini-2.5-flash-image-preview', '21:9', undefined, '1536x672', 1290],
    ['gemini-3.1-flash-image', '1:1', '512', '512x512', 747],
    ['gemini-3.1-flash-image', '4:5', '2K', '1856x2304', 1680],
    ['gemini-3.1-flash-lite-image', '3:2', undefined, '1264x848', 1120],
    ['gemini-3-pro-image', '9:16', '4K', '3072x5504', 2000],
  ])('%s, %s, %s', async (model, aspectRatio, imageSize, size, tokens) => {
    const imageConfig = { aspectRatio, ...(imageSize === undefined ? {} : { imageSize }) }
    const reply = await generate(sandbox, model, 'A cat', {
      generationConfig: { responseModalities: ['IMAGE'], imageConfig },
    })
    expect(partsOf(reply)).toHaveLength(1)
    expect(mediumOf(reply).mimeType).toBe('image/png')
    expect(readPngSize(mediumOf(reply).bytes)).toBe(size)
    expect(reply.usageMetadata?.candidatesTokenCount).toBe(tokens)
    expect(reply.usageMetadata?.candidatesTokensDetails).toEqual([{ modality: 'IMAGE', tokenCount: tokens }])
    expect(reply.candidates?.[0]).toMatchObject({ finishReason: 'STOP', index: 0 })
    expect(reply.candidates?.[0]?.safetyRatings?.length).toBeGreaterThan(0)
    expect(sandbox.counters().billed[model]?.images).toBe(1)
  })

  test('come with text unless it is excluded; edits accept images; interim images and refusals on demand', async () => {
    const model = 'gemini-3.1-flash-image'
    const plain = await generate(sandbox, model, 'A cat')
    expect(partsOf(plain).map(part => Object.keys(part)[0])).toEqual(['text', 'inlineData'])
    const contents = [
      { parts: [{ text: 'Bluer' }, { inline_data: { mime_type: 'image/png', data: 'AAAA' } }] },
    ]
    const edited = await generate(sandbox, model, '', { contents })
    expect(edited.usageMetadata?.promptTokensDetails).toContainEqual({ modality: 'IMAGE', tokenCount: 258 })
    const thinking = await generate(sandbox, model, 'A cat [[sandbox: thoughtImage]]')
    expect(partsOf(thinking).map(part => part.thought ?? false)).toEqual([false, true, false])
    const refused = await generate(sandbox, model, 'A cat [[sandbox: finishReason=IMAGE_SAFETY]]')
    expect(partsOf(refused)).toEqual([])
    expect(refused.candidates?.[0]?.finishReason).toBe('IMAGE_SAFETY')
    expect(sandbox.counters().billed[model]?.images).toBe(3)
    const big = await generate(sandbox, model, 'A cat [[sandbox: imageBytes=2000000]]')
    expect(mediumOf(big).bytes.length).toBeGreaterThan(2_000_000)
    for (const imageConfig of [{ aspectRatio: '7:5' }, { imageSize: '1k' }, { colour: 'red' }]) {
      const wrong = await generate(sandbox, model, 'A cat', { generationConfig: { imageConfig } })
      expect(wrong.error?.code).toBe(400)
    }
  })

  test('imagen: samples of one size, some or all filtered', async () => {
    const predict = async (prompt: string, parameters: object = {}) => {
      const body = { instances: [{ prompt }], parameters }
      const reply = await post(sandbox, 'models/imagen-4.0-generate-001:predict', body)
      return (await reply.json()) as {
        predictions?: { bytesBase64Encoded?: string; raiFilteredReason?: string }[]
        error?: { code: number }
      }
    }
    const sizes = ({ predictions = [] }: Awaited<ReturnType<typeof predict>>) =>
      predictions.map(({ bytesBase64Encoded: data }) =>
        data === undefined ? 'filtered' : readPngSize(Buffer.from(data, 'base64')),
      )
    expect(sizes(await predict('A cat', { sampleCount: 2, aspectRatio: '16:9' }))).toEqual([
      '1408x768',
      '1408x768',
    ])
    expect(sizes(await predict('A cat', { sampleImageSize: '2K' }))).toEqual(['2048x2048'])
    const some = await predict('[[sandbox: raiFiltered=1]]', { sampleCount: 2 })
    expect(sizes(some)).toEqual(['1024x1024', 'filtered'])
    expect(await predict('[[sandbox: allFiltered]]')).toEqual({})
    expect(sandbox.counters().billed['imagen-4.0-generate-001']?.images).toBe(4)
    for (const wrong of [{ sampleCount: 5 }, { aspectRatio: '21:9' }, { seed: 1 }]) {
      expect((await predict('A cat', wrong)).error?.code).toBe(400)
    }
  })
})

describe('speech', () => {
  const model = 'gemini-2.5-flash-preview-tts'
  const speak = (text: string, speechConfig: object = {}) =>
    generate(sandbox, model, text, { generationConfig: { responseModalities: ['AUDIO'], speechConfig } })
  const voice = (voiceName: string) => ({ voiceConfig: { prebuiltVoiceConfig: { voiceName } } })

  test('raw PCM as long as the text, in both spellings of its type', async () => {
    const reply = await speak('x'.repeat(30), voice('puck'))
    const type = 'audio/L16;codec=pcm;rate=24000'
    expect(partsOf(reply)[0]?.inlineData).toMatchObject({ mimeType: type, mime_type: type })
    const { bytes } = mediumOf(reply)
    expect(bytes.length).toBe(2 * 48_000)
    const loudest = Math.max(...Array.from({ length: 24_000 }, (_, index) => bytes.readInt16LE(index * 2)))
    expect(loudest).toBeGreaterThan(500)
    expect(loudest).toBeLessThan(8_000)
    expect(reply.usageMetadata?.candidatesTokensDetails).toEqual([{ modality: 'AUDIO', tokenCount: 50 }])
    expect(sandbox.counters().billed[model]?.outputAudioTokens).toBe(50)
    expect(mediumOf(await speak('x')).bytes.length).toBe(9_600)
    expect(mediumOf(await speak('x'.repeat(2_000))).bytes.length).toBe(60 * 48_000)
  })

  test.each([
    ['x-goog-api-client', 'google-genai-sdk/3.4.0 gl-python/3.11.7'],
    ['user-agent', 'google-genai-sdk/3.4.0 gl-python/3.11.7'],
    ['user-agent', 'genai-js/0.24.1'],
  ])('a vendor SDK, recognized by its %s %s, gets only the vendor spelling', async (name, value) => {
    const ask = async (path: string) => {
      const response = await fetch(`${sandbox.url}/v1beta/models/${model}:${path}`, {
        method: 'POST',
        headers: { 'x-goog-api-key': 'right', [name]: value },
        body: JSON.stringify({
          contents: [{ parts: [{ text: 'Hello there' }] }],
          generation_config: { response_modalities: ['AUDIO'] },
        }),
      })
      return response.text()
    }
    for (const path of ['generateContent', 'streamGenerateContent', 'streamGenerateContent?alt=sse']) {
      const text = await ask(path)
      expect(text).toContain('"mimeType":"audio/L16')
      expect(text).not.toContain('mime_type')
    }
  })

  test('WAV or nothing on demand, and slices as a stream', async () => {
    const wav = mediumOf(await speak(`${'x'.repeat(30)}[[sandbox: wavSpeech]]`))
    expect(wav.mimeType).toBe('audio/wav')
    expect(readWavSeconds(wav.bytes)).toBe(2)
    const silent = await speak('Hello [[sandbox: finishReason=OTHER]]')
    expect(partsOf(silent)).toEqual([])
    const body = {
      contents: [{ parts: [{ text: `${'x'.repeat(30)}[[sandbox: chunks=3]]` }] }],
      generationConfig: { responseModalities: ['audio'] },
    }
    const chunks = (await (
      await post(sandbox, `models/${model}:streamGenerateContent`, body)
    ).json()) as Reply[]
    expect(chunks).toHaveLength(3)
    expect(chunks.reduce((sum, chunk) => sum + mediumOf(chunk).bytes.length, 0)).toBe(96_000)
    expect(chunks.map(chunk => chunk.usageMetadata?.candidatesTokensDetails)).toEqual(
      [16, 33, 50].map(tokenCount => [{ modality: 'AUDIO', tokenCount }]),
    )
  })

  test('two speakers that occur in the text; nothing else', async () => {
    const speakers = (...names: string[]) => ({
      multiSpeakerVoiceConfig: {
        speakerVoiceConfigs: names.map(speaker => ({ speaker, ...voice('Kore') })),
      },
    })
    expect((await speak('Ann: Hi. Bob: Hello.', speakers('Ann', 'Bob'))).error).toBeUndefined()
    for (const config of [
      speakers('Ann', 'Eve'),
      speakers('Ann', 'Bob', 'Hi'),
      { ...speakers('Ann'), ...voice('Kore') },
      voice('Nobody'),
    ]) {
      expect((await speak('Ann: Hi. Bob: Hello.', config)).error?.code).toBe(400)
    }
    expect((await generate(sandbox, model, 'Hello')).error?.code).toBe(400)
  })
})

describe('music', () => {
  test('MP3 with whole frames and the right length; WAV only from the pro model', async () => {
    for (const [model, seconds] of [
      ['lyria-3-clip-preview', 30],
      ['lyria-3-pro-preview', 180],
    ] as const) {
      const reply = await generate(sandbox, model, 'Jazz')
      expect(partsOf(reply)[0]?.text).toBeString()
      expect(mediumOf(reply).mimeType).toBe('audio/mpeg')
      expect(readMp3Seconds(mediumOf(reply).bytes)).toBeCloseTo(seconds, 1)
      expect(sandbox.counters().billed[model]?.songs).toBe(1)
    }
    const generationConfig = { responseMimeType: 'audio/wav' }
    const prompt = 'Jazz [[sandbox: mediaSeconds=5]]'
    const wav = mediumOf(await generate(sandbox, 'lyria-3-pro-preview', prompt, { generationConfig }))
    expect([wav.bytes.readUInt32LE(24), wav.bytes.readUInt16LE(22)]).toEqual([44_100, 2])
    expect(readWavSeconds(wav.bytes)).toBe(5)
    const clip = await generate(sandbox, 'lyria-3-clip-preview', prompt, { generationConfig })
    expect(clip.error?.code).toBe(400)
  })
})

describe('transcripts', () => {
  const model = 'gemini-3.5-transcribe'
  const audio = (seconds: number, period = 100) =>
    Buffer.from(writeWav(writeSine(seconds, period), { rate: 24_000, channels: 1 })).toString('base64')
  const transcribe = (data: string, audioTranscriptionConfig: object = {}, more: object = {}) =>
    generate(sandbox, model, '', {
      contents: [{ parts: [{ inlineData: { mimeType: 'audio/wav', data } }] }],
      generationConfig: { audioTranscriptionConfig },
      ...more,
    })
  const textOf = (reply: Reply) => partsOf(reply)[0]?.audioTranscription?.text ?? ''

  test('depend on the audio: always the same, longer for longer audio, with times on demand', async () => {
    const first = await transcribe(audio(4), { wordTimestamp: true })
    expect(textOf(first).split(' ')).toHaveLength(10)
    expect(textOf(await transcribe(audio(4)))).toBe(textOf(first))
    expect(textOf(await transcribe(audio(4, 60)))).not.toBe(textOf(first))
    const words = partsOf(first)[0]?.audioTranscription?.words ?? []
    expect(words.map(({ word }) => word).join(' ')).toBe(textOf(first))
    expect(words[1]).toMatchObject({ startOffset: '0.400s', endOffset: '0.760s' })
    expect(first.usageMetadata?.promptTokensDetails).toEqual([{ modality: 'AUDIO', tokenCount: 128 }])
    expect(partsOf(await transcribe(audio(4), { diarization: true }))).toHaveLength(2)
  })

  test('need audio, no instruction, and compatible options', async () => {
    expect((await generate(sandbox, model, 'Hello')).error?.code).toBe(400)
    const instructed = await transcribe(audio(1), {}, { systemInstruction: { parts: [{ text: 'Hi' }] } })
    expect(instructed.error?.code).toBe(400)
    const clashing = await transcribe(audio(1), { mode: 'SMART', wordTimestamp: true })
    expect(clashing.error?.code).toBe(400)
  })
})
