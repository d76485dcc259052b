// Checks the size of a request: texts, tools and calls in bytes, media in tokens, and parts that cannot be measured.
import { describe, expect, test } from 'bun:test'
import type { UserPart } from '@fairgate/contracts/chat/content-parts.ts'
import { writeCrowdedPdf } from '../../media/testing/lying-media.ts'
import { buildAnswerFormat } from '../../upstream/gemini/chat/build-generation-config.ts'
import type { Conversation } from '../../upstream/port.ts'
import { encodeAudio } from '../endpoints/chat-completions/build-completion.ts'
import { measureInput, mediaTokensOf } from './measure-input.ts'

type Model = Parameters<typeof measureInput>[1]
const budgets: Model = { kind: 'vendor', reasoning: 'budget' }
const hello = { role: 'user', content: 'Grüße' } as const
const measure = (request: Partial<Conversation>, model = budgets) =>
  measureInput({ model: 'm', messages: [hello], ...request }, model)
const plain = { utf8Bytes: 7, messages: 1, mediaTokens: 0, isMeasurable: true }
const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"é":1}' } } as const
const tool = { type: 'function', function: { name: 'add', parameters: { type: 'object' } } } as const
const withParameters = (parameters: Record<string, unknown>) =>
  ({ type: 'function', function: { name: 'add', parameters } }) as const
const written = withParameters({
  type: 'object',
  properties: { x: { type: 'string', title: 'A long one' }, y: { $ref: '#/properties/x' } },
})
const x = { type: 'string', title: 'A long one' }
const writtenOut = withParameters({ type: 'object', properties: { x, y: x } })
const shortened = withParameters({ $schema: 'https://a.example/', type: 'object', properties: { x } })
const format = { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'array' } } } as const

describe('a request', () => {
  const rows: readonly [string, Partial<Conversation>, object][] = [
    ['of text', {}, plain],
    [
      'of parts',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a' },
              { type: 'text', text: 'é' },
            ],
          },
        ],
      },
      { ...plain, utf8Bytes: 3 },
    ],
    [
      'with a call, including its id',
      { messages: [hello, { role: 'assistant', content: null, tool_calls: [call] }] },
      { ...plain, utf8Bytes: 7 + 6 + 3 + 8, messages: 3 },
    ],
    [
      'with a result and the name of its function',
      { messages: [hello, { role: 'tool', tool_call_id: 'call_1', content: '12' }] },
      { ...plain, utf8Bytes: 7 + 2 + 64, messages: 2 },
    ],
    [
      'with a refusal and a signature brought back',
      {
        messages: [
          {
            role: 'assistant',
            content: null,
            refusal: 'No.',
            thinking_blocks: [{ type: 'thinking', signature: 'c2ln' }],
          },
        ],
      },
      { ...plain, utf8Bytes: 7 },
    ],
    [
      'with a tool',
      { tools: [tool] },
      { ...plain, utf8Bytes: 7 + JSON.stringify(tool.function).length, messages: 2 },
    ],
    [
      'with a tool that has its schema expanded: the sent size counts',
      { tools: [written] },
      { ...plain, utf8Bytes: 7 + JSON.stringify(writtenOut.function).length, messages: 2 },
    ],
    [
      'with a tool that gets a shorter schema: the received size counts',
      { tools: [shortened] },
      { ...plain, utf8Bytes: 7 + JSON.stringify(shortened.function).length, messages: 2 },
    ],
    [
      'with a result of an image and a document',
      {
        messages: [
          {
            role: 'tool',
            tool_call_id: 'call_1',
            content: [
              { type: 'text', text: 'é' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,UE5H' } },
              { type: 'file', file: { file_data: 'data:application/pdf;base64,UERG' } },
            ],
          },
        ],
      },
      { utf8Bytes: 2 + 64, messages: 3, mediaTokens: Infinity, likelyMediaTokens: 3720, isMeasurable: true },
    ],
    ['with a schema', { response_format: format }, { ...plain, utf8Bytes: 7 + '{"type":"array"}'.length }],
    ['with a search', { web_search_options: {} }, { ...plain, isMeasurable: false }],
    ['without one', { web_search_options: null }, plain],
    [
      'with images',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image_url', image_url: { url: 'https://a.example/' } },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,UE5H' } },
            ],
          },
        ],
      },
      { utf8Bytes: 0, messages: 3, mediaTokens: 5200, isMeasurable: true },
    ],
  ]
  test.each(rows)('%s', (_name, request, size) => {
    expect<unknown>(measure(request)).toMatchObject(size)
  })
})

