// Messages of Anthropic's API, whole and streamed, as chat results and events: texts, thoughts that survive a round trip, calls, ends.
import { describe, expect, test } from 'bun:test'
import type Anthropic from '@anthropic-ai/sdk'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { failureOf } from '../../../store/testing/failure-of.ts'
import { ChatEventReader } from '../../chat-events.ts'
import type { ChatEvent } from '../../port.ts'
import { openStream } from '../../testing/open-stream.ts'
import { splitToolCallId } from '../../tool-call-id.ts'
import { mapAnthropicError } from '../map-anthropic-error.ts'
import { mapChatResponse } from './map-chat-response.ts'
import { AnthropicAnswer } from './streamed-answer.ts'
import { unpackThoughts } from './thoughts.ts'

const names = { outer: new Map([['math_add', 'math.add']]), newId: () => 'new' }
const usage: Partial<Anthropic.Usage> = {
  input_tokens: 10,
  cache_creation_input_tokens: 7,
  cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 },
  cache_read_input_tokens: 5,
  output_tokens: 20,
  output_tokens_details: { thinking_tokens: 8 },
}
const reported = {
  kind: 'reported',
  usage: {
    inputTokens: 22,
    cachedTokens: 5,
    outputTokens: 20,
    reasoningTokens: 8,
    cacheWrites: { cacheWrite5m: 3, cacheWrite1h: 4 },
  },
} as const
const thought: Anthropic.ThinkingBlock = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }
const redacted: Anthropic.RedactedThinkingBlock = { type: 'redacted_thinking', data: 'ZGF0YQ==' }
const call = (id: string) => ({ type: 'tool_use', id, name: 'math_add', input: { a: 1 } }) as const
const message = (content: readonly object[], stop_reason: Anthropic.StopReason) =>
  mapChatResponse({ type: 'message', id: 'msg_1', content, stop_reason, usage }, names, null)

describe('a whole answer', () => {
  test('text, with its thoughts in one signature', () => {
    const {
      choices,
      usage: said,
      responseId,
    } = message([thought, redacted, { type: 'text', text: 'Hi' }], 'end_turn')
    expect([said, responseId]).toEqual([reported, '1'])
    expect(choices[0]).toMatchObject({ text: 'Hi', reasoning: 'Hm.', finishReason: 'stop', toolCalls: [] })
    expect(unpackThoughts(choices[0]?.thinkingBlocks[0]?.signature ?? '')).toEqual([thought, redacted])
  })

  test.each(['toolu_01', 'toolu_odd_1'])('calls: the first one %s carries the thoughts', id => {
    const [choice] = message([thought, call(id), call('toolu_2')], 'tool_use').choices
    const [first, second] = choice?.toolCalls ?? []
    expect(first?.function).toEqual({ name: 'math.add', arguments: '{"a":1}' })
    expect(unpackThoughts(splitToolCallId(first?.id ?? '').signature ?? '')).toEqual([thought])
    expect(second?.id).toBe('toolu_2')
    expect(choice).toMatchObject({ finishReason: 'tool_calls', text: null })
  })

  test.each<[Anthropic.StopReason, string, object | undefined]>([
    ['max_tokens', 'length', undefined],
    ['model_context_window_exceeded', 'length', undefined],
    ['refusal', 'content_filter', undefined],
    ['stop_sequence', 'stop', { fault: 'empty' }],
    ['pause_turn', 'stop', { fault: 'empty' }],
    ['tool_use', 'stop', { fault: 'empty' }],
  ])('an empty answer that ends with %s', (reason, finishReason, fault) => {
    expect(message([], reason).choices[0]).toMatchObject({ finishReason, ...fault })
  })
})

const frame = (event: object) => `event: x\ndata: ${JSON.stringify(event)}\n\n`
const start = frame({
  type: 'message_start',
  message: { id: 'msg_1', usage: { ...usage, output_tokens: 1 } },
})
const block = (content_block: object, ...deltas: object[]) =>
  frame({ type: 'content_block_start', index: 0, content_block }) +
  deltas.map(delta => frame({ type: 'content_block_delta', index: 0, delta })).join('') +
  frame({ type: 'content_block_stop', index: 0 })
