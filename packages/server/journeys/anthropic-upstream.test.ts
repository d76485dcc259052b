// suite: 6 s
// Models of Anthropic's API: relayed Messages with the official client, translated chat, exact charges of cache writes, fallbacks, refusals.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import Anthropic, { APIError } from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { adminKey, type Fairgate, startFairgate, upstreamKey } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

const claudeKey = 'key-of-the-claude-upstream'
const price = '{ input: 3, cached_input: 0.3, output: 15, reasoning: 15'
const claude = (
  name: string,
  upstreamId: string,
  more: string,
  writes = ', cache_write_5m: 3.75, cache_write_1h: 6',
) => `
  ${name}:
    upstream: claude
    upstream_id: ${upstreamId}
    context_limit: 200000
    max_output: 64000
    typical_output: 100
    ${more}
    price: ${price}${writes} }`
const models = `models:
  from-vendor:
    upstream_id: gemini-2.5-flash
    context_limit: 100000
    max_output: 8192
    price: { input: 1, cached_input: 1, output: 2, reasoning: 2 }
    fallbacks: [sonnet]
${claude('sonnet', 'claude-sonnet-4-5-20250929', 'reasoning: budget')}
${claude('opus', 'claude-opus-5-5', 'reasoning: level\n    fallbacks: [from-vendor]')}
${claude('no-cache', 'claude-haiku-4-5-20251001', '', '')}
`

let fairgate: Fairgate
let key: string
let client: Anthropic
let chat: OpenAI
beforeAll(async () => {
  fairgate = await startFairgate({
    models,
    settings: ({ url }) => `
upstream: { max_retries: 0 }
upstreams:
  claude: { kind: anthropic, base_url: '${url}/anthropic', api_key_env: CLAUDE_KEY }`,
    variables: { CLAUDE_KEY: claudeKey },
  })
  key = await fairgate.manage.team('claude', { max_budget: 100 })
  client = new Anthropic({ apiKey: key, baseURL: fairgate.gatewayUrl, maxRetries: 0 })
  chat = new OpenAI({ apiKey: key, baseURL: `${fairgate.gatewayUrl}/v1`, maxRetries: 0 })
})
afterAll(() => fairgate.stop())
beforeEach(() => {
  fairgate.sandbox.setKey(claudeKey, 'valid')
  fairgate.sandbox.setKey(upstreamKey, 'valid')
  fairgate.sandbox.resetCounters()
})

const user = (content: Anthropic.MessageParam['content']): Anthropic.MessageParam => ({
  role: 'user',
  content,
})
const lastCharge = async () => (await readCharges(fairgate.place, 'claude')).at(-1)
const costOf = (response: Response) =>
  Math.round(Number(response.headers.get('x-gateway-response-cost')) * 1e9)

/** By the sandbox's own bill. Streams are billed after their last event. */
async function billOf(upstreamId: string): Promise<number> {
  while (fairgate.sandbox.counters().running > 0) await Bun.sleep(5)
  const billed = fairgate.sandbox.counters().billed[upstreamId]
  if (billed === undefined) throw new Error(`${upstreamId} was not billed.`)
  const { promptTokens, cachedTokens, candidatesTokens, thoughtsTokens } = billed
  const { cacheWrite5mTokens: short = 0, cacheWrite1hTokens: long = 0 } = billed
  const fresh = promptTokens - cachedTokens - short - long
  return (
    fresh * 3000 +
    cachedTokens * 300 +
    short * 3750 +
    long * 6000 +
    (candidatesTokens + thoughtsTokens) * 15_000
  )
}

const failureOf = async (call: PromiseLike<unknown>): Promise<APIError> => {
  try {
    await call
  } catch (error) {
    if (error instanceof APIError) return error
    throw error
  }
  throw new Error('The call succeeded.')
}

