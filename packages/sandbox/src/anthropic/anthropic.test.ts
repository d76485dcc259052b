// Anthropic's official client, unchanged, on the sandbox: answers, streams, tools, thinking, media, the prompt cache and its bill, errors.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import Anthropic, { APIError } from '@anthropic-ai/sdk'
import { writePng } from '../media/png.ts'
import type { Sandbox } from '../start-sandbox.ts'
import { startTestSandbox } from '../testing/call-sandbox.ts'

let sandbox: Sandbox
let client: Anthropic
let clock = 0
beforeAll(() => {
  sandbox = startTestSandbox(() => clock)
  client = connect('right')
})
afterAll(() => sandbox.stop())
beforeEach(() => {
  sandbox.resetCounters()
  // Nothing that an earlier test has cached is left.
  clock += 2 * 3_600_000
})

const connect = (apiKey: string) =>
  new Anthropic({ apiKey, baseURL: `${sandbox.url}/anthropic`, maxRetries: 0 })
const model = 'claude-sonnet-4-6'
const newer = 'claude-opus-5-5'
type Asked = Anthropic.MessageCreateParamsNonStreaming
const ask = (content: Anthropic.MessageParam['content'], more: Partial<Asked> = {}): Asked => ({
  model,
  max_tokens: 2_000,
  messages: [{ role: 'user', content }],
  ...more,
})

/** The status and the sentence of a refusal. */
const refusalOf = async (asked: object): Promise<string> => {
  try {
    const isSampled = Object.keys(asked).some(name => /^t(?:emperature|op_[pk])$/.test(name))
    // Sampling parameters exist in the older version of the API only.
    const headers = isSampled ? { 'anthropic-version': '2023-06-01' } : {}
    // Without a time-out the client itself refuses large caps.
    await client.messages.create(asked as Asked, { headers, timeout: 60_000 })
  } catch (error) {
    if (!(error instanceof APIError)) throw error
    expect(error.error).toMatchObject({ type: 'error', request_id: error.requestID })
    return `${error.status} ${error.type} ${error.apiMessage}`
  }
  throw new Error('The call succeeded.')
}