const end = (stop_reason: string) =>
  frame({
    type: 'message_delta',
    delta: { stop_reason },
    usage: {
      output_tokens: 20,
      output_tokens_details: { thinking_tokens: 8 },
      cache_read_input_tokens: null,
    },
  }) + frame({ type: 'message_stop' })
const thinking = block(
  { type: 'thinking', thinking: '', signature: '' },
  { type: 'thinking_delta', thinking: 'Hm.' },
  { type: 'signature_delta', signature: 'c2ln' },
)

function open(text: string, size = 37) {
  const stream = openStream(text, size, {
    mapError: (status, body) => mapAnthropicError({ status, body, headers: new Headers() }, ''),
  })
  return new ChatEventReader(stream, new AnthropicAnswer(stream, names))
}

async function read(text: string) {
  const reader = open(text)
  const events: ChatEvent[] = []
  for (let batch = await reader.read(); batch !== null; batch = await reader.read()) events.push(...batch)
  return {
    events: events.filter(({ type }) => type !== 'progress' && type !== 'usage'),
    usage: reader.usage(),
  }
}

describe('a streamed answer', () => {
  test('text and thoughts, which end as one signature', async () => {
    const { events, usage: said } = await read(
      start +
        thinking +
        frame({ type: 'ping' }) +
        block({ type: 'text', text: '' }, { type: 'text_delta', text: 'Hi' }) +
        end('end_turn'),
    )
    expect(events).toEqual([
      { type: 'reasoning-delta', text: 'Hm.' },
      { type: 'text-delta', text: 'Hi' },
      { type: 'signature', signature: JSON.stringify([thought]) },
      { type: 'finish', reason: 'stop' },
    ])
    expect(said).toEqual(reported)
  })

  test('a call is sent once it is whole, with the thoughts in its id; one that the cap has cut off is not', async () => {
    const input = { type: 'tool_use', id: 'toolu_1', name: 'math_add', input: {} }
    const { events } = await read(
      start +
        thinking +
        block(
          input,
          { type: 'input_json_delta', partial_json: '{"a"' },
          { type: 'input_json_delta', partial_json: ':1}' },
        ) +
        block(input) +
        block(input, { type: 'input_json_delta', partial_json: '{"b' }) +
        end('max_tokens'),
    )
    const calls = events.flatMap(event => (event.type === 'tool-call' ? [event.call] : []))
    expect(calls.map(({ function: called }) => called)).toEqual([
      { name: 'math.add', arguments: '{"a":1}' },
      { name: 'math.add', arguments: '{}' },
    ])
    expect(unpackThoughts(splitToolCallId(calls[0]?.id ?? '').signature ?? '')).toEqual([thought])
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'length' })
  })

  test('until the last figures, the output is estimated from what has come', async () => {
    const reader = open(
      start + block({ type: 'text', text: '' }, { type: 'text_delta', text: 'x'.repeat(41) }),
      10_000,
    )
    await reader.read()
    expect(reader.usage()).toEqual({
      ...reported,
      usage: { ...reported.usage, outputTokens: 11 },
      isEstimated: true,
    })
  })

  test.each([
    ['overloaded_error', 'upstream_overloaded'],
    ['rate_limit_error', 'upstream_rate_limited'],
    ['authentication_error', 'upstream_auth'],
    ['invalid_request_error', 'upstream_rejected'],
    ['api_error', 'upstream_error'],
  ])('the error %s', async (type, code) => {
    const failure = await failureOf(read(start + frame({ type: 'error', error: { type, message: 'No.' } })))
    expect(failure).toBeInstanceOf(ApiError)
    expect(failure).toMatchObject({ code })
  })

  test('without a stop reason it is cut off', async () => {
    expect(await failureOf(read(start + thinking))).toMatchObject({ code: 'upstream_error' })
  })
})
