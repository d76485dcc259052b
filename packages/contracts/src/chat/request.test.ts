// Which chat requests are taken and which refused (spec 4.1), and that what is taken is a request of OpenAI's own type.
import { describe, expect, test } from 'bun:test'
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions'
import { Compile } from 'typebox/compile'
import { type ChatRequest, chatRequestSchema, textOf } from './request.ts'

const compiled = Compile(chatRequestSchema)
const base = { model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Hi' }] }

/** Members that we take only in their plain forms, or with null where OpenAI's types leave them out. */
type NotComparable = 'modalities' | 'tools' | 'response_format' | 'stream_options'

/** Compiles only while our request is one that OpenAI's clients can express. */
const asOpenai = (request: Omit<ChatRequest, NotComparable>) =>
  request satisfies Pick<ChatRequest, 'messages'> as Omit<
    ChatRequest,
    NotComparable | 'messages'
  > satisfies Omit<ChatCompletionCreateParams, 'messages'>

describe('accepted', () => {
  const accepted: readonly [string, object][] = [
    ['the least', {}],
    ['all of spec 4.1', { max_tokens: 5, n: 2, seed: 7, stream: true, temperature: 2, top_p: 0 }],
    [
      'OpenAI extras',
      { user: 'u', metadata: { a: 'b' }, store: false, logit_bias: {}, service_tier: 'auto' },
    ],
    [
      'null for what is left out',
      { max_tokens: null, n: null, seed: null, stop: null, stream: null, tools: null },
    ],
    ['null modalities and format', { modalities: null, response_format: null, stream_options: null }],
    ['stop as a string', { stop: 'END' }],
    ['five stops', { stop: ['1', '2', '3', '4', '5'] }],
    ['usage in streams', { stream_options: { include_usage: true } }],
    ['no tools', { tools: [], tool_choice: 'none' }],
    ['text asked for by name', { modalities: ['text'], response_format: { type: 'text' } }],
    ['eight choices', { n: 8 }],
    ['both ends of a seed', { seed: -2147483648 }],
    ['effort', { reasoning_effort: 'none' }],
    ['parts', { messages: [{ role: 'user', content: [{ type: 'text', text: 'a', cache_control: {} }] }] }],
    [
      'every role, names ignored',
      {
        messages: ['system', 'developer', 'user', 'assistant'].map(role => ({
          role,
          content: '',
          name: 'x',
        })),
      },
    ],
  ]
  test.each(accepted)('%s', (_name, changes) => {
    expect(compiled.Check({ ...base, ...changes })).toBe(true)
  })
})

describe('refused', () => {
  const refused: readonly [string, object, string][] = [
    ['no messages', { messages: [] }, '/messages'],
    ['no model', { model: undefined }, '/model'],
    ['an empty model', { model: '' }, '/model'],
    ['a number as text', { messages: [{ role: 'user', content: 5 }] }, '/messages/0/content'],
    ['no parts', { messages: [{ role: 'user', content: [] }] }, '/messages/0/content'],
    ['a role of tools', { messages: [{ role: 'tool', content: '' }] }, '/messages/0/role'],
    ['a number as a string', { max_tokens: '5' }, '/max_tokens'],
    ['no tokens', { max_tokens: 0 }, '/max_tokens'],
    ['half a token', { max_completion_tokens: 1.5 }, '/max_completion_tokens'],
    ['nine choices', { n: 9 }, '/n'],
    ['no choice', { n: 0 }, '/n'],
    ['a seed beyond int32', { seed: 2147483648 }, '/seed'],
    ['too hot', { temperature: 2.1 }, '/temperature'],
    ['too cold', { temperature: -0.1 }, '/temperature'],
    ['too likely', { top_p: 1.1 }, '/top_p'],
    ['an endless number', { top_p: Number.POSITIVE_INFINITY }, '/top_p'],
    ['six stops', { stop: ['1', '2', '3', '4', '5', '6'] }, '/stop'],
    ['no stops', { stop: [] }, '/stop'],
    ['stream as a string', { stream: 'true' }, '/stream'],
    ['an unknown effort', { reasoning_effort: 'extreme' }, '/reasoning_effort'],
    ['a penalty too far', { presence_penalty: 2.5 }, '/presence_penalty'],
    ['tools', { tools: [{ type: 'function' }] }, '/tools'],
    ['image output', { modalities: ['image'] }, '/modalities'],
    ['a JSON format', { response_format: { type: 'json_object' } }, '/response_format/type'],
    [
      'an image part',
      { messages: [{ role: 'user', content: [{ type: 'image_url', text: '' }] }] },
      '/messages/0/content/0/type',
    ],
  ]
  test.each(refused)('%s', (_name, changes, place) => {
    const body = { ...base, ...changes }
    expect(compiled.Check(body)).toBe(false)
    expect(compiled.Errors(body).map(fault => fault.instancePath)).toContain(place)
  })
})

test('refinements leave no trace in the published schema', () => {
  expect(JSON.stringify(chatRequestSchema)).not.toContain('refine')
})

test('the text of a message is its parts joined', () => {
  expect(
    textOf({
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    }),
  ).toBe('ab')
  expect(textOf({ role: 'user', content: 'c' })).toBe('c')
})

test('the request is of OpenAI form', () => {
  const request = { model: 'm', messages: [] }
  expect<object>(asOpenai(request)).toBe(request)
})
