// Checks which requests in Anthropic's format are accepted, their conversion, and which are refused, with the faulty member.
import { describe, expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { messagesRequestSchema } from '@fairgate/contracts/messages/request.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import { validateWith } from '../../../http/validate.ts'
import { buildChatCall } from '../../../upstream/testing/build-chat-call.ts'
import { packReasoning } from '../../conversation/reasoning-envelope.ts'
import { convertRequest } from './convert-request.ts'

const validate = validateWith(messagesRequestSchema)
const { model: plain } = buildChatCall()
const searching: CatalogModel = {
  ...plain,
  price: { tiers: [{ aboveInputTokens: 0, rates: { search: 1 } }] },
}
const levels: CatalogModel = { ...plain, reasoning: 'level' }
const base = { model: 'mm-2.5-flash', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] }

const convert = (changes: object, model = plain) =>
  convertRequest(validate({ ...base, ...changes }), model).conversation
const messagesOf = (changes: object, model = plain) => convert(changes, model).messages
const user = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] })
const assistant = (...content: unknown[]) => ({
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content },
    { role: 'user', content: 'Go on' },
  ],
})
const png = 'iVBORw0KGgo='
const image = (media_type = 'image/png', data = png) => ({
  type: 'image',
  source: { type: 'base64', media_type, data },
})
const called = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} })
const loop = (call: object, ...results: unknown[]) => ({
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [call] },
    { role: 'user', content: results },
  ],
})
const resultOf = (content: unknown) =>
  messagesOf(loop(called('toolu_1'), { type: 'tool_result', tool_use_id: 'toolu_1', content }))[2]

describe('system texts', () => {
  test('blocks and leading messages are instructions; the line about billing is left out', () => {
    const system = [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=1;' },
      { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: '' },
      { type: 'mystery' },
    ]
    const messages = [{ role: 'system', content: 'Be kind.' }, ...base.messages]
    expect(messagesOf({ system, messages })).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hi' },
    ])
  })

  test('a later message stays in its place, after the results of its step', () => {
    const messages = [
      ...base.messages,
      { role: 'assistant', content: [called('toolu_1')] },
      { role: 'system', content: [{ type: 'text', text: 'Sunday' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }] },
    ]
    expect(messagesOf({ messages }).slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'toolu_1', content: 'x' },
      { role: 'user', content: '<system-reminder>\nSunday\n</system-reminder>' },
    ])
  })
})

describe('user messages', () => {
  test('text, images, documents and search results; unknown and empty blocks are skipped', () => {
    const blocks = [
      { type: 'text', text: 'Read.', citations: null },
      { type: 'text', text: '' },
      image('image/jpg'),
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
      {
        type: 'document',
        title: 'Notes',
        context: 'Old',
        source: { type: 'text', media_type: 'text/plain', data: 'Words' },
      },
      { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'Piece' }, image()] } },
      { type: 'search_result', title: 'T', source: 'S', content: [{ type: 'text', text: 'Found' }] },
      { type: 'container_upload', file_id: 'x' },
    ]
    expect(messagesOf(user(...blocks))).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Read.' },
          { type: 'image_url', image_url: { url: `data:image/jpeg;base64,${png}` } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } },
          { type: 'text', text: 'Notes\nOld' },
          { type: 'text', text: 'Words' },
          { type: 'text', text: 'Piece' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
          { type: 'text', text: 'T\nS\nFound' },
        ],
      },
    ])
  })
})

describe('results of tools', () => {
  test.each<[string, unknown, unknown]>([
    ['a text', 'x', 'x'],
    ['nothing', undefined, ''],
    ['null', null, ''],
    [
      'texts',
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      'a\nb',
    ],
    ['a tool that was found', [{ type: 'tool_reference', tool_name: 'T' }], 'The tool T is now available.'],
    [
      'an image',
      [{ type: 'text', text: 'See' }, image()],
      [
        { type: 'text', text: 'See' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      ],
    ],
    ['an image that no model reads', [image('image/gif')], '(The model cannot read the type image/gif.)'],
    [
      'a document that no model reads',
      [{ type: 'document', source: { type: 'base64', media_type: 'application/zip', data: 'UEs=' } }],
      '(The model cannot read the type application/zip.)',
    ],
    ['an unknown block', [{ type: 'browser_state' }], ''],
  ])('%s', (_, given, content) => {
    expect<unknown>(resultOf(given)).toEqual({ role: 'tool', tool_call_id: 'toolu_1', content })
  })

  test('a failure is passed on as a failure', () => {
    const given = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'no', is_error: true }
    expect(messagesOf(loop(called('toolu_1'), given))[2]).toMatchObject({ is_error: true, content: 'no' })
  })
})