describe('the format of the answer', () => {
  const bytes = (request: Partial<Conversation>, model?: Model) => measure(request, model).utf8Bytes
  const sent = (request: Partial<Conversation>, reasoning: Model['reasoning']) =>
    buildAnswerFormat({ request: { model: 'm', messages: [hello], ...request }, model: { reasoning } })
  const plainBytes = bytes({ tools: [tool] })

  test.each<[string, NonNullable<Conversation['response_format']>]>([
    ['a schema', format],
    ['JSON', { type: 'json_object' }],
  ])('%s that is sent as text counts as that text', (_, response_format) => {
    const request = { tools: [tool], response_format }
    const { instruction } = sent(request, 'budget')
    expect(instruction).not.toBe('')
    expect(bytes(request) - plainBytes).toBe(Buffer.byteLength(instruction))
  })

  test.each<[string, Model]>([
    ['a model with levels', { kind: 'vendor', reasoning: 'level' }],
    ['another upstream', { kind: 'openai', reasoning: 'none' }],
  ])('counts as received with %s', (_, model) => {
    const given = JSON.stringify(format.json_schema.schema).length
    expect(bytes({ tools: [tool], response_format: format }, model) - plainBytes).toBe(given)
  })

  test('an expanded schema counts as it is sent', () => {
    const schema = {
      type: 'object',
      properties: { x, y: { $ref: '#/properties/x' }, z: { $ref: '#/properties/x' } },
    }
    const response_format = { type: 'json_schema', json_schema: { schema } } as const
    const { responseJsonSchema } = sent({ response_format }, 'budget').config
    const length = JSON.stringify(responseJsonSchema).length
    expect(length).toBeGreaterThan(JSON.stringify(schema).length)
    expect(bytes({ response_format }) - bytes({})).toBe(length)
  })
})

describe('media', () => {
  const bytes = (length: number) => Buffer.alloc(length).toString('base64')
  const audio = (format: 'wav' | 'mp3', data: string): Exclude<UserPart, { type: 'text' }> => ({
    type: 'input_audio',
    input_audio: { data, format },
  })
  const pdf = (file: Buffer): Exclude<UserPart, { type: 'text' }> => ({
    type: 'file',
    file: { file_data: `data:application/pdf;base64,${file.toString('base64')}` },
  })
  const wav = (seconds: number) =>
    encodeAudio({ mimeType: 'audio/L16;rate=24000', base64: bytes(48_000 * seconds) }, 'wav')
  const bentWav = (offset: number, value: number) => {
    const file = Buffer.from(wav(1), 'base64')
    file.writeUInt32LE(value, offset)
    return file.toString('base64')
  }

  test.each([
    ['a short MP3', audio('mp3', bytes(10)), 32],
    ['an MP3 of the lowest rate', audio('mp3', bytes(60_000)), 60 * 32],
    ['a WAV file of ten seconds', audio('wav', wav(10)), 320],
    ['a file that is not really WAV', audio('wav', bytes(60_000)), 60 * 32],
    ['a WAV file with an impossible rate', audio('wav', bentWav(24, 1_000_000)), Math.ceil(48.044 * 32)],
    ['a WAV file with another sample rate', audio('wav', bentWav(24, 100)), Math.ceil(48.044 * 32)],
    ['a WAV file with a false byte rate', audio('wav', bentWav(28, 4e9)), Math.ceil(48.044 * 32)],
    ['a WAV file that declares little audio', audio('wav', bentWav(40, 2)), 32],
    ['a WAV file without a format', audio('wav', bentWav(12, 0)), Math.ceil(48.044 * 32)],
  ])('%s', (_name, part, tokens) => {
    expect(mediaTokensOf(part)).toEqual({ most: tokens, likely: tokens })
  })

  test('a PDF has the pages that its tree lists; one without a readable tree may fill the context', () => {
    expect(mediaTokensOf(pdf(writeCrowdedPdf(3000)))).toEqual({ most: 3000 * 1120, likely: 19 * 1120 })
    expect(mediaTokensOf(pdf(Buffer.alloc(15_001)))).toEqual({ most: Infinity, likely: 11 * 1120 })
  })
})

// Shown to fail by measuring it as an empty document: a call would hold the price of one page, and could cost that of a whole context.
test.each([budgets, { ...budgets, kind: 'anthropic' }] as const)(
  'a file that stays a reference may fill the whole context (%j)',
  model => {
    const content = [{ type: 'file', file: { file_id: 'file-1' } }] as const
    const size = measure({ messages: [{ role: 'user', content: [...content] }] }, model)
    expect(size).toMatchObject({
      mediaTokens: Number.POSITIVE_INFINITY,
      likelyMediaTokens: Number.POSITIVE_INFINITY,
      medium: 'document',
      isMeasurable: true,
    })
  },
)
