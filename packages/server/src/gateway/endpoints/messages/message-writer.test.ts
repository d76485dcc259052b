// Checks the events of a streamed message: their grammar for any answer of the upstream however its bytes arrive, how Anthropic's own
// client reads them, and that signatures return to their calls through such a client.
import { describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { messagesRequestSchema } from '@fairgate/contracts/messages/request.ts'
import fc from 'fast-check'
import { validateWith } from '../../../http/validate.ts'
import { ChatEventReader } from '../../../upstream/chat-events.ts'
import { convertChatRequest } from '../../../upstream/gemini/chat/convert-chat-request.ts'
import { mapChatResponse } from '../../../upstream/gemini/chat/map-chat-response.ts'
import { GeminiAnswer } from '../../../upstream/gemini/chat/streamed-answer.ts'
import type { ChatEvent, UsageReport } from '../../../upstream/port.ts'
import { buildChatCall } from '../../../upstream/testing/build-chat-call.ts'
import { openStream } from '../../../upstream/testing/open-stream.ts'
import { createToolNames } from '../../conversation/tool-names.ts'
import { type AnswerForm, buildMessage } from './build-message.ts'
import { convertRequest } from './convert-request.ts'
import { MessageWriter } from './message-writer.ts'

const { model } = buildChatCall()
const form: AnswerForm = {
  modelName: 'mm-2.5-flash',
  model,
  callId: '01a2-03',
  names: createToolNames(),
  showsThoughts: true,
  hasOneCall: false,
}
const usage: UsageReport = {
  kind: 'reported',
  usage: { inputTokens: 10, cachedTokens: 4, outputTokens: 7, reasoningTokens: 2 },
}

type Written = { readonly type: string } & Readonly<Record<string, unknown>>

/** The data of each event; the line before it must repeat its type. */
function readEvents(text: string): Written[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map(block => {
      const [, name, data] = /^event: (\w+)\ndata: (\{[^\n]*\})$/.exec(block) ?? []
      const event = JSON.parse(data ?? 'null') as Written
      expect(event.type).toBe(name ?? '')
      return event
    })
}

function write(events: readonly ChatEvent[], changes: Partial<AnswerForm> = {}): Written[] {
  const writer = new MessageWriter({ ...form, ...changes })
  writer.begin(1, () => usage)
  const text = events.map(event => writer.write(0, event)).join('')
  return readEvents(text + writer.end([usage], 0.25))
}

const text = (value: string): ChatEvent => ({ type: 'text-delta', text: value })
const thought = (value: string): ChatEvent => ({ type: 'reasoning-delta', text: value })
const call = (id: string, args = '{"a":1}', name = 'f'): ChatEvent => ({
  type: 'tool-call',
  call: { id, type: 'function', function: { name, arguments: args } },
})
const finish = (reason: 'stop' | 'length' | 'content_filter' | 'tool_calls'): ChatEvent => ({
  type: 'finish',
  reason,
})

/** start · (block start · delta* · block stop)* · message delta · message stop, one block open at a time, indexes without gaps. */
function expectGrammar(events: readonly Written[]): void {
  const [start, ...rest] = events.filter(({ type }) => type !== 'ping')
  expect(start).toMatchObject({ type: 'message_start', message: { content: [], stop_reason: null } })
  expect(rest.at(-2)?.type).toBe('message_delta')
  expect(rest.at(-1)).toEqual({ type: 'message_stop' })
  let index = 0
  let open: string | null = null
  let signatures = 0
  for (const event of rest.slice(0, -2)) {
    expect(event.index).toBe(index)
    if (event.type === 'content_block_start') {
      expect(open).toBeNull()
      open = String((event.content_block as { type: string }).type)
      signatures = 0
    } else if (event.type === 'content_block_delta') {
      const { type } = event.delta as { type: string }
      const fitting: Record<string, string[]> = {
        text: ['text_delta'],
        thinking: ['thinking_delta', 'signature_delta'],
        tool_use: ['input_json_delta'],
      }
      expect(fitting[open ?? '']).toContain(type)
      // A signature comes last in a thinking block.
      expect(signatures).toBe(0)
      if (type === 'signature_delta') signatures += 1
    } else {
      expect(event.type).toBe('content_block_stop')
      expect(signatures).toBe(open === 'thinking' ? 1 : 0)
      open = null
      index += 1
    }
  }
  expect(open).toBeNull()
}

test('an empty answer ends with an error that lets agents retry', () => {
  const events = write([{ type: 'finish', reason: 'stop', fault: 'malformed_call' }])
  expect(events).toMatchObject([{ type: 'error', error: { type: 'api_error' } }])
})

describe('events', () => {
  test('a thought, a text, and the end with usage, cost and stop reason', () => {
    const events = write([thought('Hm'), text('Hel'), text('lo'), finish('stop')])
    expectGrammar(events)
    expect(events[0]).toMatchObject({
      message: {
        id: 'msg_01a2-03',
        role: 'assistant',
        model: 'mm-2.5-flash',
        usage: { input_tokens: 6, cache_read_input_tokens: 4 },
      },
    })
    expect(events.slice(1, 9).map(({ delta, content_block }) => delta ?? content_block ?? null)).toEqual([
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'Hm' },
      { type: 'signature_delta', signature: expect.stringMatching(/^fg1\./) },
      null,
      { type: 'text', text: '' },
      { type: 'text_delta', text: 'Hel' },
      { type: 'text_delta', text: 'lo' },
      null,
    ])
    expect(events.at(-2)).toEqual({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: {
        input_tokens: 6,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 4,
        output_tokens: 7,
        output_tokens_details: { thinking_tokens: 2 },
        cost: 0.25,
      },
    })
  })

  const typesOf = (events: readonly Written[]) =>
    events.flatMap(({ content_block }) => (content_block as { type: string } | undefined)?.type ?? [])

  test('thoughts that were not requested are not shown, but carry the signature of a call', () => {
    const events = write([thought('Hm'), call('call_1__s_c2ln'), call('call_2')], { showsThoughts: false })
    expectGrammar(events)
    expect(typesOf(events)).toEqual(['thinking', 'tool_use', 'tool_use'])
    expect(JSON.stringify(events)).not.toContain('Hm')
    expect(JSON.stringify(events)).toContain('"toolu_1"')
  })

  test('a call without a signature needs no thinking block', () => {
    expect(typesOf(write([text('So'), call('call_1'), call('upstream-2')]))).toEqual([
      'text',
      'tool_use',
      'tool_use',
    ])
  })

  test('one call at a time', () => {
    const events = write([call('call_1'), call('call_2')], { hasOneCall: true })
    expect(typesOf(events)).toEqual(['tool_use'])
  })

  test.each([
    [[text('a'), finish('length')], 'max_tokens', ['text']],
    [[call('call_1'), finish('tool_calls')], 'tool_use', ['tool_use']],
    [[call('call_1'), finish('length')], 'tool_use', ['tool_use']],
    [[finish('tool_calls')], 'end_turn', []],
    [[finish('content_filter')], 'end_turn', ['text']],
    [[text('a'), finish('content_filter')], 'end_turn', ['text']],
    [[finish('stop')], 'end_turn', []],
  ] as const)('%j ends with %s', (given, reason, types) => {
    const events = write(given)
    expectGrammar(events)
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: reason } })
    expect(typesOf(events)).toEqual([...types])
  })

  test('search results come as search blocks', () => {
    const found = { start_index: 0, end_index: 1, url: 'https://example.com', title: 'E' }
    const metadata: ChatEvent = {
      type: 'metadata',
      annotations: [
        { type: 'url_citation', url_citation: found },
        { type: 'url_citation', url_citation: found },
      ],
      citationMetadata: null,
      groundingMetadata: {},
      urlContextMetadata: null,
    }
    const events = write([text('a'), metadata, finish('stop')])
    expectGrammar(events)
    expect(typesOf(events)).toEqual(['text', 'server_tool_use', 'web_search_tool_result'])
    expect(JSON.stringify(events).match(/example\.com/g)).toHaveLength(1)
  })

  test('a ping never comes before the start of the message', () => {
    const writer = new MessageWriter(form)
    writer.begin(1, () => null)
    const events = readEvents(writer.keepAlive() + writer.write(0, text('a')) + writer.keepAlive())
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'ping',
    ])
    // The upstream has not reported its figures: the last event does.
    expect(events[0]).toMatchObject({ message: { usage: { input_tokens: 0 } } })
  })

  test('an error is the last event, in the shape of every error', () => {
    const writer = new MessageWriter(form)
    expect(readEvents(writer.fail(new ApiError('upstream_overloaded')))).toEqual([
      {
        type: 'error',
        error: {
          type: 'overloaded_error',
          message: 'The model provider is overloaded.',
          code: 'upstream_overloaded',
          param: null,
        },
        request_id: '01a2-03',
      },
    ])
    const [inner] = readEvents(writer.fail(new Error('secret')))
    expect(inner).toMatchObject({ error: { type: 'api_error', code: 'internal' } })
    expect(JSON.stringify(inner)).not.toContain('secret')
  })
})

