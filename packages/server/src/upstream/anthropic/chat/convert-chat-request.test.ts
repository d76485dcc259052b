// Chat requests as bodies of Anthropic's Messages, typed by the official client.
import { describe, expect, test } from 'bun:test'
import type Anthropic from '@anthropic-ai/sdk'
import type { Conversation } from '../../port.ts'
import { buildChatCall } from '../../testing/build-chat-call.ts'
import { joinToolCallId } from '../../tool-call-id.ts'
import { convertChatRequest } from './convert-chat-request.ts'
import { limitSchema } from './limit-schema.ts'

/** The client's types follow the newest models, which take no sampling parameters. */
type Sampling = { temperature?: number; top_p?: number; top_k?: number }
type Params = Partial<Anthropic.MessageCreateParamsNonStreaming> & Sampling

const convert = (
  request: Partial<Conversation>,
  reasoning: 'budget' | 'level' | 'none' = 'none',
  outputCap = 8192,
) => convertChatRequest(buildChatCall(request, { reasoning, outputCap }), false)
const hello: Anthropic.MessageParam = { role: 'user', content: [{ type: 'text', text: 'Hello' }] }
const tool = { type: 'function', function: { name: 'add', parameters: { type: 'object' } } } as const
const dotted = { type: 'function', function: { name: 'math.add' } } as const
const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } }
const inner = {
  type: 'object',
  properties: { n: { type: 'integer', description: '{"minimum":1}' } },
  additionalProperties: false,
}
const tools = [{ name: 'add', input_schema: { type: 'object' } }] satisfies Anthropic.Tool[]

describe('members', () => {
  test.each<[string, Partial<Conversation>, Params]>([
    ['nothing but a message', {}, { messages: [hello], max_tokens: 8192, model: 'upstream-2.5-flash' }],
    [
      'at most 1 as temperature, and no other sampling',
      { temperature: 1.7, top_p: 0.5, seed: 1 },
      { temperature: 1 },
    ],
    ['top_p alone', { top_p: 0.5, top_k: 3 }, { top_p: 0.5, top_k: 3 }],
    ['stops that can be seen', { stop: ['END', ' '] }, { stop_sequences: ['END'] }],
    [
      'a schema',
      { response_format: { type: 'json_schema', json_schema: { schema } } },
      { output_config: { format: { type: 'json_schema', schema: inner } } },
    ],
    ['tools', { tools: [tool], tool_choice: 'required' }, { tools, tool_choice: { type: 'any' } }],
    [
      'one call at a time',
      { tools: [tool], parallel_tool_calls: false },
      { tools, tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    ],
    [
      'allowed tools, by declaring no others',
      {
        tools: [tool, dotted],
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'add' } }] },
        },
      },
      { tools, tool_choice: { type: 'auto' } },
    ],
  ])('%s', (_, request, expected) => expect(convert(request)).toMatchObject(expected))

  test('nothing that the API does not know', () => {
    const all = {
      seed: 1,
      presence_penalty: 1,
      frequency_penalty: 1,
      logprobs: true,
      top_logprobs: 2,
      temperature: 0.5,
    }
    expect(Object.keys(convert(all, 'level')).toSorted()).toEqual(['max_tokens', 'messages', 'model'])
  })

  test('names that the API does not accept are replaced, in declaration, choice and history alike', () => {
    const call = { id: 'c.1', type: 'function', function: { name: 'math.add', arguments: '{}' } } as const
    const body = convert({
      tools: [dotted],
      tool_choice: { type: 'function', function: { name: 'math.add' } },
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c.1', content: '3' },
      ],
    })
    const text = JSON.stringify(body)
    expect(text).not.toContain('math.add')
    expect(text.match(/math_add_[0-9a-f]{8}/g)).toHaveLength(3)
    expect(new Set(text.match(/toolu_[0-9a-f]{24}/g)).size).toBe(1)
  })
})