const weather: Anthropic.Tool = {
  name: 'weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

/** The same answer whole and as a stream, in which the client puts the events together. */
const both = async (asked: Asked): Promise<Anthropic.Message> => {
  const whole = await client.messages.create(asked)
  const events: string[] = []
  const stream = client.messages.stream(asked).on('streamEvent', ({ type }) => events.push(type))
  const streamed = await stream.finalMessage()
  // The client adds what it has parsed to streamed messages.
  const plain = ({ parsed_output: _, ...message }: Anthropic.Message & { parsed_output?: unknown }) =>
    JSON.parse(JSON.stringify(message).replaceAll(/(msg|toolu)_sandbox_\d+/g, '$1_n')) as object
  expect(plain(streamed)).toEqual(plain(whole))
  expect(events[0]).toBe('message_start')
  expect(events.slice(-2)).toEqual(['message_delta', 'message_stop'])
  return whole
}

describe('an answer', () => {
  test('is the same whole and streamed, and is billed once each', async () => {
    const message = await both(ask('Hello', { max_tokens: 16 }))
    expect(message).toMatchObject({
      type: 'message',
      model,
      content: [{ type: 'text', text: expect.stringContaining('You said "Hello"') }],
      stop_reason: 'max_tokens',
      usage: { input_tokens: 2, output_tokens: 16, cache_read_input_tokens: 0 },
    })
    const billed = {
      calls: 2,
      promptTokens: 4,
      cachedTokens: 0,
      candidatesTokens: 32,
      thoughtsTokens: 0,
    }
    expect(sandbox.counters()).toMatchObject({
      running: 0,
      streams: 1,
      billed: { [model]: billed },
      billedByKey: { right: { [model]: billed } },
    })
  })

  test('events come in the order of the API, each with its name', async () => {
    const reply = await client.messages.create({ ...ask('Hello'), stream: true }).asResponse()
    expect(reply.headers.get('content-type')).toContain('text/event-stream')
    const names = [...(await reply.text()).matchAll(/^event: (.+)\ndata: \{"type":"(.+?)"/gm)]
    expect(names.every(([, name, type]) => name === type)).toBe(true)
    expect(names.map(([, name]) => name)).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      ...Array.from({ length: 4 }, () => 'content_block_delta'),
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
  })

  test('stops at a stop sequence, and says at which', async () => {
    const message = await both(ask('Hello', { stop_sequences: ['never', 'answers'] }))
    expect(message).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'answers' })
    expect(message.content).toMatchObject([{ text: 'You said "Hello". The sandbox ' }])
  })

  test('follows a schema, which must be closed', async () => {
    const schema = (more: object) => ({
      output_config: {
        format: {
          type: 'json_schema' as const,
          schema: { type: 'object', properties: { city: { type: 'string' } }, ...more },
        },
      },
    })
    const { content } = await both(ask('Where?', schema({ additionalProperties: false })))
    expect(content).toMatchObject([{ text: '{"city":"sandbox"}' }])
    expect(await refusalOf(ask('Where?', schema({})))).toContain("'additionalProperties' must be explicitly")
  })

  test('can be refused', async () => {
    const { content, stop_reason, stop_details } = await both(ask('[[sandbox: finishReason=SAFETY]]'))
    expect([content, stop_reason, stop_details?.type]).toEqual([[], 'refusal', 'refusal'])
  })

  test('breaks off in the middle of a stream, by an error or without a word, and is billed as far as it got', async () => {
    const read = async (switches: string) => {
      try {
        await client.messages.stream(ask(`x [[sandbox: outputTokens=40; ${switches}]]`)).finalMessage()
      } catch (error) {
        return error instanceof APIError ? (error.type ?? 'broken') : String(error)
      }
      throw new Error('The stream ended well.')
    }
    expect(await read('errorInStream=4')).toBe('overloaded_error')
    expect(sandbox.counters().billed[model]?.candidatesTokens).toBe(10)
    expect(await read('cutStream=5')).not.toBe('overloaded_error')
    expect(sandbox.counters()).toMatchObject({ aborted: 1, running: 0 })
    expect(sandbox.counters().billed[model]?.candidatesTokens).toBe(10 + 20)
  })

  test('is counted beforehand with exactly the tokens that it then costs', async () => {
    const { max_tokens: _, ...asked } = ask('Hello', { system: 'Be brief.', tools: [weather] })
    const { input_tokens } = await client.messages.countTokens(asked)
    const { usage } = await client.messages.create({ ...asked, max_tokens: 10 })
    expect(usage.input_tokens).toBe(input_tokens)
    expect(sandbox.counters().counted).toBe(1)
  })

  test('counts images by their size, and documents by their pages', async () => {
    const png = Buffer.from(writePng({ width: 300, height: 100, colour: [0, 0, 0] })).toString('base64')
    const image = (media_type: 'image/png' | 'image/jpeg') => ({
      type: 'image' as const,
      source: { type: 'base64' as const, media_type, data: png },
    })
    const pdf = Buffer.from('%PDF-1.4 /Type /Page /Type /Page').toString('base64')
    const document = {
      type: 'document' as const,
      source: { type: 'base64' as const, media_type: 'application/pdf' as const, data: pdf },
    }
    const { usage } = await client.messages.create(
      ask([image('image/png'), document, { type: 'text', text: 'See' }]),
    )
    expect(usage.input_tokens).toBe((300 * 100) / 750 + 2 * 3_000 + 1)
    expect(await refusalOf(ask([image('image/jpeg')]))).toContain('appears to be a image/png image')
  })
})