const signature = fc
  .uint8Array({ minLength: 1, maxLength: 40 })
  .map(bytes => Buffer.from(bytes).toString('base64'))
const part = fc.oneof(
  fc.record({ text: fc.string({ unit: 'grapheme', minLength: 1 }) }),
  fc.record({ text: fc.string({ minLength: 1 }), thought: fc.constant(true) }),
  // The signature of an empty text goes to the first call without one (upstream/gemini).
  fc.record({ text: fc.string({ minLength: 1 }), thoughtSignature: signature }),
  fc.record(
    {
      functionCall: fc.record({
        name: fc.stringMatching(/^[a-z_]{1,12}$/),
        args: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
      }),
      thoughtSignature: signature,
    },
    { requiredKeys: ['functionCall'] },
  ),
)
const chunks = fc.array(fc.array(part, { maxLength: 3 }), { minLength: 1, maxLength: 5 })

/** In the way the vendor streams an answer. */
const sseOf = (given: readonly object[][]) =>
  given
    .map((parts, index) => {
      const isLast = index === given.length - 1
      const candidate = { content: { role: 'model', parts }, ...(isLast ? { finishReason: 'STOP' } : {}) }
      const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: index + 1 }
      return `data: ${JSON.stringify({ candidates: [candidate], usageMetadata })}\r\n\r\n`
    })
    .join('')