describe('model messages', () => {
  test('signatures return to their calls and text, except foreign ones and those of another model', () => {
    const packed = (of: Pick<CatalogModel, 'upstream' | 'upstreamId'>) =>
      packReasoning(of, { calls: ['c2lnMQ==', null], text: 'dGV4dA==' })
    const said = (signature: string) =>
      messagesOf(
        assistant(
          { type: 'thinking', thinking: 'secret', signature },
          { type: 'text', text: 'So' },
          called('toolu_1'),
          called('toolu_2'),
          {
            type: 'thinking',
            thinking: '',
            signature: packReasoning(plain, { calls: ['c2lnMw=='], text: null }),
          },
          called('toolu_3'),
        ),
      )[1]
    const own = said(packed(plain))
    expect(own).toMatchObject({
      content: 'So',
      tool_calls: [{ id: 'toolu_1__s_c2lnMQ' }, { id: 'toolu_2' }, { id: 'toolu_3__s_c2lnMw' }],
      thinking_blocks: [{ signature: 'dGV4dA==' }],
    })
    for (const foreign of ['EqQBCgIYAhIM', '', packed({ ...plain, upstreamId: 'another' })]) {
      const other = said(foreign)
      expect(other).toMatchObject({
        tool_calls: [{ id: 'toolu_1' }, { id: 'toolu_2' }, { id: 'toolu_3__s_c2lnMw' }],
      })
      expect(JSON.stringify(other)).not.toContain('secret')
    }
  })

  test.each<[string, unknown, string]>([
    ['an object', { a: [1] }, '{"a":[1]}'],
    ['nothing', undefined, '{}'],
    ['null', null, '{}'],
    ['an object as text', '{"a":1}', '{"a":1}'],
    ['another text', 'a', '{"_raw":"a"}'],
    ['a list', [1], '{"_raw":[1]}'],
  ])('the input of a call: %s', (_, input, text) => {
    expect(messagesOf(assistant({ type: 'tool_use', id: 'i', name: 'f', input }))[1]).toMatchObject({
      tool_calls: [{ function: { name: 'f', arguments: text } }],
    })
  })

  test('an answer with only thoughts, or without content, is left out', () => {
    for (const content of [[{ type: 'thinking', thinking: 'x', signature: '' }], [], '']) {
      const messages = [...base.messages, { role: 'assistant', content }]
      expect(messagesOf({ messages })).toEqual([{ role: 'user', content: 'Hi' }])
    }
  })
})

describe('tools', () => {
  const tool = (name: string, more: object = {}) => ({ name, input_schema: { type: 'object' }, ...more })
  const web = { type: 'web_search_20250305', name: 'web_search' }

  test('deferred tools are declared; the placeholder and Anthropic tools are left out', () => {
    const tools = [
      tool('a', { type: 'custom', defer_loading: true }),
      tool('DeferredToolPlaceholder', { defer_loading: true }),
      web,
      { type: 'bash_20250124', name: 'bash' },
      tool('b c', { description: 'B' }),
    ]
    const { conversation, names } = convertRequest(validate({ ...base, tools }), searching)
    const declared = conversation.tools?.map(({ function: { name } }) => name) ?? []
    expect(declared.map(name => names.toOuter(name).name)).toEqual(['a', 'b c'])
    expect(conversation.web_search_options).toBeUndefined()
  })

  test('search as the only tool uses the search of the model, if it has one', () => {
    expect(convert({ tools: [web] }, searching)).toMatchObject({ web_search_options: {} })
    expect(convert({ tools: [web] })).not.toHaveProperty('web_search_options')
    expect(convert({ tools: [web, tool('f')] }, searching)).not.toHaveProperty('web_search_options')
  })

  test.each<[object, unknown]>([
    [{ type: 'auto' }, 'auto'],
    [{ type: 'any' }, 'required'],
    [{ type: 'none' }, 'none'],
    [
      { type: 'tool', name: 'f' },
      { type: 'function', function: { name: 'f' } },
    ],
  ])('choice %p', (tool_choice, converted) => {
    expect<unknown>(convert({ tools: [tool('f')], tool_choice }).tool_choice).toEqual(converted)
  })

  test('one call at a time', () => {
    const tool_choice = { type: 'auto', disable_parallel_tool_use: true }
    expect(convert({ tools: [tool('f')], tool_choice }).parallel_tool_calls).toBe(false)
  })
})

describe('thinking', () => {
  test.each<[object, object]>([
    [{}, { reasoning_effort: 'none' }],
    [{ thinking: { type: 'disabled' }, output_config: { effort: 'high' } }, { reasoning_effort: 'none' }],
    [{ thinking: { type: 'adaptive' } }, { thinking: { budget: 'auto', isShown: true } }],
    [
      { thinking: { type: 'adaptive', display: 'omitted' }, output_config: { effort: 'max' } },
      { reasoning_effort: 'max', thinking: { budget: 'auto', isShown: false } },
    ],
    [{ thinking: { type: 'between_tools' } }, { thinking: { budget: 'auto', isShown: true } }],
    [
      { thinking: { type: 'enabled', budget_tokens: 2000 } },
      { reasoning_effort: 'low', thinking: { budget: 2000, isShown: true } },
    ],
    [
      { thinking: { type: 'enabled', budget_tokens: 8192, display: 'summarized' } },
      { reasoning_effort: 'medium', thinking: { budget: 8192, isShown: true } },
    ],
    [
      { thinking: { type: 'enabled', budget_tokens: 32_000 } },
      { reasoning_effort: 'high', thinking: { budget: 32_000, isShown: true } },
    ],
  ])('%p', (given, expected) => {
    const { reasoning_effort, thinking } = convert(given)
    expect({ reasoning_effort, thinking }).toEqual({
      reasoning_effort: undefined,
      thinking: undefined,
      ...expected,
    } as never)
  })
})