describe('tools', () => {
  const tools = [weather]
  const answerCalls = (content: Anthropic.ContentBlock[]): Anthropic.ToolResultBlockParam[] =>
    content.flatMap(block =>
      block.type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: block.id, content: 'clear sky' }] : [],
    )

  test('are called, whole and in pieces, until their results are there', async () => {
    const asked = ask('Rain? [[sandbox: toolCalls=2; toolSteps=2]]', { tools })
    const first = await both(asked)
    expect(first.stop_reason).toBe('tool_use')
    expect(first.content).toMatchObject([
      { type: 'tool_use', name: 'weather', input: { city: 'sandbox' } },
      { type: 'tool_use', name: 'weather' },
    ])
    const messages = [...asked.messages]
    const proceed = async ({ content }: Anthropic.Message) => {
      const reminder = { type: 'text' as const, text: 'A reminder [[sandbox: toolCalls=1; toolSteps=2]]' }
      messages.push(
        { role: 'assistant', content },
        { role: 'user', content: [...answerCalls(content), reminder] },
      )
      return client.messages.create({ ...asked, messages })
    }
    const second = await proceed(first)
    expect(second.stop_reason).toBe('tool_use')
    const third = await proceed(second)
    expect(third.content).toMatchObject([
      { text: expect.stringContaining('weather returned {"output":"clear sky"}') },
    ])
  })

  test('only as many as the choice allows', async () => {
    const called = async (tool_choice: Anthropic.ToolChoice) =>
      (
        await client.messages.create(ask('Rain? [[sandbox: toolCalls=3]]', { tools, tool_choice }))
      ).content.map(({ type }) => type)
    expect(await called({ type: 'auto' })).toHaveLength(3)
    expect(await called({ type: 'any', disable_parallel_tool_use: true })).toEqual(['tool_use'])
    expect(await called({ type: 'none' })).toEqual(['text'])
  })

  test('every call needs its result in the next message, before any text', async () => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'dry' }
    const text = { type: 'text', text: 'And?' }
    const refused = (...contents: object[][]) =>
      refusalOf({
        ...ask('x', { tools }),
        messages: [
          { role: 'user', content: 'Rain?' },
          ...contents.map((content, index) => ({ role: index % 2 === 0 ? 'assistant' : 'user', content })),
        ],
      })
    expect(await refused([call], [text])).toStartWith(
      '400 invalid_request_error messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.',
    )
    expect(await refused([call], [text, result])).toContain('without `tool_result` blocks')
    expect(await refused([text], [result])).toContain(
      'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1',
    )
    expect(await refused([call], [result], [call], [result])).toContain('`tool_use` ids must be unique')
    const { tools: _, ...bare } = ask('x')
    const messages = [
      { role: 'user', content: 'Rain?' },
      { role: 'assistant', content: [call] },
      { role: 'user', content: [result] },
    ]
    expect(await refusalOf({ ...bare, messages })).toContain('must define tools')
  })
})

