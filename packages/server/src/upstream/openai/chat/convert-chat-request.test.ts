// Checks which parts of a chat request are sent to an OpenAI-compatible server, and which never are.
import { expect, test } from 'bun:test'
import type { Conversation } from '../../port.ts'
import { buildChatCall } from '../../testing/build-chat-call.ts'
import { convertChatRequest } from './convert-chat-request.ts'

const convert = (request: Partial<Conversation> = {}, reasoning: 'level' | 'none' = 'none') =>
  convertChatRequest(buildChatCall(request, { outputCap: 77, reasoning }), 'max_tokens', false)
const plain = {
  model: 'upstream-2.5-flash',
  messages: [{ role: 'user', content: 'Hello' }],
  max_tokens: 77,
}
const tool = { type: 'function', function: { name: 'f', parameters: {} } } as const

test.each<[string, Partial<Conversation>, object]>([
  ['only required members', {}, plain],
  ['the admitted cap, not the requested one', { max_tokens: 5, max_completion_tokens: 6 }, plain],
  ['null is not given', { temperature: null, tools: null, stop: null }, plain],
  ['n is calls of one choice', { n: 4 }, plain],
  [
    'sampling',
    { temperature: 0, top_p: 1, seed: 3, stop: ['x'] },
    { ...plain, temperature: 0, top_p: 1, seed: 3, stop: ['x'] },
  ],
  ['effort, for a model that does not reason', { reasoning_effort: 'low' }, plain],
  ['our own extensions', { image_config: { image_size: '1K' }, web_search_options: {} }, plain],
  ['unknown members', { service_tier: 'priority', store: true } as object, plain],
  ['a choice without tools', { tools: [], tool_choice: 'auto', parallel_tool_calls: false }, plain],
  [
    'tools',
    { tools: [tool], tool_choice: 'required', parallel_tool_calls: false },
    { ...plain, tools: [tool], tool_choice: 'required', parallel_tool_calls: false },
  ],
  [
    'audio, as samples',
    { modalities: ['text', 'audio'], audio: { voice: 'nova', format: 'wav' } },
    { ...plain, modalities: ['text', 'audio'], audio: { voice: 'nova', format: 'pcm16' } },
  ],
])('%s', (_, request, body) => expect(convert(request)).toEqual(body))

test('effort goes to a model that reasons', () => {
  expect(convert({ reasoning_effort: 'low' }, 'level')).toEqual({ ...plain, reasoning_effort: 'low' })
})

test('effort beyond the levels of all servers becomes the highest of them', () => {
  for (const effort of ['high', 'xhigh', 'max'] as const)
    expect(convert({ reasoning_effort: effort }, 'level')).toEqual({ ...plain, reasoning_effort: 'high' })
})

test('a choice among some of the tools is passed on', () => {
  const choice: Conversation['tool_choice'] = {
    type: 'allowed_tools',
    allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
  }
  expect(convert({ tools: [tool], tool_choice: choice })).toMatchObject({ tool_choice: choice })
})

test('calls of one step that come in multiple messages are one message', () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } }) as const
  const messages: Conversation['messages'] = [
    { role: 'assistant', content: 'I ' },
    { role: 'assistant', content: 'look', tool_calls: [call('a')] },
    { role: 'assistant', content: null, tool_calls: [call('b')] },
    { role: 'assistant', content: '.' },
    { role: 'tool', tool_call_id: 'a', content: '1' },
    { role: 'tool', tool_call_id: 'b', content: '2' },
  ]
  expect(convert({ messages })).toMatchObject({
    messages: [
      { role: 'assistant', content: 'I ' },
      { role: 'assistant', content: 'look.', tool_calls: [call('a'), call('b')] },
      { role: 'tool', tool_call_id: 'a' },
      { role: 'tool', tool_call_id: 'b' },
    ],
  })
})

test('media of results follow in a message of the user, after all results of the step', () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,UE5H' } } as const
  const pdf = { type: 'file', file: { file_data: 'data:application/pdf;base64,UERG' } } as const
  const messages: Conversation['messages'] = [
    { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'seen' }, image] },
    { role: 'tool', tool_call_id: 'b', content: [pdf], is_error: true },
    { role: 'tool', tool_call_id: 'c', content: 'no', is_error: true },
    { role: 'user', content: 'And?' },
  ]
  expect(convert({ messages })).toMatchObject({
    messages: [
      { role: 'tool', tool_call_id: 'a', content: 'seen\n(file follows)' },
      { role: 'tool', tool_call_id: 'b', content: 'Error: (file follows)' },
      { role: 'tool', tool_call_id: 'c', content: 'Error: no' },
      { role: 'user', content: [image, { type: 'file', file: { filename: 'document.pdf' } }] },
      { role: 'user', content: 'And?' },
    ],
  })
})

test('a stream always requests its usage; newer models name the cap differently', () => {
  const call = buildChatCall({ stream: true, stream_options: { include_usage: false } }, { outputCap: 77 })
  const { max_tokens: max_completion_tokens, ...others } = plain
  expect(convertChatRequest(call, 'max_completion_tokens', true)).toEqual({
    ...others,
    max_completion_tokens,
    stream: true,
    stream_options: { include_usage: true },
  })
})

test('messages keep members that servers know and lose ours', () => {
  const url = 'data:image/png;base64,UE5H'
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } } as const
  const messages = [
    {
      role: 'developer',
      content: [
        { type: 'text', text: 'Be ' },
        { type: 'text', text: 'brief' },
      ],
    },
    {
      role: 'user',
      name: 'x',
      content: [
        { type: 'text', text: 'See', cache_control: {} },
        { type: 'image_url', image_url: { url, detail: 'low' } },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,UE5H' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      thinking_blocks: [{ type: 'thinking', signature: 's' }],
      images: [],
      tool_calls: [{ ...call, index: 0 }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: '1' }] },
    { role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }], refusal: 'No' },
  ] as unknown as Conversation['messages']
  expect((convert({ messages }) as { messages: unknown }).messages).toEqual([
    { role: 'developer', content: 'Be brief' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See' },
        { type: 'image_url', image_url: { url, detail: 'low' } },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,UE5H', filename: 'document.pdf' } },
      ],
    },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: '1' },
    { role: 'assistant', content: 'No', refusal: 'No' },
  ])
})