describe('thinking', () => {
  test.each<[string, Partial<Conversation>, 'budget' | 'level', number, Params]>([
    [
      'an effort',
      { reasoning_effort: 'xhigh' },
      'level',
      8192,
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'xhigh' } },
    ],
    ['none', { reasoning_effort: 'none' }, 'level', 8192, { thinking: { type: 'disabled' } }],
    [
      'left to the model',
      { thinking: { budget: 'auto', isShown: false } },
      'level',
      8192,
      { thinking: { type: 'adaptive', display: 'omitted' } },
    ],
    [
      'excluded by a forced call',
      { reasoning_effort: 'high', tools: [tool], tool_choice: 'required' },
      'level',
      8192,
      { thinking: { type: 'disabled' } },
    ],
    [
      'a budget',
      { reasoning_effort: 'medium' },
      'budget',
      32_000,
      { thinking: { type: 'enabled', budget_tokens: 8192 } },
    ],
    [
      'a budget that leaves room for the answer',
      { thinking: { budget: 50_000, isShown: true } },
      'budget',
      8192,
      { thinking: { type: 'enabled', budget_tokens: 7168 } },
    ],
  ])('%s', (_, request, reasoning, cap, expected) =>
    expect(convert(request, reasoning, cap)).toMatchObject(expected),
  )

  test.each<[string, Partial<Conversation>, number]>([
    ['is off by default', {}, 8192],
    ['needs room', { reasoning_effort: 'high' }, 1500],
    ['with a forced call', { reasoning_effort: 'high', tools: [tool], tool_choice: 'required' }, 8192],
    [
      'within calls of another model',
      {
        reasoning_effort: 'high',
        tools: [tool],
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            tool_calls: [
              { id: 'call_1__s_AAAA', type: 'function', function: { name: 'add', arguments: '{}' } },
            ],
          },
          { role: 'tool', tool_call_id: 'call_1__s_AAAA', content: '3' },
        ],
      },
      8192,
    ],
  ])('a budget %s', (_, request, cap) =>
    expect(convert(request, 'budget', cap)).not.toHaveProperty('thinking'),
  )
})

describe('messages', () => {
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' } as const
  const id = joinToolCallId('toolu_1', JSON.stringify([thought]))
  const call = { id, type: 'function', function: { name: 'add', arguments: '{"a":1}' } } as const
  test.each<[string, Conversation['messages'], Anthropic.MessageParam[]]>([
    [
      'thoughts return before the call, and results come first in their turn',
      [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Adding.', tool_calls: [call] },
        { role: 'user', content: 'Quick!' },
        { role: 'tool', tool_call_id: id, content: '3', is_error: true },
      ],
      [
        hello,
        {
          role: 'assistant',
          content: [
            thought,
            { type: 'text', text: 'Adding.' },
            { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1 } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [{ type: 'text', text: '3' }],
              is_error: true,
            },
            { type: 'text', text: 'Quick!' },
          ],
        },
      ],
    ],
    [
      'media',
      [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            { type: 'file', file: { file_data: 'data:application/pdf;base64,BBBB', filename: 'a.pdf' } },
          ],
        },
      ],
      [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: 'BBBB' },
              title: 'a.pdf',
            },
          ],
        },
      ],
    ],
    [
      'begin with the user, have no empty turn, and end without space',
      [
        { role: 'assistant', content: 'Well, ' },
        { role: 'user', content: ' ' },
        { role: 'assistant', content: 'so ' },
      ],
      [
        { role: 'user', content: [{ type: 'text', text: '(Begin.)' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'Well, ' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'so' }] },
      ],
    ],
  ])('%s', (_, messages, expected) => {
    expect(
      (convert({ messages, tools: [tool] }) as { messages: unknown }).messages as Anthropic.MessageParam[],
    ).toEqual(expected)
  })

  test.each<[string, Conversation['messages'][number], string]>([
    [
      'audio',
      { role: 'user', content: [{ type: 'input_audio', input_audio: { data: '', format: 'wav' } }] },
      'does not read audio',
    ],
    [
      'HEIC',
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/heic;base64,AAAA' } }] },
      'PNG, JPEG, WebP and GIF',
    ],
  ])('%s is refused', (_, message, sentence) =>
    expect(() => convert({ messages: [message] })).toThrow(sentence),
  )

  test('calls without declared tools get a declaration, since the API demands one', () => {
    const messages: Conversation['messages'] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: id, content: '' },
    ]
    expect(convert({ messages })).toMatchObject({ tools, tool_choice: { type: 'none' } })
  })
})

test('a schema of any size is limited in linear time', () => {
  const time = (width: number) => {
    const properties = Object.fromEntries(
      Array.from({ length: width }, (_, n) => [`p${n}`, { type: 'string', pattern: 'x' }]),
    )
    const started = performance.now()
    limitSchema({ type: 'object', properties, allOf: [{ properties }] })
    return performance.now() - started
  }
  time(2000)
  expect(time(40_000)).toBeLessThan(60 * Math.max(time(4000), 1))
})