describe('relayed', () => {
  const longText = 'A long instruction for every call. '.repeat(900)
  const ask = (ttl: '5m' | '1h', text: string) => ({
    model: 'sonnet',
    max_tokens: 50,
    system: [
      {
        type: 'text' as const,
        text: `${ttl} ${longText}`,
        cache_control: { type: 'ephemeral' as const, ttl },
      },
    ],
    messages: [user(text)],
  })

  test.each(['5m', '1h'] as const)(
    'a prompt cached for %s: written, then read, each at its price',
    async ttl => {
      const { data, response } = await client.messages.create(ask(ttl, 'First')).withResponse()
      const member = ttl === '5m' ? 'ephemeral_5m_input_tokens' : 'ephemeral_1h_input_tokens'
      expect(data.usage.cache_creation?.[member]).toBeGreaterThan(1000)
      expect(data.model).toBe('sonnet')
      expect(costOf(response)).toBe(await billOf('claude-sonnet-4-5-20250929'))
      const unit = ttl === '5m' ? 'cacheWrite5m' : 'cacheWrite1h'
      expect(await lastCharge()).toMatchObject({ cost_nano: costOf(response), flag: null })
      expect(JSON.stringify(await lastCharge())).toContain(unit)
      fairgate.sandbox.resetCounters()
      const second = await client.messages.create(ask(ttl, 'Second')).withResponse()
      expect(second.data.usage.cache_read_input_tokens).toBeGreaterThan(1000)
      expect(costOf(second.response)).toBe(await billOf('claude-sonnet-4-5-20250929'))
    },
  )

  test('a stream with thoughts, whose signature comes back untouched', async () => {
    const said = {
      model: 'opus',
      max_tokens: 2000,
      thinking: { type: 'adaptive' as const },
      tools: [{ name: 'add', input_schema: { type: 'object' as const } }],
    }
    const first = user('Add [[sandbox: thinkingTokens=9; toolCalls=1]]')
    const message = await client.messages.stream({ ...said, messages: [first] }).finalMessage()
    expect(message).toMatchObject({ model: 'opus', stop_reason: 'tool_use' })
    expect(message.content.map(({ type }) => type)).toEqual(['thinking', 'tool_use'])
    expect(await lastCharge()).toMatchObject({
      model_id: 'opus',
      cost_nano: await billOf('claude-opus-5-5'),
      flag: null,
    })
    const call = message.content.find(block => block.type === 'tool_use')
    const result = user([{ type: 'tool_result', tool_use_id: call?.id ?? '', content: '3' }])
    const messages = [first, { role: 'assistant' as const, content: message.content }, result]
    expect((await client.messages.create({ ...said, messages })).stop_reason).toBe('end_turn')
  })

  test('counts are those of the API, and cost nothing', async () => {
    const before = (await readCharges(fairgate.place, 'claude')).length
    const { input_tokens: counted } = await client.messages.countTokens({
      model: 'sonnet',
      messages: [user('Hello you')],
    })
    const { usage } = await client.messages.create({
      model: 'sonnet',
      max_tokens: 9,
      messages: [user('Hello you')],
    })
    expect(counted).toBe(usage.input_tokens)
    expect((await readCharges(fairgate.place, 'claude')).length).toBe(before + 1)
  })

  test('a client that leaves is charged for the input and for what has come', async () => {
    const stream = client.messages.stream({
      model: 'sonnet',
      max_tokens: 4000,
      messages: [user('[[sandbox: outputTokens=2000; chunks=200; chunkDelayMs=10]]')],
    })
    await new Promise<void>(resolve => stream.once('text', () => resolve()))
    stream.abort()
    await stream.done().catch(() => undefined)
    while (((await lastCharge()) as { outcome?: string } | undefined)?.outcome !== 'client_closed')
      await Bun.sleep(10)
    expect(await lastCharge()).toMatchObject({ flag: 'estimated' })
  })

  test.each([false, true])(
    'repeated with the same Idempotency-Key: one call, the same bytes (stream: %p)',
    async stream => {
      const headers = {
        'x-api-key': key,
        'content-type': 'application/json',
        'idempotency-key': `again-${stream}`,
      }
      const body = JSON.stringify({ model: 'sonnet', max_tokens: 20, stream, messages: [user('Once')] })
      const send = () => fetch(`${fairgate.gatewayUrl}/v1/messages`, { method: 'POST', headers, body })
      const first = await (await send()).text()
      const second = await send()
      expect(await second.text()).toBe(first)
      expect(second.headers.get('idempotent-replayed')).toBe('true')
      expect(fairgate.sandbox.counters().calls).toBe(1)
    },
  )

  test('an error in mid-stream ends the stream with it, and what has come is charged', async () => {
    const asked = {
      model: 'sonnet',
      max_tokens: 500,
      messages: [user('[[sandbox: errorInStream=3; outputTokens=200; chunks=20]]')],
    }
    const failure = await failureOf(client.messages.stream(asked).finalMessage())
    expect(failure.error).toMatchObject({ type: 'error', error: { type: expect.any(String) } })
    expect(await lastCharge()).toMatchObject({ outcome: 'failed', flag: 'estimated' })
  })

  test('a dry run plans the relayed call and asks nothing', async () => {
    const { response } = await client.messages
      .create(ask('1h', 'Dry'), { headers: { 'x-gateway-dry-run': '1' } })
      .withResponse()
    expect(response.status).toBe(200)
    expect(fairgate.sandbox.counters().calls).toBe(0)
  })

  test('refusals: a model without prices for caching, a search', async () => {
    const cached = { type: 'text' as const, text: 'x', cache_control: { type: 'ephemeral' as const } }
    const unpriced = await failureOf(
      client.messages.create({ model: 'no-cache', max_tokens: 9, messages: [user([cached])] }),
    )
    expect(unpriced.status).toBe(400)
    expect(unpriced.error).toMatchObject({
      error: { type: 'invalid_request_error', param: 'messages[0].content[0].cache_control' },
    })
    const tools = [{ type: 'web_search_20250305' as const, name: 'web_search' as const }]
    expect((await failureOf(client.messages.create({ ...ask('5m', 'x'), tools }))).status).toBe(400)
    expect(fairgate.sandbox.counters().calls).toBe(0)
  })

  test('cache writes that a model has no price for are charged at the hold and flagged', async () => {
    const upstream = Bun.serve({
      port: 0,
      fetch: () =>
        Response.json({
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          model: 'x',
          content: [{ type: 'text', text: 'Hi' }],
          stop_reason: 'end_turn',
          usage: { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 5 },
        }),
    })
    const other = await startFairgate({
      models: models.replaceAll('upstream: claude', 'upstream: fake'),
      settings: () => `upstreams: { fake: { kind: anthropic, base_url: '${upstream.url.origin}' } }`,
    })
    try {
      const own = await other.manage.team('claude', { max_budget: 100 })
      const impatient = new Anthropic({ apiKey: own, baseURL: other.gatewayUrl, maxRetries: 0 })
      await impatient.messages.create({ model: 'no-cache', max_tokens: 9, messages: [user('Hi')] })
      const [charge] = await readCharges(other.place, 'claude')
      expect(charge).toMatchObject({ flag: 'unit_unpriced' })
      expect(charge?.cost_nano).toBeGreaterThan(1_000_000)
    } finally {
      await other.stop()
      upstream.stop(true)
    }
  })
})