describe('thinking', () => {
  const enabled = { type: 'enabled', budget_tokens: 1_024 } as const

  test('is signed, and comes back unchanged or not at all', async () => {
    const asked = ask('Rain?', { tools: [weather], thinking: enabled })
    const first = await both(asked)
    expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'tool_use'])
    expect(first.usage.output_tokens_details).toEqual({ thinking_tokens: 32 })
    const [thought, call] = first.content
    if (thought?.type !== 'thinking' || call?.type !== 'tool_use') throw new Error('no thinking')
    const result = { type: 'tool_result', tool_use_id: call.id, content: 'dry' }
    const next = (content: object[]) => ({
      ...asked,
      messages: [...asked.messages, { role: 'assistant', content }, { role: 'user', content: [result] }],
    })
    const answered = await client.messages.create(next([thought, call]) as Asked)
    expect(answered.stop_reason).toBe('end_turn')
    expect(await refusalOf(next([{ ...thought, thinking: 'Other thoughts' }, call]))).toBe(
      '400 invalid_request_error messages.1.content.0: Invalid `signature` in `thinking` block',
    )
    expect(await refusalOf(next([call]))).toContain(
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`',
    )
    const { thinking: _, ...without } = next([call])
    expect((await client.messages.create(without as Asked)).stop_reason).toBe('end_turn')
  })

  test('adapts to the effort, and can be hidden or redacted', async () => {
    const thinking = { type: 'adaptive', display: 'omitted' } as const
    const hidden = await both(ask('Hm?', { model: newer, thinking, output_config: { effort: 'low' } }))
    expect(hidden.content[0]).toMatchObject({ type: 'thinking', thinking: '' })
    expect(hidden.usage).toMatchObject({ output_tokens: 48, output_tokens_details: { thinking_tokens: 8 } })
    const redacted = await both(ask('Hm? [[sandbox: redactThinking]]', { model: newer, thinking }))
    expect(redacted.content[0]?.type).toBe('redacted_thinking')
    const messages: Anthropic.MessageParam[] = [
      { role: 'user', content: 'Hm?' },
      { role: 'assistant', content: [...hidden.content, ...redacted.content] },
      { role: 'user', content: 'And?' },
    ]
    await client.messages.create({ ...ask('x', { model: newer, thinking }), messages })
  })

  test.each<[object, string]>([
    [{ thinking: { type: 'enabled', budget_tokens: 100 } }, 'greater than or equal to 1024'],
    [
      { thinking: { type: 'enabled', budget_tokens: 2_000 } },
      '`max_tokens` must be greater than `thinking.budget_tokens`',
    ],
    [{ thinking: enabled, temperature: 0.5 }, '`temperature` may only be set to 1 when thinking is enabled'],
    [{ thinking: enabled, top_k: 5 }, '`top_k` must be unset'],
    [
      { thinking: enabled, tools: [weather], tool_choice: { type: 'any' } },
      'Thinking may not be enabled when',
    ],
    [{ thinking: enabled, model: newer }, '"thinking.type.enabled" is not supported for this model'],
  ])('%j is refused', async (more, sentence) => {
    expect(await refusalOf({ ...ask('x'), ...more })).toContain(sentence)
  })
})

describe('the prompt cache', () => {
  const minutes = (count: number) => count * 60_000
  /** `tokens` tokens of text, different for each name. */
  const text = (name: string, tokens: number, ttl?: '5m' | '1h'): Anthropic.TextBlockParam => ({
    type: 'text',
    text: name.repeat(tokens * 4).slice(0, tokens * 4),
    ...(ttl === undefined ? {} : { cache_control: { type: 'ephemeral', ttl } }),
  })
  /** Input, 5m and 1h writes, and reads. */
  const use = async (more: Partial<Asked>, by = client): Promise<number[]> => {
    const { usage } = await by.messages.create(ask('Hi', { max_tokens: 1, ...more }))
    const { cache_creation: written } = usage
    expect(usage.cache_creation_input_tokens).toBe(
      (written?.ephemeral_5m_input_tokens ?? 0) + (written?.ephemeral_1h_input_tokens ?? 0),
    )
    return [
      usage.input_tokens,
      written?.ephemeral_5m_input_tokens ?? -1,
      written?.ephemeral_1h_input_tokens ?? -1,
      usage.cache_read_input_tokens ?? -1,
    ]
  }

  test('is written once and read until its lifetime is over; each read prolongs it', async () => {
    const system = [text('rules ', 2_000, '5m')]
    expect(await use({ system })).toEqual([1, 2_000, 0, 0])
    clock += minutes(4)
    expect(await use({ system })).toEqual([1, 0, 0, 2_000])
    clock += minutes(4)
    expect(await use({ system })).toEqual([1, 0, 0, 2_000])
    clock += minutes(5)
    expect(await use({ system })).toEqual([1, 2_000, 0, 0])
    expect(sandbox.counters().billed[model]).toMatchObject({
      promptTokens: 4 * 2_001,
      cachedTokens: 2 * 2_000,
      cacheWrite5mTokens: 2 * 2_000,
    })
  })

  test('keeps both lifetimes in one prompt: the longer first', async () => {
    const system = [text('rules ', 2_000, '1h'), text('more ', 1_000, '5m')]
    expect(await use({ system })).toEqual([1, 1_000, 2_000, 0])
    clock += minutes(30)
    expect(await use({ system })).toEqual([1, 1_000, 0, 2_000])
    expect(sandbox.counters().billed[model]).toMatchObject({
      cacheWrite5mTokens: 2_000,
      cacheWrite1hTokens: 2_000,
    })
    expect(await refusalOf(ask('Hi', { system: [text('a', 9, '5m'), text('b', 9, '1h')] }))).toContain(
      "system.1.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
    )
  })

  test('grows with a conversation, and finds a prefix up to 20 blocks back', async () => {
    const system = [text('rules ', 2_000)]
    const turns = (count: number): Anthropic.MessageParam[] =>
      Array.from({ length: count }, (_, index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: `Turn ${index}`,
      }))
    const auto = (count: number) =>
      use({ system, messages: turns(count), cache_control: { type: 'ephemeral' } })
    expect(await auto(1)).toEqual([0, 2_002, 0, 0])
    expect(await auto(3)).toEqual([0, 4, 0, 2_002])
    expect((await auto(23)).at(-1)).toBe(2_006)
    expect((await auto(45)).at(-1)).toBe(0)
  })

  test('misses when anything before the breakpoint differs, and for short prompts, other models and other keys', async () => {
    const system = [text('rules ', 2_000, '1h')]
    await use({ system, tools: [weather] })
    expect((await use({ system, tools: [weather] })).at(-1)).toBeGreaterThan(2_000)
    expect((await use({ system })).at(-1)).toBe(0)
    expect((await use({ system: [text('Rules ', 2_000, '1h')] })).at(-1)).toBe(0)
    expect((await use({ system, model: newer })).at(-1)).toBe(0)
    expect((await use({ system }, connect('other'))).at(-1)).toBe(0)
    expect((await use({ system: [text('rules ', 1_023, '1h')] })).slice(1)).toEqual([0, 0, 0])
    expect(Object.keys(sandbox.counters().billedByKey)).toEqual(['right', 'other'])
  })

  test('takes four breakpoints, and none on nothing', async () => {
    const marked = (count: number) => Array.from({ length: count }, (_, index) => text(`${index}`, 300, '5m'))
    expect(await use({ system: marked(4) })).toEqual([1, 1_200, 0, 0])
    expect(await refusalOf(ask('Hi', { system: marked(5) }))).toContain(
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    )
    expect(
      await refusalOf(
        ask('Hi', { system: [{ ...text('a', 9), cache_control: { type: 'ephemeral', ttl: '2h' as '1h' } }] }),
      ),
    ).toContain("system.0.cache_control.ephemeral.ttl: Input should be '5m' or '1h'")
  })

  test('is filled without an answer by a cap of 0', async () => {
    const message = await client.messages.create(
      ask('Hi', { max_tokens: 0, system: [text('warm ', 1_500, '1h')] }),
    )
    expect([message.content, message.usage.output_tokens]).toEqual([[], 0])
    expect(await use({ system: [text('warm ', 1_500, '1h')] })).toEqual([1, 0, 0, 1_500])
  })
})

describe('refusals', () => {
  const { max_tokens: _, ...noCap } = ask('x')
  test.each<[object, string]>([
    [noCap, '400 invalid_request_error max_tokens: Field required'],
    [
      { ...ask('x'), max_tokens: 64_001 },
      `max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for ${model}`,
    ],
    [{ ...ask('x'), model: 'gpt-5' }, '404 not_found_error model: gpt-5'],
    [
      { ...ask('x'), frequency_penalty: 1 },
      '400 invalid_request_error frequency_penalty: Extra inputs are not permitted',
    ],
    [{ ...ask('x'), context_management: {} }, 'context_management: Extra inputs are not permitted'],
    [{ ...ask('x'), messages: [] }, 'messages: at least one message is required'],
    [{ ...ask('x'), messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.role: '],
    [ask(''), 'messages.0: user messages must have non-empty content'],
    [ask(' '), 'messages: text content blocks must contain non-whitespace text'],
    [{ ...ask('x'), temperature: 1.5 }, 'temperature: range: 0..1'],
    [{ ...ask('x'), model: newer, temperature: 0.5 }, '`temperature` is deprecated for this model.'],
    [
      { ...ask('x'), tools: [{ ...weather, name: 'a b' }] },
      'tools.0.custom.name: String should match pattern',
    ],
    [{ ...ask('x'), tools: [weather, weather] }, 'tools: Tool names must be unique.'],
    [ask('x'.repeat(4_000_004)), 'prompt is too long: 1000001 tokens > 1000000 maximum'],
  ])('%#: as the API says it', async (asked, sentence) => {
    expect(await refusalOf(asked)).toContain(sentence)
  })

  test('the newest version has no sampling parameters', async () => {
    const headers = { 'anthropic-version': '2026-10-21' }
    const asked = { ...ask('x'), temperature: 1 }
    const refused = await client.messages.create(asked, { headers }).catch((error: unknown) => error)
    expect((refused as APIError).apiMessage).toBe('temperature: Extra inputs are not permitted')
  })

  test('a beginning of the answer is taken by older models only', async () => {
    const messages: Anthropic.MessageParam[] = [
      { role: 'user', content: 'Hi' },
      { role: 'user', content: 'there' },
      { role: 'assistant', content: 'The answer is' },
    ]
    await client.messages.create({ ...ask('x'), messages })
    expect(await refusalOf({ ...ask('x', { model: newer }), messages })).toContain('prefill')
  })

  test('key and version; a state of the key; a busy API', async () => {
    const send = async (headers: Record<string, string>) => {
      const reply = await fetch(`${sandbox.url}/anthropic/v1/messages`, {
        method: 'POST',
        headers,
        body: JSON.stringify(ask('x')),
      })
      const { error } = (await reply.json()) as { error: { type: string; message: string } }
      return [reply.status, error.type, error.message]
    }
    expect(await send({})).toEqual([401, 'authentication_error', 'x-api-key header is required'])
    expect(await send({ 'x-api-key': 'wrong' })).toEqual([401, 'authentication_error', 'invalid x-api-key'])
    expect(await send({ 'x-api-key': 'right' })).toEqual([
      400,
      'invalid_request_error',
      'anthropic-version: header is required',
    ])
    sandbox.setKey('right', 'exhausted')
    expect(await refusalOf(ask('x'))).toStartWith('400 invalid_request_error Your credit balance is too low')
    sandbox.setKey('right', 'busy')
    expect(await refusalOf(ask('x'))).toStartWith('429 rate_limit_error')
    sandbox.setKey('right', 'valid')
    expect(await refusalOf(ask('[[sandbox: error=529]]'))).toBe('529 overloaded_error Overloaded')
    expect(await refusalOf(ask('[[sandbox: error=500]]'))).toBe('500 api_error Internal server error')
  })

  test('models are listed by page', async () => {
    const ids: string[] = []
    for await (const { id } of client.models.list({ limit: 3 })) ids.push(id)
    expect(ids).toContain(model)
    expect(new Set(ids).size).toBe(ids.length)
    expect(await client.models.retrieve('claude-opus-4-8')).toMatchObject({
      line: 'opus',
      max_tokens: 128_000,
    })
  })
})
