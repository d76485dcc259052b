// A request of the Responses dialect becomes a chat turn: roles, steps, tools, choices, and refusals by name.
import { describe, expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { responsesRequestSchema } from '@fairgate/contracts/responses/request.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import { validateWith } from '../../../http/validate.ts'
import { buildChatCall } from '../../../upstream/testing/build-chat-call.ts'
import { packReasoning } from '../../conversation/reasoning-envelope.ts'
import { packSummary } from './compaction.ts'
import { translateRequest } from './translate-request.ts'

const validate = validateWith(responsesRequestSchema)
const { model } = buildChatCall()
const searching: CatalogModel = {
  ...model,
  price: { tiers: [{ aboveInputTokens: 0, rates: { ...model.price.tiers[0].rates, search: 1 } }] },
}

const translate = (changes: object, asked = model) =>
  translateRequest(validate({ model: 'm', input: 'Hello', ...changes }), asked).conversation
const messagesOf = (input: unknown, more: object = {}): unknown => translate({ input, ...more }).messages

const call = (call_id: string, more: object = {}) => ({
  type: 'function_call',
  call_id,
  name: 'look',
  arguments: '{}',
  ...more,
})
const result = (call_id: string, output: unknown = 'ok') => ({
  type: 'function_call_output',
  call_id,
  output,
})
const user = { role: 'user', content: 'Hello' }
const look = { type: 'function', name: 'look' }

describe('the conversation', () => {
  test('instructions and leading system items are one instruction, later ones are user text', () => {
    const input = [
      { role: 'developer', content: 'B' },
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'C' }] },
      user,
      { role: 'developer', content: 'D' },
    ]
    expect(messagesOf(input, { instructions: 'A' })).toEqual([
      { role: 'system', content: 'A\n\nB\n\nC' },
      user,
      { role: 'user', content: '<system-reminder>\nD\n</system-reminder>' },
    ])
  })

  test('the items of one step are one message, followed by its results in the order of the calls', () => {
    const input = [
      user,
      {
        type: 'reasoning',
        summary: [],
        encrypted_content: packReasoning(model, { calls: ['c2ln'], text: 'dHh0' }),
      },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Wait.' }] },
      call('call_a'),
      call('call_b', { arguments: 'no JSON' }),
      result('call_b', 'of b'),
      { role: 'developer', content: 'Quick.' },
      result('call_a', 'of a'),
    ]
    expect(messagesOf(input)).toEqual([
      user,
      {
        role: 'assistant',
        content: 'Wait.',
        tool_calls: [
          { id: 'call_a__s_c2ln', type: 'function', function: { name: 'look', arguments: '{}' } },
          { id: 'call_b', type: 'function', function: { name: 'look', arguments: '{"_raw":"no JSON"}' } },
        ],
        thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'dHh0' }],
      },
      { role: 'tool', tool_call_id: 'call_a__s_c2ln', content: 'of a' },
      { role: 'tool', tool_call_id: 'call_b', content: 'of b' },
      { role: 'user', content: '<system-reminder>\nQuick.\n</system-reminder>' },
    ])
  })

  test('reasoning of another model or service is left out', () => {
    const other = packReasoning({ ...model, upstreamId: 'other' }, { calls: ['c2ln'], text: null })
    for (const encrypted_content of [other, 'gAAAAA', '', null])
      expect(
        messagesOf([user, { type: 'reasoning', encrypted_content }, call('call_a'), result('call_a')]),
      ).toMatchObject([user, { tool_calls: [{ id: 'call_a' }] }, { role: 'tool' }])
  })

  test('items from other services and unknown types are left out', () => {
    const input = [
      user,
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { type: 'new_item', a: 1 },
    ]
    expect(messagesOf(input)).toEqual([user])
  })

  test('a compacted conversation replaces the earlier items; one from another service is left out', () => {
    const ours = { type: 'compaction', encrypted_content: packSummary('Blue.') }
    const other = { type: 'compaction', encrypted_content: 'gAAAAA' }
    expect(messagesOf([ours, other, user])).toEqual([
      {
        role: 'user',
        content: '<system-reminder>\nThe conversation so far, in short:\nBlue.\n</system-reminder>',
      },
      user,
    ])
  })

  test('to compact a conversation, the model gets no tools and no format', () => {
    const text = { format: { type: 'json_object' } }
    const short = translate({ input: [user, { type: 'compaction_trigger' }], tools: [look], text })
    expect(Object.keys(short)).not.toContain('tools')
    expect(Object.keys(short)).not.toContain('response_format')
    expect(short.messages.at(-1)?.content).toStartWith('Summarise the conversation')
  })
})