describe('translated', () => {
  const add = { type: 'function', function: { name: 'math.add', parameters: { type: 'object' } } } as const

  test('chat: tools and thoughts round a loop of a plain client', async () => {
    const first = { role: 'user' as const, content: 'Add [[sandbox: thinkingTokens=9; toolCalls=1]]' }
    const asked = { model: 'sonnet', max_tokens: 8000, reasoning_effort: 'low' as const, tools: [add] }
    const { data, response } = await chat.chat.completions
      .create({ ...asked, messages: [first] })
      .withResponse()
    expect(costOf(response)).toBe(await billOf('claude-sonnet-4-5-20250929'))
    const message = data.choices[0]?.message
    const call = message?.tool_calls?.[0]
    expect(call).toMatchObject({ type: 'function', function: { name: 'math.add' } })
    const messages = [
      first,
      { role: 'assistant' as const, content: null, tool_calls: message?.tool_calls ?? [] },
      { role: 'tool' as const, tool_call_id: call?.id ?? '', content: '3' },
    ]
    const second = await chat.chat.completions.create({ ...asked, messages })
    expect(second.choices[0]).toMatchObject({ finish_reason: 'stop' })
  })

  test('chat: JSON by a schema, and a stream whose cost is the bill', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } }
    const whole = await chat.chat.completions.create({
      model: 'opus',
      messages: [{ role: 'user', content: 'n?' }],
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
    })
    expect(JSON.parse(whole.choices[0]?.message.content ?? '')).toBeObject()
    fairgate.sandbox.resetCounters()
    const stream = await chat.chat.completions.create({
      model: 'opus',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      stream_options: { include_usage: true },
    })
    let cost = 0
    for await (const { usage } of stream)
      cost = Math.round(((usage as { cost?: number } | undefined)?.cost ?? 0) * 1e9)
    expect(cost).toBe(await billOf('claude-opus-5-5'))
  })

  test('Responses', async () => {
    const answer = await chat.responses.create({ model: 'opus', input: 'Hello' })
    expect(answer.output_text).toStartWith('You said')
    expect(await lastCharge()).toMatchObject({ model_id: 'opus', cost_nano: await billOf('claude-opus-5-5') })
  })
})

test('the readiness check tries a key of this kind too', async () => {
  const { status } = await fetch(`${fairgate.adminUrl}/readiness/upstreams/check`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ calls: true }),
  })
  expect(status).toBe(200)
  const called = Object.keys(fairgate.sandbox.counters().billed)
  expect(called.filter(id => id.startsWith('claude-'))).toHaveLength(1)
})

describe('fallbacks', () => {
  test.each([false, true])(
    'of another kind get a relayed request translated (stream: %p)',
    async isStream => {
      fairgate.sandbox.setKey(claudeKey, 'revoked')
      const asked = { model: 'opus', max_tokens: 100, messages: [user('Hello')] }
      const message = isStream
        ? await client.messages.stream(asked).finalMessage()
        : await client.messages.create(asked)
      expect(message).toMatchObject({ model: 'opus', stop_reason: 'end_turn' })
      expect(await lastCharge()).toMatchObject({ model_id: 'from-vendor', flag: null })
    },
  )

  test('a model of another kind falls back to one of Anthropic', async () => {
    fairgate.sandbox.setKey(upstreamKey, 'revoked')
    const message = await client.messages.create({
      model: 'from-vendor',
      max_tokens: 100,
      messages: [user('Hello')],
    })
    expect(message.content[0]).toMatchObject({ type: 'text' })
    expect(await lastCharge()).toMatchObject({
      model_id: 'sonnet',
      cost_nano: await billOf('claude-sonnet-4-5-20250929'),
    })
  })
})