test('sampling, caps and stops', () => {
  const given = {
    max_tokens: 128_000,
    temperature: 0,
    top_p: 0.5,
    top_k: 5000,
    stop_sequences: ['a', '', 'b', 'c', 'd', 'e', 'f'],
    metadata: { user_id: 5 },
    service_tier: 'auto',
    betas: [],
    container: null,
    mcp_servers: [],
  }
  expect(convert(given)).toMatchObject({
    max_tokens: 128_000,
    temperature: 0,
    top_p: 0.5,
    top_k: 1000,
    stop: ['a', 'b', 'c', 'd', 'e'],
  })
  expect(convert({ top_k: 0, stop_sequences: [] })).toEqual({
    model: 'mm-2.5-flash',
    messages: [{ role: 'user', content: 'Hi' }],
    max_tokens: 100,
    reasoning_effort: 'none',
  })
})

test('an answer schema stays one next to tools: the upstream decides how a model gets it', () => {
  const output_config = { format: { type: 'json_schema', schema: { type: 'object' } } }
  const tools = [{ name: 'f', input_schema: {} }]
  const format = { type: 'json_schema', json_schema: { schema: { type: 'object' } } }
  expect<unknown>(convert({ output_config }).response_format).toEqual(format)
  expect<unknown>(convert({ output_config, tools }, levels).response_format).toEqual(format)
  expect<unknown>(convert({ output_config, tools }).response_format).toEqual(format)
})

describe('refused, with the faulty member', () => {
  test.each<[string, object, string]>([
    ['no cap', { max_tokens: undefined }, 'max_tokens'],
    ['no tokens', { max_tokens: 0 }, 'max_tokens'],
    ['no messages', { messages: [] }, 'messages'],
    ['empty messages', user({ type: 'mystery' }), 'messages'],
    ['instructions alone', { messages: [{ role: 'system', content: 'x' }] }, 'messages'],
    ['an unknown role', { messages: [{ role: 'tool', content: '' }] }, 'messages[0].role'],
    ['a text without text', user({ type: 'text' }), 'messages[0].content[0].text'],
    [
      'an image of a type that no model reads',
      user(image('image/gif')),
      'messages[0].content[0].source.media_type',
    ],
    ['an image that is not base64', user(image('image/png', '%')), 'messages[0].content[0].source.data'],
    [
      'an image by plain http',
      user({ type: 'image', source: { type: 'url', url: 'http://example.com' } }),
      'messages[0].content[0].source.url',
    ],
    [
      'a document by its address',
      user({ type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } }),
      'messages[0].content[0].source.type',
    ],
    [
      'a document that is not a PDF',
      user({ type: 'document', source: { type: 'base64', media_type: 'image/png', data: png } }),
      'messages[0].content[0].source.media_type',
    ],
    [
      'a result of no call',
      user({ type: 'tool_result', tool_use_id: '' }),
      'messages[0].content[0].tool_use_id',
    ],
    ['a call without an id', assistant({ type: 'tool_use', name: 'f' }), 'messages[1].content[0].id'],
    ['a tool without a name', { tools: [{ input_schema: {} }] }, 'tools[0].name'],
    ['a tool twice', { tools: [{ name: 'a' }, { name: 'a' }] }, 'tools'],
    ['a tool that Anthropic runs, alone', { tools: [{ type: 'code_execution_20250825' }] }, 'tools[0].type'],
    ['a forced call without tools', { tool_choice: { type: 'any' } }, 'tool_choice'],
    [
      'a choice of an unknown tool',
      { tools: [{ name: 'a' }], tool_choice: { type: 'tool', name: 'b' } },
      'tool_choice.name',
    ],
    ['an unknown choice', { tool_choice: { type: 'all' } }, 'tool_choice.type'],
    ['an unknown effort', { output_config: { effort: 'huge' } }, 'output_config.effort'],
    ['a container', { container: 'c' }, 'container'],
    ['servers of tools', { mcp_servers: [{ url: 'https://example.com' }] }, 'mcp_servers'],
    ['too hot', { temperature: 2.1 }, 'temperature'],
    ['a stream as text', { stream: 'true' }, 'stream'],
  ])('%s', (_, changes, param) => {
    let failure: unknown
    try {
      convert(changes)
    } catch (error) {
      failure = error
    }
    expect(failure).toBeInstanceOf(ApiError)
    expect(failure).toMatchObject({ code: 'invalid_request', param })
  })
})