describe('reasoning', () => {
  test.each<[object | undefined, object]>([
    [undefined, {}],
    [{}, {}],
    [{ effort: 'high' }, { reasoning_effort: 'high', thinking: { budget: null, isShown: false } }],
    [{ summary: 'auto' }, { thinking: { budget: null, isShown: true } }],
    [
      { effort: 'xhigh', summary: 'detailed' },
      { reasoning_effort: 'xhigh', thinking: { budget: null, isShown: true } },
    ],
  ])('%j', (reasoning, expected) => {
    const { reasoning_effort, thinking } = translate({ reasoning })
    expect(JSON.parse(JSON.stringify({ reasoning_effort, thinking }))).toEqual(expected)
  })
})

describe('tools', () => {
  test('the first tool of a name counts, even if agents send tools as an item', () => {
    const item = { type: 'additional_tools', tools: [look, { type: 'function', name: 'run' }] }
    const { tools } = translate({ input: [item, user], tools: [{ ...look, description: 'A' }] })
    expect(tools?.map(tool => [tool.function.name, tool.function.description])).toEqual([
      ['look', 'A'],
      ['run', null],
    ])
  })

  test('search is available if it is the only tool and has a price, and left out next to functions', () => {
    const search = { type: 'web_search_preview' }
    expect(translate({ tools: [search] }, searching).web_search_options).toEqual({})
    expect(translate({ tools: [search], tool_choice: search }, searching).tool_choice).toBeUndefined()
    expect(translate({ tools: [search, look] }, searching).web_search_options).toBeUndefined()
  })

  test.each<[unknown, unknown]>([
    ['auto', 'auto'],
    ['required', 'required'],
    [
      { type: 'function', name: 'look' },
      { type: 'function', function: { name: 'look' } },
    ],
    [
      { type: 'custom', name: 'write' },
      { type: 'function', function: { name: 'write' } },
    ],
    [
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'look' }, { type: 'mcp' }] },
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'look' } }] },
      },
    ],
  ])('choice %j', (tool_choice, expected) => {
    const { tool_choice: choice } = translate({
      tools: [look, { type: 'custom', name: 'write' }],
      tool_choice,
    })
    expect<unknown>(choice).toEqual(expected)
  })

  test('a tool choice without tools, as agents send it, is ignored', () => {
    expect(translate({ tools: [{ type: 'tool_search' }], tool_choice: 'auto' }).tool_choice).toBeUndefined()
  })
})

function refusalOf(changes: object, asked = model): unknown {
  try {
    translate(changes, asked)
    return null
  } catch (error) {
    return error instanceof ApiError ? [error.code, error.param] : error
  }
}

const saying = (role: string, part: object) => ({ input: [{ role, content: [part] }] })
const image = { type: 'input_image', image_url: 'https://a.example/a.png' }

describe('refused, with the place', () => {
  test.each<[string, object, string]>([
    ['a conversation', { conversation: {} }, 'conversation'],
    ['a stored prompt', { prompt: {} }, 'prompt'],
    ['background', { background: true }, 'background'],
    ['a built-in tool', { tools: [look, { type: 'mcp' }] }, 'tools[1]'],
    [
      'a built-in tool in an item',
      { input: [{ type: 'additional_tools', tools: [{ type: 'shell' }] }, user] },
      'input[0].tools[0]',
    ],
    ['search without a price', { tools: [{ type: 'web_search' }] }, 'tools'],
    ['a call without tools', { tool_choice: 'required' }, 'tool_choice'],
    ['an unknown tool', { tools: [look], tool_choice: { type: 'function', name: 'a' } }, 'tool_choice.name'],
    [
      'none of the tools',
      {
        tools: [look],
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'custom', name: 'a' }] },
      },
      'tool_choice.tools',
    ],
    ['a forced built-in tool', { tools: [look], tool_choice: { type: 'file_search' } }, 'tool_choice'],
    ['an image without data', saying('user', { type: 'input_image' }), 'input[0].content[0].image_url'],
    [
      'a file by its address',
      saying('user', { type: 'input_file', file_url: 'https://a.example' }),
      'input[0].content[0].file_data',
    ],
    ['an image of the assistant', saying('assistant', image), 'input[0].content[0]'],
    ['an image of the system', saying('system', image), 'input[0].content[0]'],
    [
      'audio as a result',
      {
        input: [
          call('a'),
          result('a', [{ type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } }]),
        ],
      },
      'input[1].output[0]',
    ],
    [
      'a call without a name',
      { input: [{ type: 'function_call', call_id: 'a', arguments: '{}' }] },
      'input[0].name',
    ],
    ['an unknown effort', { reasoning: { effort: 'giant' } }, 'reasoning.effort'],
    [
      'an image of another type',
      saying('user', { type: 'input_image', image_url: 'data:image/gif;base64,aGk=' }),
      'input[0].content[0].image_url',
    ],
    ['another part', saying('user', { type: 'input_video' }), 'input[0].content[0].type'],
    ['nothing at all', { input: [] }, 'input'],
  ])('%s', (_, changes, param) => expect(refusalOf(changes)).toEqual(['invalid_request', param]))
})