async function writeStream(sse: string, size: number): Promise<string> {
  const stream = openStream(sse, size)
  let ids = 0
  const reader = new ChatEventReader(stream, new GeminiAnswer(stream, () => `x${++ids}`))
  const writer = new MessageWriter(form)
  let written = ''
  let batch = await reader.read()
  writer.begin(1, () => reader.usage())
  for (; batch !== null; batch = await reader.read())
    written += batch.map(event => writer.write(0, event)).join('')
  return written + writer.end([reader.usage() ?? { kind: 'absent' }], 0)
}

/** The message that Anthropic's client reads from a reply with so many bytes at a time. */
function readByClient(sse: string, size: number): Promise<Anthropic.Message> {
  const bytes = new TextEncoder().encode(sse)
  const body = new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
      controller.close()
    },
  })
  const headers = { 'content-type': 'text/event-stream' }
  const client = new Anthropic({
    apiKey: 'sk-x',
    maxRetries: 0,
    fetch: async () => new Response(body, { headers }),
  })
  return client.messages.stream({ model: 'm', max_tokens: 5, messages: [] }).finalMessage()
}

type Block = {
  readonly type: string
  readonly text?: string
  readonly name?: string
  readonly input?: unknown
}

/** Without thoughts, because a stream has their blocks elsewhere, and without ids, which are new each time. */
const shown = (content: readonly Block[]) => ({
  text: content.map(block => (block.type === 'text' ? block.text : '')).join(''),
  calls: content.flatMap(({ type, name, input }) => (type === 'tool_use' ? [{ name, input }] : [])),
})

const validate = validateWith(messagesRequestSchema)

/** The upstream request when a client sends its answer back with the results of its calls. */
function sendBack(content: readonly (Block & { readonly id?: string })[]) {
  const results = content.flatMap(({ type, id }) =>
    type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: 'done' }] : [],
  )
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content },
    { role: 'user', content: [...results.toReversed(), { type: 'text', text: 'Go on' }] },
  ]
  const body = validate(JSON.parse(JSON.stringify({ model: 'm', max_tokens: 5, messages })))
  const { contents } = convertChatRequest({
    ...buildChatCall(),
    request: convertRequest(body, model).conversation,
  })
  return contents
}

test('any answer in any pieces follows the grammar, can be read by the client, and returns signatures to calls', async () => {
  await fc.assert(
    fc.asyncProperty(
      chunks,
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 200 }),
      async (given, came, left) => {
        // As sent over the wire: undefined members are absent.
        const sent = JSON.parse(JSON.stringify(given)) as Record<string, unknown>[][]
        const sse = await writeStream(sseOf(sent), came)
        const reply = {
          candidates: [{ content: { parts: sent.flat() }, finishReason: 'STOP' }],
          usageMetadata: { promptTokenCount: 5, candidatesTokenCount: sent.length },
        }
        let ids = 0
        const result = mapChatResponse(reply, () => `y${++ids}`)
        if (result.choices[0]?.fault !== undefined) {
          expect(readEvents(sse).at(-1)?.type).toBe('error')
          return
        }
        expectGrammar(readEvents(sse))
        const message = await readByClient(sse, left)
        const whole = buildMessage(result, form)
        expect(shown(message.content)).toEqual(shown(whole.content))
        expect(message.stop_reason).toBe(whole.stop_reason)
        expect(message.usage).toMatchObject(whole.usage)
        const calls = sent.flat().filter(each => 'functionCall' in each)
        if (calls.length === 0) return
        for (const content of [message.content, whole.content]) {
          const [, model, results] = sendBack(content)
          expect<unknown>(model?.parts.filter(each => 'functionCall' in each)).toEqual(calls)
          expect(results?.parts.filter(each => 'functionResponse' in each)).toHaveLength(calls.length)
        }
      },
    ),
    { numRuns: 100 },
  )
})
