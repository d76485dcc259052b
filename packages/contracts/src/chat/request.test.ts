// Accepted and refused chat requests (spec 4.1). Accepted ones must have OpenAI's own type.
import { describe, expect, test } from 'bun:test'
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions'
import { Compile } from 'typebox/compile'
import { textOf } from './message.ts'
import { type ChatRequest, chatRequestSchema } from './request.ts'

const compiled = Compile(chatRequestSchema)
const base = { model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Hi' }] }

/** Our members that OpenAI's types lack, or that have no null or other values there. */
type NotComparable =
  | 'modalities'
  | 'audio'
  | 'tools'
  | 'tool_choice'
  | 'parallel_tool_calls'
  | 'response_format'
  | 'stream_options'
  | 'web_search_options'
  | 'messages'
  | 'functions'

/** Compiles only while OpenAI's clients can express our request. */
const asOpenai = (request: Omit<ChatRequest, NotComparable>) =>
  request satisfies Omit<ChatCompletionCreateParams, NotComparable>

const png = 'data:image/png;base64,iVBORw0KGgo='
const pdf = 'data:application/pdf;base64,JVBERi0='
const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })
const call = (id: string, args: unknown, name: unknown = 'f') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})
const tool = (changes: object = {}) => ({ type: 'function', function: { name: 'f', ...changes } })

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
    ['the most effort', { reasoning_effort: 'max' }],
    ['parts', { messages: [{ role: 'user', content: [{ type: 'text', text: 'a', cache_control: {} }] }] }],
    ['an image in the body', user([{ type: 'image_url', image_url: { url: png, detail: 'low' } }])],
    [
      'an image elsewhere',
      user([{ type: 'image_url', image_url: { url: 'https://example.com/a.png?b=c' } }]),
    ],
    ['a recording', user([{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }])],
    ['a document', user([{ type: 'file', file: { file_data: pdf, filename: 'a.pdf' } }])],
    [
      'calls and their results',
      {
        messages: [
          {
            role: 'assistant',
            content: null,
            refusal: null,
            tool_calls: [call('a', '{"b":1}'), call('b', '')],
          },
          { role: 'tool', tool_call_id: 'a', content: 'x' },
          { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'x' }] },
        ],
      },
    ],
    [
      'thinking blocks brought back',
      {
        messages: [
          {
            role: 'assistant',
            content: 'x',
            thinking_blocks: [{ type: 'thinking', thinking: 't', signature: 'c2ln' }],
          },
        ],
      },
    ],
    ['a tool, its choice', { tools: [tool({ strict: true, parameters: {} })], tool_choice: 'required' }],
    ['a tool by name', { tools: [tool()], tool_choice: tool(), parallel_tool_calls: false }],
    [
      'some of the tools',
      {
        tools: [tool()],
        tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [tool()] } },
      },
    ],
    [
      'a result with an image and a document, a failed one',
      {
        messages: [
          {
            role: 'tool',
            tool_call_id: 'a',
            content: [
              { type: 'image_url', image_url: { url: png } },
              { type: 'file', file: { file_data: pdf } },
            ],
          },
          { role: 'tool', tool_call_id: 'b', content: 'no', is_error: true },
        ],
      },
    ],
    ['any JSON', { response_format: { type: 'json_object' } }],
    [
      'JSON by a schema',
      { response_format: { type: 'json_schema', json_schema: { name: 'n', strict: true, schema: {} } } },
    ],
    ['images alone', { modalities: ['image'], image_config: { aspect_ratio: '16:9', image_size: '2K' } }],
    ['speech', { modalities: ['audio'], audio: { voice: 'Kore', format: 'wav' } }],
    ['log probabilities', { logprobs: true, top_logprobs: 20, top_k: 40 }],
    ['a search', { web_search_options: { search_context_size: 'low' } }],
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
    expect(compiled.Errors({ ...base, ...changes })).toEqual([])
  })
})

