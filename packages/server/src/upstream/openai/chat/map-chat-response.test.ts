// Replies of different servers become one choice: text, reasoning, calls, refusals, media, and replies without an answer.
import { expect, test } from 'bun:test'
import { mapChatResponse } from './map-chat-response.ts'

const reply = (message: object, finish_reason = 'stop', more: object = {}) => ({
  id: 'chatcmpl-1',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason, ...more }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
})
const map = (value: unknown) => mapChatResponse(value, () => 'new')
const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }

test.each<[string, unknown, object]>([
  [
    'text',
    reply({ content: 'Hi' }),
    { text: 'Hi', reasoning: null, finishReason: 'stop', thinkingBlocks: [] },
  ],
  ['no text at all', reply({}), { text: '', finishReason: 'stop', fault: 'empty' }],
  ['text in parts', reply({ content: [{ type: 'thinking' }, { type: 'text', text: 'Hi' }] }), { text: 'Hi' }],
  [
    'reasoning',
    reply({ content: 'Hi', reasoning: 'Hm' }),
    { reasoning: 'Hm', thinkingBlocks: [{ type: 'thinking', thinking: 'Hm' }] },
  ],
  [
    'a call and `stop`',
    reply({ content: null, tool_calls: [call] }),
    { text: null, toolCalls: [call], finishReason: 'tool_calls' },
  ],
  [
    'a call without id, its arguments an object',
    reply({ tool_calls: [{ function: { name: 'f', arguments: { x: 1 } } }] }),
    { toolCalls: [{ id: 'call_new', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }] },
  ],
  ['a call cut at the cap', reply({ tool_calls: [call] }, 'length'), { finishReason: 'length' }],
  ['a refusal', reply({ content: null, refusal: 'No.' }), { text: 'No.', finishReason: 'content_filter' }],
  [
    'a filtered answer',
    reply({ content: '' }, 'content_filter'),
    { text: null, finishReason: 'content_filter' },
  ],
  [
    'audio',
    reply({ content: null, audio: { data: 'AAAA', transcript: 'Hello' } }),
    { text: 'Hello', audio: { mimeType: 'audio/pcm;rate=24000', base64: 'AAAA' } },
  ],
  [
    'an image',
    reply({
      images: [{ image_url: { url: 'data:image/png;base64,UE5H' } }, { image_url: { url: 'https://x' } }],
    }),
    { text: null, images: [{ mimeType: 'image/png', base64: 'UE5H' }] },
  ],
  [
    'log probabilities',
    reply({ content: 'A' }, 'stop', { logprobs: { content: [{ token: 'A', logprob: -1 }, 5] } }),
    {
      logprobs: [{ token: 'A', logprob: -1, bytes: [65], top_logprobs: [] }],
    },
  ],
  ['usage without a choice', { usage: { prompt_tokens: 5 } }, { text: null, finishReason: 'content_filter' }],
])('%s', (_, value, choice) => expect(map(value).choices[0]).toMatchObject(choice))

test('the id is passed on without its prefix, which ours has too', () => {
  expect(map(reply({})).responseId).toBe('1')
  expect(map({ ...reply({}), id: undefined }).responseId).toBeNull()
})

test.each([
  [null],
  ['text'],
  [{}],
  [{ choices: [] }],
  [{ choices: [null, {}] }],
  [{ error: { message: 'x' }, choices: [{ message: { content: 'x' } }] }],
])('%p is not an answer', value => {
  expect(() => map(value)).toThrow('empty answer')
})
