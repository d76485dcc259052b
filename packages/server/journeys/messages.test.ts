// suite: 7 s
// Anthropic's official client against POST /v1/messages: text, streams, loops of tools with signatures, media, errors, counts, charges.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic, { APIError } from '@anthropic-ai/sdk'
import { sampleFiles } from './testing/sample-files.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

let fairgate: Fairgate
let client: Anthropic
let key: string
beforeAll(async () => {
  fairgate = await startFairgate()
  key = await fairgate.manage.team('team-a', { max_budget: 100 })
  client = connect(key)
})
afterAll(() => fairgate.stop())

const connect = (apiKey: string) => new Anthropic({ apiKey, baseURL: fairgate.gatewayUrl, maxRetries: 0 })
const model = 'mm-2.5-flash'
const user = (content: Anthropic.MessageParam['content']): Anthropic.MessageParam => ({
  role: 'user',
  content,
})
const ask = (content: string) => ({ model, max_tokens: 20, messages: [user(content)] })

const weather: Anthropic.Tool = {
  name: 'get_weather',
  description: 'The weather at a place',
  input_schema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}
const time: Anthropic.Tool = { name: 'get time!', input_schema: { type: 'object', properties: {} } }

/** Used instead of `rejects`, which blocks the thread and treats the client's promises as settled. */
const failureOf = async (call: PromiseLike<unknown>): Promise<APIError> => {
  try {
    await call
  } catch (error) {
    if (error instanceof APIError) return error
    throw error
  }
  throw new Error('The call succeeded.')
}

