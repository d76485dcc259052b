// Checks transcripts in every format, subtitle lines, and which files count as a recording.
import { describe, expect, test } from 'bun:test'
import type { TranscriptionFormat } from '@fairgate/contracts/audio/transcription-request.ts'
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { buildWav } from '../../../media/pcm.ts'
import { failureOf } from '../../../store/testing/failure-of.ts'
import type { TranscriptionResult } from '../../../upstream/media-port.ts'
import { readRecording } from './plan-transcription.ts'
import { writeTranscript } from './write-transcript.ts'

const usage = {
  inputTokens: 50,
  cachedTokens: 0,
  outputTokens: 5,
  reasoningTokens: 0,
  media: { inputAudio: 48 },
}
const result = {
  text: 'Good morning. Good night.',
  language: null,
  words: [
    { text: 'Good', start: 0, end: 0.4 },
    { text: 'morning.', start: 0.4, end: 1.25 },
    { text: 'Good', start: 3661.5, end: 3662 },
    { text: 'night.', start: 3662, end: 3663 },
  ],
  usage: { kind: 'reported', usage } as const,
}
const usageShown = {
  type: 'tokens',
  input_tokens: 50,
  output_tokens: 5,
  total_tokens: 55,
  input_token_details: { audio_tokens: 48, text_tokens: 2 },
}
const write = (
  response_format: TranscriptionFormat,
  more: object = {},
  { seconds = null, ...changes }: Partial<TranscriptionResult> & { seconds?: number | null } = {},
) =>
  writeTranscript({ ...result, ...changes }, { model: 'm', file: '', response_format, ...more }, seconds, {
    'x-gateway-response-cost': '1',
  })

test('json holds text, task and usage', async () => {
  const reply = write('json')
  expect(await reply.json()).toEqual({ text: result.text, usage: usageShown, task: 'transcribe' })
  expect(reply.headers.get('x-gateway-response-cost')).toBe('1')
})

test('verbose_json has segments, words if requested, and the duration', async () => {
  expect(await write('verbose_json').json()).toEqual({
    task: 'transcribe',
    duration: 3663,
    text: result.text,
    segments: [
      { id: 0, start: 0, end: 1.25, text: 'Good morning.' },
      { id: 1, start: 3661.5, end: 3663, text: 'Good night.' },
    ],
    usage: usageShown,
  })
  const reported = await write(
    'verbose_json',
    { language: 'en' },
    { seconds: 3670.25, language: 'de' },
  ).json()
  expect(reported).toMatchObject({ duration: 3670.25, language: 'de' })
  const words = await write('verbose_json', { timestamp_granularities: ['word'], language: 'en' }).json()
  expect(words).toMatchObject({ language: 'en', words: [{ word: 'Good', start: 0, end: 0.4 }, {}, {}, {}] })
  expect(words).not.toHaveProperty('segments')
})

test('without times the text is one cue, as long as the recording', async () => {
  expect(await write('srt', {}, { words: [], seconds: 2.5 }).text()).toBe(
    '1\n00:00:00,000 --> 00:00:02,500\nGood morning. Good night.\n\n',
  )
})

test('text, srt and vtt', async () => {
  expect(await write('text').text()).toBe('Good morning. Good night.\n')
  expect(await write('srt').text()).toBe(
    '1\n00:00:00,000 --> 00:00:01,250\nGood morning.\n\n2\n01:01:01,500 --> 01:01:03,000\nGood night.\n\n',
  )
  expect(await write('vtt').text()).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.250\nGood morning.\n\n01:01:01.500 --> 01:01:03.000\nGood night.\n\n',
  )
})

describe('recordings', () => {
  test.each([
    [
      'by its bytes, regardless of the name',
      new File([buildWav({ samples: new Uint8Array(9600), rate: 24_000 })], 'a.mp3'),
      'audio/wav',
      1,
    ],
    ['by its name', new File(['x'.repeat(3000)], 'a.MP3'), 'audio/mp3', 3],
    ['by its declared type', new File(['x'], 'recording', { type: 'audio/x-flac' }), 'audio/flac', 1],
  ] as const)('%s', async (_, file, mimeType, longestSeconds) => {
    expect(await readRecording(file)).toMatchObject({ mimeType, longestSeconds })
  })

  test.each([
    ['no file', 'text'],
    ['a list of files', [new File(['x'], 'a.wav')] as never],
    ['an empty file', new File([], 'a.wav')],
    ['an unknown format', new File(['x'], 'a.txt', { type: 'text/plain' })],
  ] as const)('%s is refused', async (_, file) => {
    const failure = (await failureOf(readRecording(file))) as ApiError
    expect([failure.code, failure.param]).toEqual(['invalid_request', 'file'])
  })
})
