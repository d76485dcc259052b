// Images, speech, music and transcripts: our calls become the vendor's bodies, its replies become results with their usage.
import { describe, expect, test } from 'bun:test'
import type { CatalogModel } from '../../catalog/types.ts'
import { buildModel } from '../../limits/testing/build-parties.ts'
import { buildWav } from '../../media/pcm.ts'
import {
  buildImageBody,
  buildMusicBody,
  buildPredictBody,
  buildSpeechBody,
  buildTranscriptionBody,
  mapImageReply,
  mapMusicReply,
  mapPredictReply,
  mapSpeechReply,
  mapTranscriptionReply,
} from './media.ts'

const model: CatalogModel = buildModel()
const usageMetadata = {
  promptTokenCount: 7,
  candidatesTokenCount: 1290,
  totalTokenCount: 1297,
  candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
}
const answer = (parts: unknown[], usage: object = usageMetadata) => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
  usageMetadata: usage,
})

describe('images', () => {
  const call = { model, prompt: 'A cat', count: 2, aspectRatio: '16:9', images: [] }

  test('a chat model is asked for an image of that shape', () => {
    expect(buildImageBody(call)).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'A cat' }] }],
      generationConfig: { responseModalities: ['IMAGE'], imageConfig: { aspectRatio: '16:9' } },
    })
  })

  test('images to change follow the prompt; without a shape the model chooses', () => {
    const images = [{ mimeType: 'image/png', base64: 'b25l' }] as const
    expect(buildImageBody({ ...call, aspectRatio: null, images })).toEqual({
      contents: [
        { role: 'user', parts: [{ text: 'A cat' }, { inlineData: { mimeType: 'image/png', data: 'b25l' } }] },
      ],
      generationConfig: { responseModalities: ['IMAGE'] },
    })
  })

  test('its images are taken in order, without those of its thoughts, in either spelling', () => {
    const parts = [
      { text: 'Here:' },
      { thought: true, inlineData: { mimeType: 'image/png', data: 'dGhvdWdodA==' } },
      { inlineData: { mimeType: 'image/png', data: 'b25l' } },
      { inline_data: { mime_type: 'image/jpeg', data: 'dHdv' } },
    ]
    const { images, usage } = mapImageReply(answer(parts))
    expect(images.map(({ base64 }) => base64)).toEqual(['b25l', 'dHdv'])
    expect(usage).toMatchObject({ kind: 'reported', usage: { inputTokens: 7, media: { outputImage: 1290 } } })
  })

  test('a refusal has no image, and its usage is kept', () => {
    const reply = { candidates: [{ finishReason: 'IMAGE_SAFETY' }], usageMetadata: { promptTokenCount: 7 } }
    expect(mapImageReply(reply)).toMatchObject({ images: [], usage: { usage: { inputTokens: 7 } } })
  })

  test('an image model is asked for many, and those received are billed', () => {
    expect(buildPredictBody(call)).toEqual({
      instances: [{ prompt: 'A cat' }],
      parameters: { sampleCount: 2, aspectRatio: '16:9' },
    })
    const predictions = [
      { mimeType: 'image/png', bytesBase64Encoded: 'b25l', prompt: 'A small cat' },
      { raiFilteredReason: 'no' },
      { contentType: 'Positive Prompt' },
    ]
    expect(mapPredictReply({ predictions })).toEqual({
      images: [{ base64: 'b25l', revisedPrompt: 'A small cat' }],
      usage: { kind: 'counted', units: { image: 1 } },
    })
    expect(mapPredictReply({})).toEqual({ images: [], usage: { kind: 'counted', units: { image: 0 } } })
  })
})