/** Sends any credential and body; `client` would add its own key. */
const post = (headers: Readonly<Record<string, string>>, body: unknown, path = '/v1/messages') =>
  fetch(`${fairgate.gatewayUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

describe('an answer', () => {
  test('whole: text, usage, cost and the id of the request', async () => {
    const { data, response } = await client.messages.create(ask('What is a gateway?')).withResponse()
    expect(data).toMatchObject({
      type: 'message',
      role: 'assistant',
      model,
      stop_reason: 'max_tokens',
      stop_sequence: null,
      usage: { input_tokens: 5, cache_read_input_tokens: 0, output_tokens: 20 },
    })
    expect(data.content).toEqual([{ type: 'text', text: expect.stringContaining('You said') } as never])
    // 5 × 0.30 + 20 × 2.50 dollars per million tokens.
    expect(response.headers.get('x-gateway-response-cost')).toBe('0.0000515')
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-gateway-call-id'))
  })

  test('streamed: the same text in chunks, with the input at the start and the cost at the end', async () => {
    const whole = await client.messages.create(ask('Tell me.'))
    const events: Anthropic.MessageStreamEvent[] = []
    const stream = await client.messages.create({ ...ask('Tell me.'), stream: true })
    for await (const event of stream) events.push(event)
    const [start, ...others] = events
    expect(start).toMatchObject({ type: 'message_start', message: { usage: { input_tokens: 2 } } })
    const text = others.flatMap(event =>
      event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? [event.delta.text] : [],
    )
    expect(text.length).toBeGreaterThan(1)
    expect(whole.content).toEqual([{ type: 'text', text: text.join('') } as never])
    expect(others.at(-2)).toMatchObject({
      type: 'message_delta',
      delta: { stop_reason: 'max_tokens' },
      usage: { input_tokens: 2, output_tokens: 20, cost: 0.0000506 },
    } as never)
    expect(others.at(-1)?.type).toBe('message_stop')
  })

  test('cached tokens are separate from the input, and reasoning is part of the output', async () => {
    const { usage } = await client.messages.create({
      ...ask('Think. [[sandbox: thinkingTokens=7; outputTokens=9; cachedTokens=4]]'),
      max_tokens: 100,
      thinking: { type: 'adaptive', display: 'omitted' },
    })
    expect(usage.cache_read_input_tokens).toBe(4)
    expect(usage).toMatchObject({ output_tokens: 16, output_tokens_details: { thinking_tokens: 7 } })
  })

  test('JSON with a schema', async () => {
    const schema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] }
    const { content } = await client.messages.create({
      ...ask('Name this.'),
      tools: [],
      output_config: { effort: 'high', format: { type: 'json_schema', schema } },
    })
    const [block] = content
    expect(block?.type === 'text' ? JSON.parse(block.text) : block).toEqual({ title: 'sandbox' })
  })

  test('filtered content is explained in the text and ends the turn', async () => {
    for (const trouble of ['blockPrompt=SAFETY', 'finishReason=SAFETY']) {
      const asked = ask(`[[sandbox: ${trouble}]]`)
      const messages = [
        await client.messages.create(asked),
        await client.messages.stream(asked).finalMessage(),
      ]
      for (const { content, stop_reason } of messages) {
        expect(stop_reason).toBe('end_turn')
        expect(content).toMatchObject([{ type: 'text', text: expect.stringContaining('filter') }])
      }
    }
  })

  test('the model’s own web search, as the only tool', async () => {
    const tools: Anthropic.ToolUnion[] = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }]
    const asked = { ...ask('Search: fairgate'), max_tokens: 200, tools }
    for (const { content } of [
      await client.messages.create(asked),
      await client.messages.stream(asked).finalMessage(),
    ]) {
      expect(content.map(({ type }) => type)).toEqual(['text', 'server_tool_use', 'web_search_tool_result'])
      expect(content[2]).toMatchObject({
        content: expect.arrayContaining([expect.objectContaining({ type: 'web_search_result' })]),
      })
    }
  })
})

type Turn = (asked: Anthropic.MessageCreateParamsNonStreaming) => Promise<Anthropic.Message>
const turns: readonly [string, Turn][] = [
  ['whole', asked => client.messages.create(asked)],
  ['streamed', asked => client.messages.stream(asked).finalMessage()],
]

describe.each(['mm-2.5-flash', 'mm-3-flash-preview'])('a loop of tools with %s', modelOfLoop => {
  // The sandbox refuses a call of the second model without its signature, and results that do not match the number of calls.
  test.each(turns)(
    '%s: parallel calls, results in another order, a failure, three steps',
    async (_, turn) => {
      const asked = {
        model: modelOfLoop,
        max_tokens: 1000,
        thinking: { type: 'adaptive' as const },
        system: [
          { type: 'text' as const, text: 'x-anthropic-billing-header: v=1;' },
          { type: 'text' as const, text: 'Be short.' },
        ],
        tools: [weather, time],
      }
      const history: Anthropic.MessageParam[] = [
        user('Weather? [[sandbox: toolCalls=2; thinkingTokens=5]]'),
        { role: 'system', content: 'Today is a Sunday.' },
      ]
      for (let step = 0; step < 3; step += 1) {
        const called = await turn({ ...asked, messages: history })
        const calls = called.content.filter(block => block.type === 'tool_use')
        expect(called.stop_reason).toBe('tool_use')
        expect(calls.map(({ name }) => name)).toEqual(['get_weather', 'get time!'])
        expect(calls.every(({ id }) => /^toolu_\w{1,40}$/.test(id))).toBe(true)
        expect(calls[0]?.input).toEqual({ city: 'sandbox' })
        const results = calls.map(({ id }, index) => ({
          type: 'tool_result' as const,
          tool_use_id: id,
          content: index === 0 ? [{ type: 'text' as const, text: 'Clear' }] : 'no clock',
          is_error: index === 1,
        }))
        history.push({ role: 'assistant', content: called.content }, user(results.toReversed()))
        const answer = await turn({ ...asked, messages: history })
        expect(answer.stop_reason).toBe('end_turn')
        const text = answer.content.map(block => (block.type === 'text' ? block.text : '')).join('')
        expect(text).toContain('get_weather returned')
        expect(text).toContain('no clock')
        history.push({ role: 'assistant', content: answer.content }, user('Again. [[sandbox: toolCalls=2]]'))
      }
    },
  )

  test('an image from a tool is read', async () => {
    const data = Buffer.from((await sampleFiles.image?.()?.bytes()) ?? []).toString('base64')
    const history = [user('Look.')]
    const called = await client.messages.create({
      model: modelOfLoop,
      max_tokens: 500,
      tools: [weather],
      messages: history,
    })
    const call = called.content.find(block => block.type === 'tool_use')
    const image = {
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: 'image/png' as const, data },
    }
    const messages = [
      ...history,
      { role: 'assistant' as const, content: called.content },
      user([{ type: 'tool_result', tool_use_id: call?.id ?? '', content: [image] }]),
    ]
    const { usage } = await client.messages.create({
      model: modelOfLoop,
      max_tokens: 500,
      tools: [weather],
      messages,
    })
    // An image is 258 tokens or more; all else here is fewer than 200.
    expect(usage.input_tokens).toBeGreaterThan(258)
  })

  test('one call at a time if the client asks for it', async () => {
    const { content } = await client.messages.create({
      model: modelOfLoop,
      max_tokens: 500,
      tools: [weather, time],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      messages: [user('Weather? [[sandbox: toolCalls=2]]')],
    })
    expect(content.filter(({ type }) => type === 'tool_use')).toHaveLength(1)
  })
})

describe('tokens are counted', () => {
  const counted = {
    model,
    system: 'Be short.',
    messages: [user('What is a gateway?')],
    tools: [weather],
  }

  test('free of charge, as the answer will be charged', async () => {
    const before = await readCharges(fairgate.place, 'team-a')
    const { input_tokens } = await client.messages.countTokens(counted)
    expect(await readCharges(fairgate.place, 'team-a')).toHaveLength(before.length)
    const { usage } = await client.messages.create({ ...counted, max_tokens: 200 })
    expect(input_tokens).toBe(usage.input_tokens)
  })

  test('outside the windows: a team without requests left can still count', async () => {
    const narrow = connect(await fairgate.manage.team('narrow', { rpm_limit: 1 }))
    await narrow.messages.create(ask('One.'))
    for (let times = 0; times < 5; times += 1) {
      expect((await narrow.messages.countTokens(counted)).input_tokens).toBeGreaterThan(0)
    }
  })
})

describe('the models of a key', () => {
  test('in Anthropic’s format and pages, with the key in its header', async () => {
    const all: Anthropic.ModelInfo[] = []
    for await (const found of client.models.list({ limit: 3 })) all.push(found)
    const ids = all.map(({ id }) => id)
    expect(ids).toContain(model)
    expect(ids).not.toContain('imggen-4')
    expect(new Set(ids).size).toBe(ids.length)
    const page = await client.models.list({ limit: 1000 })
    expect(page).toMatchObject({ has_more: false, first_id: ids[0] ?? '', last_id: ids.at(-1) ?? '' })
    expect(page.data).toEqual(all)
    const before = await client.models.list({ limit: 2, before_id: ids[4] ?? '' })
    expect(before.data.map(({ id }) => id)).toEqual(ids.slice(2, 4))
    expect(await client.models.retrieve(model)).toMatchObject({
      type: 'model',
      id: model,
      display_name: model,
      max_input_tokens: 1_048_576,
    })
  })

  test('an unknown page and an unknown model are refused', async () => {
    // One after the other, because a refusal without a handler yet would count as unhandled.
    const refusals: readonly [() => PromiseLike<unknown>, number][] = [
      [() => client.models.list({ limit: 0 }), 400],
      [() => client.models.list({ after_id: 'nope' }), 400],
      [() => client.models.retrieve('nope'), 404],
      [() => connect('sk-wrong').models.list(), 401],
    ]
    for (const [call, status] of refusals) expect((await failureOf(call())).status).toBe(status)
  })

  test('in OpenAI’s format without the header `anthropic-version`', async () => {
    const response = await fetch(`${fairgate.gatewayUrl}/v1/models`, { headers: { 'x-api-key': key } })
    expect(await response.json()).toMatchObject({ object: 'list' })
  })
})

describe('every call is charged exactly', () => {
  test('whole, streamed, with calls and with reasoning: the reported costs add up to the stored charges', async () => {
    const paying = connect(await fairgate.manage.team('paying', { max_budget: 1 }))
    fairgate.sandbox.resetCounters()
    const asked = [
      ask('One.'),
      { ...ask('Two. [[sandbox: toolCalls=2; cachedTokens=3]]'), max_tokens: 300, tools: [weather] },
      { ...ask('[[sandbox: thinkingTokens=9]]'), max_tokens: 300, thinking: { type: 'adaptive' as const } },
    ]
    const reported: number[] = []
    for (const each of asked) {
      const { response } = await paying.messages.create(each).withResponse()
      reported.push(Number(response.headers.get('x-gateway-response-cost')))
      for await (const event of await paying.messages.create({ ...each, stream: true }))
        if (event.type === 'message_delta') reported.push(Number(Object(event.usage).cost))
    }
    const charges = await readCharges(fairgate.place, 'paying')
    expect(charges.map(({ endpoint, outcome, flag }) => [endpoint, outcome, flag])).toEqual(
      reported.map(() => ['messages', 'completed', null]),
    )
    expect(charges.map(({ cost_nano }) => cost_nano)).toEqual(reported.map(usd => Math.round(usd * 1e9)))
    const [billed] = Object.values(fairgate.sandbox.counters().billed)
    const { promptTokens = 0, cachedTokens = 0, candidatesTokens = 0, thoughtsTokens = 0 } = billed ?? {}
    const bill = (promptTokens - cachedTokens) * 300 + cachedTokens * 30
    const nano = bill + (candidatesTokens + thoughtsTokens) * 2500
    expect(charges.reduce((sum, { cost_nano }) => sum + cost_nano, 0)).toBe(nano)
  })

  test('an Idempotency-Key returns the same answer again and is charged once', async () => {
    const own = await fairgate.manage.team('repeating', { max_budget: 1 })
    const headers = { 'x-api-key': own, 'idempotency-key': 'same' }
    for (const body of [ask('Once.'), { ...ask('Once.'), stream: true }]) {
      const named = { ...headers, 'idempotency-key': `same ${JSON.stringify(body).length}` }
      const first = await (await post(named, body)).text()
      const again = await post(named, body)
      expect(await again.text()).toBe(first)
      expect(again.headers.get('idempotent-replayed')).toBe('true')
    }
    expect(await readCharges(fairgate.place, 'repeating')).toHaveLength(2)
  })
})

describe('refusals in the format that clients read', () => {
  const expectShape = async (response: Response) => {
    const body = (await response.json()) as { error: { code: string; param: string | null } }
    expect(body).toEqual({
      type: 'error',
      error: {
        type: expect.any(String),
        message: expect.any(String),
        code: expect.any(String),
        param: body.error.param,
      },
      request_id: response.headers.get('request-id'),
    } as never)
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-gateway-call-id'))
    return body.error
  }

  test('a key in either header is accepted; two different ones, a wrong one and none get an error without retries', async () => {
    const bearer = { authorization: `Bearer ${key}` }
    for (const good of [bearer, { 'x-api-key': key }, { ...bearer, 'x-api-key': key }])
      expect((await post(good, ask('Hi'), '/v1/messages?beta=true')).status).toBe(200)
    const { token } = await fairgate.manage.token('team-a')
    const wrong = [
      {},
      { authorization: key },
      { 'x-api-key': 'sk-wrong' },
      { 'x-api-key': token },
      { ...bearer, 'x-api-key': 'sk-wrong' },
    ]
    for (const headers of wrong) {
      const response = await post(headers, ask('Hi'))
      expect([response.status, response.headers.get('x-should-retry')]).toEqual([401, 'false'])
      expect(await expectShape(response)).toMatchObject({ type: 'authentication_error' })
    }
  })

  test('the client’s errors contain our messages', async () => {
    const failures: readonly [object, number, string, string][] = [
      [{ model: 'nope' }, 404, 'not_found_error', 'does not exist'],
      [{ model: 'imggen-4' }, 400, 'invalid_request_error', '/images/generations'],
      [{ max_tokens: 0 }, 400, 'invalid_request_error', 'max_tokens'],
      [{ messages: [] }, 400, 'invalid_request_error', 'messages must not be empty'],
      [{ messages: [user('[[sandbox: error=503]]')] }, 503, 'overloaded_error', 'overloaded'],
      [{ messages: [user('[[sandbox: error=500]]')] }, 502, 'api_error', 'failed'],
      [{ messages: [user('[[sandbox: error=400]]')] }, 400, 'invalid_request_error', 'refused the request'],
    ]
    for (const [changes, status, type, text] of failures) {
      const failure = await failureOf(client.messages.create({ ...ask('Hi'), ...changes }))
      expect(failure.status).toBe(status)
      expect(failure.type).toBe(type as never)
      expect(failure.message).toContain(text)
      expect(failure.requestID).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  test('a model that the key cannot call: 403', async () => {
    const own = connect(await fairgate.manage.key('team-a', { models: ['mm-2.5-pro'] }))
    expect(await failureOf(own.messages.create(ask('Hi')))).toMatchObject({
      status: 403,
      type: 'permission_error',
    })
  })

  test('paths, methods, bodies', async () => {
    const own = { 'x-api-key': key }
    const put = await fetch(`${fairgate.gatewayUrl}/v1/messages`, { method: 'GET', headers: own })
    const refused: readonly [Response, number, string][] = [
      [await post(own, {}, '/v1/messages/batches'), 404, 'not_found'],
      [await post(own, {}, '/messages/batches'), 404, 'not_found'],
      [put, 405, 'method_not_allowed'],
      [await post(own, '{"model":'), 400, 'invalid_json'],
      [await post({ ...own, 'content-type': 'text/plain' }, ask('Hi')), 415, 'unsupported_media_type'],
      [await post(own, ' '.repeat(60_000_000)), 413, 'payload_too_large'],
    ]
    for (const [response, status, code] of refused) {
      expect(response.status).toBe(status)
      expect(await expectShape(response)).toMatchObject({ code })
    }
  })

  test('a team without budget gets one sentence, and its client asks once', async () => {
    const poor = await fairgate.manage.team('poor', { max_budget: 0 })
    const response = await post({ 'x-api-key': poor }, ask('Hi'))
    expect(response.status).toBe(429)
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(response.headers.get('retry-after')).toBeNull()
    expect(await expectShape(response)).toMatchObject({
      type: 'rate_limit_error',
      code: 'budget_exceeded',
      message: expect.stringMatching(/^Budget has been exceeded! The budget of the team is 0 USD/),
    })
    let asked = 0
    const patient = new Anthropic({
      apiKey: poor,
      baseURL: fairgate.gatewayUrl,
      maxRetries: 5,
      fetch: (...given) => {
        asked += 1
        return fetch(...given)
      },
    })
    const failure = await failureOf(patient.messages.create(ask('Hi')))
    expect(failure.message).toContain('Budget has been exceeded!')
    expect(asked).toBe(1)
  })

  test('a team that calls too often gets a time to wait, no longer than agents wait', async () => {
    const own = await fairgate.manage.team('often', { rpm_limit: 1 })
    await post({ 'x-api-key': own }, ask('Hi'))
    const response = await post({ 'x-api-key': own }, ask('Hi'))
    expect(response.status).toBe(429)
    const wait = Number(response.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(20)
    expect(await expectShape(response)).toMatchObject({ type: 'rate_limit_error', code: 'rpm_exceeded' })
  })

  test('a broken stream ends with an error event, and its usage is charged', async () => {
    for (const trouble of ['errorInStream', 'cutStream', 'endEarly']) {
      const own = await fairgate.manage.team(trouble, { max_budget: 1 })
      const broken = connect(own).messages.stream({
        ...ask(`[[sandbox: chunks=4; chunkDelayMs=20; outputTokens=40; ${trouble}=2]]`),
        max_tokens: 100,
      })
      expect((await failureOf(broken.finalMessage())).message).toContain('"type":"error"')
      const [charge] = await readCharges(fairgate.place, trouble)
      expect(charge).toMatchObject({ endpoint: 'messages', outcome: 'failed' })
      expect(charge?.cost_nano).toBeGreaterThan(0)
    }
  })
})
