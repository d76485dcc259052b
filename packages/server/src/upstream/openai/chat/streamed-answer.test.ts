// Streams of different servers become events: calls put together, usage in any place, errors and cuts reported.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { failureOf } from '../../../store/testing/failure-of.ts'
import { ChatEventReader } from '../../chat-events.ts'
import type { ChatEvent, ChatStream, UsageReport } from '../../port.ts'
import { openStream } from '../../testing/open-stream.ts'
import { mapOpenaiError } from '../map-openai-error.ts'
import { OpenaiAnswer } from './streamed-answer.ts'

const fixture = (name: string) => Bun.file(join(import.meta.dir, '__fixtures__', `${name}.sse.txt`)).text()

function open(text: string, size?: number) {
  let closed = 0
  const stream = openStream(text, size, {
    mapError: (status, body) => mapOpenaiError({ status, body, headers: new Headers() }, ''),
    close: () => {
      closed += 1
    },
  })
  return { stream, closed: () => closed }
}

/** Reported usage is shown in the place of the event that reports it. */
type Seen =
  | Exclude<ChatEvent, { type: 'usage' }>
  | { readonly type: 'usage'; readonly usage: UsageReport | null }

async function readAll(reader: ChatStream): Promise<Seen[]> {
  const events: Seen[] = []
  for (let batch = await reader.read(); batch !== null; batch = await reader.read())
    for (const event of batch)
      events.push(event.type === 'usage' ? { ...event, usage: reader.usage() } : event)
  return events
}

function read(text: string, size?: number): Promise<Seen[]> {
  let ids = 0
  const { stream } = open(text, size)
  return readAll(new ChatEventReader(stream, new OpenaiAnswer(stream, () => `new${++ids}`)))
}

const shown = (events: readonly Seen[]) => events.filter(({ type }) => type !== 'progress')
const event = (chunk: object) => `data: ${JSON.stringify(chunk)}\n\n`
const delta = (value: object, finish_reason: string | null = null) =>
  event({ choices: [{ index: 0, delta: value, finish_reason }] })
const done = 'data: [DONE]\n\n'
const usageOf = (input: number, output: number, more: object = {}) => ({
  type: 'usage',
  usage: {
    kind: 'reported',
    usage: { inputTokens: input, cachedTokens: 0, outputTokens: output, reasoningTokens: 0, ...more },
  },
})

test('an answer without content that claims to be complete has a fault', async () => {
  expect(await read(delta({}, 'stop') + done)).toEqual([{ type: 'finish', reason: 'stop', fault: 'empty' }])
  expect(await read(delta({}, 'length') + done)).toEqual([{ type: 'finish', reason: 'length' }])
})

describe('recorded streams', () => {
  test('reasoning under either name, log probabilities, usage in every chunk', async () => {
    expect((await read(await fixture('vllm-reasoning'), 7)) as unknown[]).toEqual([
      { type: 'reasoning-delta', text: 'Two and ' },
      usageOf(9, 2),
      { type: 'reasoning-delta', text: 'two.' },
      usageOf(9, 4),
      {
        type: 'text-delta',
        text: 'Four',
        logprobs: [
          {
            token: 'Four',
            logprob: -0.25,
            bytes: [70, 111, 117, 114],
            top_logprobs: [{ token: '4', logprob: -2, bytes: [52] }],
          },
        ],
      },
      usageOf(9, 6),
      { type: 'finish', reason: 'stop' },
    ])
  })

  test('parallel calls in pieces, usage in a chunk of its own', async () => {
    const events = await read(await fixture('openai-parallel-tools'))
    const call = (id: string, name: string, args: string) => ({
      type: 'tool-call',
      isMeasured: true,
      call: { id, type: 'function', function: { name, arguments: args } },
    })
    expect(shown(events) as unknown[]).toEqual([
      usageOf(60, 31, { cachedTokens: 32 }),
      call('call_one', 'weather', '{"city":"Rome"}'),
      call('call_two', 'time', '{}'),
      { type: 'finish', reason: 'tool_calls' },
    ])
    const characters = events.reduce((sum, item) => sum + (item.type === 'progress' ? item.characters : 0), 0)
    expect(characters).toBe('weather{"city":"Rome"}time{}'.length)
  })

  test('whole calls without index and id, `stop`, reasoning that only the total shows', async () => {
    const events = shown(await read(await fixture('compat-whole-tools')))
    expect(events as unknown[]).toMatchObject([
      { type: 'usage', usage: { usage: { inputTokens: 40, outputTokens: 72, reasoningTokens: 60 } } },
      { call: { id: 'call_new1', function: { arguments: '{"city":"Rome"}' } } },
      { call: { id: 'function-call-2', function: { arguments: '{"city":"Oslo"}' } } },
      { type: 'finish', reason: 'tool_calls' },
    ])
  })
})