describe('speech and music', () => {
  test('the voice and the text are passed on', () => {
    expect(buildSpeechBody({ model, text: 'Hi', instructions: null, voice: 'Kore' })).toMatchObject({
      contents: [{ parts: [{ text: 'Hi' }] }],
      generationConfig: {
        responseModalities: ['AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
      },
    })
  })

  test('bare samples take their rate from the type, a WAV file from its header', () => {
    const samples = Buffer.from([1, 0, 2, 0])
    const bare = { mimeType: 'audio/L16;codec=pcm;rate=16000', data: samples.toString('base64') }
    expect(mapSpeechReply(answer([{ inlineData: bare }])).audio).toEqual({ samples, rate: 16_000 })
    const data = Buffer.from(buildWav({ samples, rate: 48_000 })).toString('base64')
    const { audio } = mapSpeechReply(answer([{ inlineData: { mimeType: 'audio/wav', data } }]))
    expect({ ...audio, samples: Buffer.from(audio?.samples ?? []) }).toEqual({ samples, rate: 48_000 })
  })

  test('an answer without audio is null', () => {
    expect(mapSpeechReply(answer([{ text: 'no' }])).audio).toBeNull()
    expect(mapMusicReply(answer([{ text: 'no' }]))).toEqual({
      audio: null,
      usage: { kind: 'counted', units: {} },
    })
  })

  test('music is billed as one song, whatever tokens are reported; wav is requested', () => {
    const parts = [{ text: 'Lyrics' }, { inlineData: { mimeType: 'audio/mpeg', data: 'c29uZw==' } }]
    const { audio, usage } = mapMusicReply(answer(parts))
    expect(Buffer.from(audio ?? []).toString()).toBe('song')
    expect(usage).toEqual({ kind: 'counted', units: { song: 1 } })
    expect(buildMusicBody({ model, prompt: 'Jazz', format: 'mp3' })).not.toHaveProperty('generationConfig')
    expect(buildMusicBody({ model, prompt: 'Jazz', format: 'wav' })).toMatchObject({
      generationConfig: { responseMimeType: 'audio/wav' },
    })
  })
})

describe('transcripts', () => {
  const call = {
    model,
    audio: new Uint8Array([1, 2, 3]),
    mimeType: 'audio/wav',
    language: null,
    prompt: null,
    vocabulary: ['Fairgate'],
    needsTimes: false,
  }
  const configOf = (body: object) =>
    (body as { generationConfig: { audioTranscriptionConfig: object } }).generationConfig
      .audioTranscriptionConfig

  test('the recording is sent inline; words to watch for only without times', () => {
    expect(buildTranscriptionBody(call)).toMatchObject({
      contents: [{ parts: [{ inlineData: { mimeType: 'audio/wav', data: 'AQID' } }] }],
    })
    expect(configOf(buildTranscriptionBody(call))).toEqual({ customVocabulary: ['Fairgate'] })
    expect(configOf(buildTranscriptionBody({ ...call, language: 'de', needsTimes: true }))).toEqual({
      languageCodes: ['de'],
      wordTimestamp: true,
    })
  })

  test('turns of speakers are joined, words keep their times, plain text is accepted too', () => {
    const parts = [
      {
        audioTranscription: {
          text: 'Good morning.',
          languageCode: 'en-GB',
          words: [
            { word: 'Good', endOffset: '0.4s' },
            { word: 'morning.', startOffset: '0.4s', endOffset: '1s' },
            { word: 'broken', startOffset: 'x', endOffset: '1s' },
          ],
        },
      },
      { text: 'Good night.' },
    ]
    const result = mapTranscriptionReply(answer(parts, { promptTokenCount: 30, candidatesTokenCount: 4 }))
    expect(result).toMatchObject({ text: 'Good morning. Good night.', language: 'en-GB' })
    const turns = ['de', 'fr'].map(languageCode => ({ audioTranscription: { text: 'x', languageCode } }))
    for (const mixed of [turns, [{ text: 'x' }]])
      expect(mapTranscriptionReply(answer(mixed, {})).language).toBeNull()
    expect(result.words).toEqual([
      { text: 'Good', start: 0, end: 0.4 },
      { text: 'morning.', start: 0.4, end: 1 },
    ])
  })
})

// An empty reply used to be a refusal by the model, for which the whole hold was charged.
describe('empty replies', () => {
  const error = { code: 500, message: 'Internal', status: 'INTERNAL' }
  const empty = [null, [], 'text', { error }, [{ error }]]

  test.each([
    ['an image', mapImageReply],
    ['speech', mapSpeechReply],
    ['music', mapMusicReply],
    ['a transcript', mapTranscriptionReply],
  ])('%s', (_, map: (reply: unknown) => unknown) => {
    for (const reply of [...empty, {}, { candidates: [] }, { candidates: [{}, null] }])
      expect(() => map(reply)).toThrow('empty answer')
  })

  test('images billed one by one: only `{}` means that all were filtered', () => {
    for (const reply of empty) expect(() => mapPredictReply(reply)).toThrow('empty answer')
  })
})