describe('refused', () => {
  const refused: readonly [string, object, string][] = [
    ['no messages', { messages: [] }, '/messages'],
    ['no model', { model: undefined }, '/model'],
    ['an empty model', { model: '' }, '/model'],
    ['a number as text', { messages: [{ role: 'user', content: 5 }] }, '/messages/0/content'],
    ['no parts', { messages: [{ role: 'user', content: [] }] }, '/messages/0/content'],
    ['an unknown role', { messages: [{ role: 'robot', content: '' }] }, '/messages/0/role'],
    ['an instruction without text', { messages: [{ role: 'system', content: null }] }, '/messages/0/content'],
    [
      'arguments that are no JSON',
      { messages: [{ role: 'assistant', tool_calls: [call('a', '{')] }] },
      '/messages/0/tool_calls/0/function/arguments',
    ],
    [
      'arguments that are no object',
      { messages: [{ role: 'assistant', tool_calls: [call('a', '[]')] }] },
      '/messages/0/tool_calls/0/function/arguments',
    ],
    [
      'an image of plain http',
      user([{ type: 'image_url', image_url: { url: 'http://example.com/a.png' } }]),
      '/messages/0/content/0/image_url/url',
    ],
    [
      'an invalid image',
      user([{ type: 'image_url', image_url: { url: 'data:text/html;base64,aGk=' } }]),
      '/messages/0/content/0/image_url/url',
    ],
    [
      'a document that is no PDF',
      user([{ type: 'file', file: { file_data: png } }]),
      '/messages/0/content/0/file/file_data',
    ],
    [
      'a recording that is no base64',
      user([{ type: 'input_audio', input_audio: { data: 'é', format: 'mp3' } }]),
      '/messages/0/content/0/input_audio/data',
    ],
    [
      'a recording of another format',
      user([{ type: 'input_audio', input_audio: { data: 'aGk=', format: 'ogg' } }]),
      '/messages/0/content/0/input_audio/format',
    ],
    ['a tool with a bad name', { tools: [tool({ name: '1 f' })] }, '/tools/0/function/name'],
    [
      'none of the tools',
      { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } } },
      '/tool_choice/allowed_tools/tools',
    ],
    [
      'a result with a recording',
      {
        messages: [
          {
            role: 'tool',
            tool_call_id: 'a',
            content: [{ type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } }],
          },
        ],
      },
      '/messages/0/content/0/type',
    ],
    ['an unknown choice', { tool_choice: 'any' }, '/tool_choice'],
    ['too many alternatives', { top_logprobs: 21 }, '/top_logprobs'],
    ['audio that is not encoded here', { audio: { voice: 'a', format: 'mp3' } }, '/audio/format'],
    ['a ratio in words', { image_config: { aspect_ratio: 'wide' } }, '/image_config/aspect_ratio'],
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
    ['a tool of no function', { tools: [{ type: 'function' }] }, '/tools/0'],
    ['video output', { modalities: ['video'] }, '/modalities/0'],
    ['an unknown format', { response_format: { type: 'grammar' } }, '/response_format/type'],
    [
      'an unknown part',
      { messages: [{ role: 'user', content: [{ type: 'video_url', text: '' }] }] },
      '/messages/0/content/0/type',
    ],
  ]
  test.each(refused)('%s', (_name, changes, place) => {
    const body = { ...base, ...changes }
    expect(compiled.Check(body)).toBe(false)
    expect(compiled.Errors(body).map(fault => fault.instancePath)).toContain(place)
  })
})

test('refinements do not appear in the published schema', () => {
  expect(JSON.stringify(chatRequestSchema)).not.toContain('refine')
})

test('the text of a message is its parts joined', () => {
  const parts = ['a', 'b'].map(text => ({ type: 'text', text }) as const)
  expect(textOf(parts)).toBe('ab')
  expect(textOf('c')).toBe('c')
})

test('our request type is assignable to OpenAI’s', () => {
  const request = { model: 'm' }
  expect<object>(asOpenai(request)).toBe(request)
})