describe('tool calls', () => {
  const piece = (value: object) => delta({ tool_calls: [value] })
  const callsOf = async (...pieces: object[]) =>
    (await read(pieces.map(piece).join('') + done)).flatMap(item =>
      item.type === 'tool-call'
        ? [[item.call.id, item.call.function.name, item.call.function.arguments]]
        : [],
    )

  test.each<[string, object[], string[][]]>([
    [
      'pieces without an index belong to the last',
      [{ id: 'a', function: { name: 'f', arguments: '{"x"' } }, { function: { arguments: ':1}' } }],
      [['a', 'f', '{"x":1}']],
    ],
    [
      'every call has index 0',
      [
        { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } },
        { index: 0, id: 'b', function: { name: 'f', arguments: '{"x":2}' } },
      ],
      [
        ['a', 'f', '{}'],
        ['b', 'f', '{"x":2}'],
      ],
    ],
    [
      'id and name are repeated with each piece',
      [
        { index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } },
        { index: 0, id: 'a', function: { name: 'f', arguments: ':1}' } },
      ],
      [['a', 'f', '{"x":1}']],
    ],
    [
      'pieces of two calls are mixed',
      [
        { index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } },
        { index: 1, id: 'b', function: { name: 'g', arguments: '{"y"' } },
        { index: 0, function: { arguments: ':1}' } },
        { index: 1, function: { arguments: ':2}' } },
      ],
      [
        ['a', 'f', '{"x":1}'],
        ['b', 'g', '{"y":2}'],
      ],
    ],
    [
      'arguments as an object',
      [{ function: { name: 'f', arguments: { x: 1 } } }],
      [['call_new1', 'f', '{"x":1}']],
    ],
    ['no arguments', [{ id: 'a', function: { name: 'f' } }], [['a', 'f', '{}']]],
    ['a call without a name does not count', [{ id: 'a', function: { arguments: '{}' } }], []],
  ])('%s', async (_, pieces, calls) => expect(await callsOf(...pieces)).toEqual(calls))
})

describe('ends', () => {
  test('does not wait after [DONE]; the stream is closed when its server ends it', async () => {
    let end = (): void => undefined
    const { promise: closed, resolve: close } = Promise.withResolvers<void>()
    const body = new ReadableStream<Uint8Array>({
      start: controller => {
        controller.enqueue(new TextEncoder().encode(delta({ content: 'Hi' }, 'stop') + done))
        end = () => controller.close()
      },
    })
    const reader = body.getReader()
    const stream = { ...open('').stream, read: () => reader.read(), close }
    const events = await readAll(new ChatEventReader(stream, new OpenaiAnswer(stream, () => 'x')))
    expect(events.map(({ type }) => type)).toEqual(['text-delta', 'finish'])
    end()
    await closed
  })

  test.each([
    ['a finish reason without [DONE]', delta({ content: 'Hi' }, 'stop'), 'stop'],
    ['[DONE] without a finish reason', delta({ content: 'Hi' }) + done, 'stop'],
    ['cut at the cap', delta({ content: 'Hi' }, 'length') + done, 'length'],
    ['a filter', delta({}, 'content_filter') + done, 'content_filter'],
    ['a refusal in words', delta({ refusal: 'No.' }, 'stop') + done, 'content_filter'],
    ['an unknown reason', delta({ content: 'Hi' }, 'eos_token') + done, 'stop'],
    ['calls announced that never came', delta({ content: 'Hi' }, 'tool_calls') + done, 'stop'],
  ])('%s', async (_, text, reason) =>
    expect((await read(text)).at(-1) as unknown).toEqual({ type: 'finish', reason }),
  )

  test.each([
    ['a cut', delta({ content: 'Hi' }), 'upstream_error'],
    ['an empty body', '', 'upstream_error'],
    ['an error', event({ error: { message: 'Busy', code: 503 } }), 'upstream_overloaded'],
    [
      'an error in an array',
      event([{ error: { message: 'Slow down', code: 429 } }]),
      'upstream_rate_limited',
    ],
    ['an error as a text', event({ error: 'it broke' }), 'upstream_error'],
    [
      'an error without a status',
      event({ error: { type: 'invalid_request_error', message: 'x' } }),
      'upstream_rejected',
    ],
    ['a bare error', event({ object: 'error', message: 'x', code: 400 }), 'upstream_rejected'],
    ['text that is not JSON', 'data: oops\n\n', 'upstream_error'],
    ['a value that is not an object', 'data: 5\n\n', 'upstream_error'],
  ])('%s is an error, and the stream is closed', async (_, text, code) => {
    const { stream, closed } = open(text)
    const failure = await failureOf(readAll(new ChatEventReader(stream, new OpenaiAnswer(stream, () => 'x'))))
    expect(failure instanceof ApiError ? (failure.code as string) : failure).toBe(code)
    expect(closed()).toBe(1)
  })
})
