// A participant's first hour with OpenAI's Responses, by the official client: text, streams, tool loops, structured output, images, and
// what each call costs.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI, { BadRequestError, NotFoundError, PermissionDeniedError, RateLimitError } from 'openai'
import { connectRaw, statusesIn, writeHead } from './testing/raw-connection.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'
import { pixelUrl } from './wire/groups/samples.ts'

let fairgate: Fairgate
let client: OpenAI
const model = 'mm-2.5-flash'
/** Its models reason by levels, and refuse calls of the current turn without their signatures. */
const levelModel = 'mm-3-flash-preview'

const pdfUrl = `data:application/pdf;base64,${Buffer.from('%PDF-1.4').toString('base64')}`

const connect = (apiKey: string, headers: Record<string, string> = {}) =>
  new OpenAI({ apiKey, baseURL: `${fairgate.gatewayUrl}/v1`, maxRetries: 0, defaultHeaders: headers })

beforeAll(async () => {
  fairgate = await startFairgate()
  client = connect(await fairgate.manage.team('team-a', { max_budget: 5 }))
})
afterAll(() => fairgate.stop())

/** Used instead of `rejects`, which blocks the thread and treats the client's promises as settled. */
const failureOf = async (call: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await call
  } catch (error) {
    return error
  }
  throw new Error('The call succeeded.')
}

/** As a client that keeps a conversation does. */
const sendBack = (output: readonly OpenAI.Responses.ResponseOutputItem[]) =>
  JSON.parse(JSON.stringify(output)) as OpenAI.Responses.ResponseInputItem[]

const weather: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
}

describe('a turn', () => {
  test('answers with text, usage and cost', async () => {
    const { data, response } = await client.responses
      .create({ model, input: 'What is a gateway?', max_output_tokens: 20 })
      .withResponse()
    expect(data.output_text).toStartWith('You said "What is a gateway?"')
    expect(data.status).toBe('incomplete')
    expect(data.incomplete_details).toEqual({ reason: 'max_output_tokens' })
    expect(data.usage).toMatchObject({ input_tokens: 5, output_tokens: 20, total_tokens: 25 })
    // 5 × 0.30 + 20 × 2.50 dollars per million tokens.
    expect(response.headers.get('x-gateway-response-cost')).toBe('0.0000515')
  })

  test('streams typed events with rising numbers; the last one has usage and cost', async () => {
    const events: OpenAI.Responses.ResponseStreamEvent[] = []
    const stream = await client.responses.create({
      model,
      input: 'Hello [[sandbox: chunks=3; thinkingTokens=9]]',
      reasoning: { effort: 'low', summary: 'auto' },
      stream: true,
    })
    for await (const event of stream) events.push(event)
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
    expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ])
    const last = events.at(-1)
    if (last?.type !== 'response.completed') throw new Error('The stream has no last event.')
    const { output, usage } = last.response
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
    expect(usage).toMatchObject({ output_tokens_details: { reasoning_tokens: 9 }, cost: expect.any(Number) })
  })

  test('continues earlier items, with instructions and settings', async () => {
    const { output_text, usage } = await client.responses.create({
      model,
      instructions: 'Be brief.',
      input: [
        { role: 'developer', content: 'Be kind.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hello!' },
        { role: 'user', content: [{ type: 'input_text', text: 'Again. [[sandbox: cachedTokens=4]]' }] },
      ],
      temperature: 0.5,
      top_p: 0.9,
      metadata: { run: '7' },
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'a',
      truncation: 'auto',
    })
    expect(output_text).toContain('Again.')
    expect(usage?.input_tokens_details.cached_tokens).toBe(4)
  })

  test('is incomplete with a reason if the model refuses', async () => {
    const { status, incomplete_details, output } = await client.responses.create({
      model,
      input: '[[sandbox: finishReason=SAFETY]]',
    })
    expect([status, incomplete_details, output]).toEqual(['incomplete', { reason: 'content_filter' }, []])
  })

  test('returns structured output', async () => {
    const { output_parsed } = await client.responses.parse({
      model,
      input: 'Where?',
      text: {
        format: {
          type: 'json_schema',
          name: 'place',
          schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        },
      },
    })
    expect(Object.keys(output_parsed ?? {})).toEqual(['city'])
  })

  test('takes images and PDF files', async () => {
    const { usage } = await client.responses.create({
      model,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', image_url: pixelUrl, detail: 'low' },
            { type: 'input_file', filename: 'a.pdf', file_data: pdfUrl },
          ],
        },
      ],
    })
    expect(usage?.input_tokens).toBeGreaterThan(500)
  })
})

describe('a loop of two turns with parallel calls', () => {
  const run = async (
    name: string,
    ask: (
      body: Pick<OpenAI.Responses.ResponseCreateParams, 'model' | 'input' | 'tools'>,
    ) => Promise<OpenAI.Responses.Response>,
  ) => {
    const input: OpenAI.Responses.ResponseInputItem[] = [
      { role: 'user', content: 'Weather? [[sandbox: toolCalls=2]]' },
    ]
    const first = await ask({ model: name, input, tools: [weather] })
    const calls = first.output.filter(item => item.type === 'function_call')
    expect(calls.map(item => [item.name, item.arguments])).toEqual([
      ['weather', '{"city":"sandbox"}'],
      ['weather', '{"city":"sandbox"}'],
    ])
    expect(calls.every(({ call_id }) => /^call_[0-9a-z]{24}$/.test(call_id))).toBe(true)
    input.push(...sendBack(first.output))
    // Results come in another order than the calls.
    for (const { call_id } of calls.reverse())
      input.push({ type: 'function_call_output', call_id, output: '{"sky":"clear"}' })
    const second = await ask({ model: name, input, tools: [weather] })
    expect(second.output_text).toStartWith('weather returned {"sky":"clear"}.')
    return first.output.map(({ type }) => type)
  }
  const whole = (body: OpenAI.Responses.ResponseCreateParams) =>
    client.responses.create({ ...body, store: false, stream: false })
  const streamed = (body: Pick<OpenAI.Responses.ResponseCreateParams, 'model' | 'input' | 'tools'>) =>
    client.responses.stream({ ...body, store: false }).finalResponse()

  test.each([
    ['whole', whole],
    ['streamed', streamed],
  ])('%s', async (_, ask) => {
    expect(await run(model, ask)).toEqual(['function_call', 'function_call'])
    // The model's state comes before the call that it belongs to.
    expect(await run(levelModel, ask)).toEqual(['reasoning', 'function_call', 'function_call'])
  })
})

test('a custom tool is called with raw text, and its result is returned', async () => {
  const patch: OpenAI.Responses.CustomTool = {
    type: 'custom',
    name: 'apply_patch',
    format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
  }
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'Patch it.' }]
  const first = await client.responses.create({ model: levelModel, input, tools: [patch] })
  const call = first.output.find(item => item.type === 'custom_tool_call')
  expect([call?.name, call?.input.split('\n')[0]]).toEqual(['apply_patch', '*** Begin Patch'])
  input.push(...sendBack(first.output), {
    type: 'custom_tool_call_output',
    call_id: call?.call_id ?? '',
    output: [
      { type: 'input_text', text: 'Done.' },
      { type: 'input_image', image_url: pixelUrl, detail: 'auto' },
    ],
  })
  const second = await client.responses.create({ model: levelModel, input, tools: [patch] })
  expect(second.status).toBe('completed')
})

describe('errors', () => {
  const ask = (changes: object, asked = client) =>
    failureOf(asked.responses.create({ model, input: 'Hello', ...changes }))

  test.each<[string, object, string]>([
    ['a conversation', { conversation: 'conv_1' }, 'conversation'],
    ['a stored prompt', { prompt: { id: 'pmpt_1' } }, 'prompt'],
    ['background work', { background: true }, 'background'],
    ['a built-in tool', { tools: [weather, { type: 'code_interpreter', container: {} }] }, 'tools[1]'],
    [
      'an unknown tool choice',
      { tools: [weather], tool_choice: { type: 'function', name: 'x' } },
      'tool_choice.name',
    ],
    ['no input', { input: undefined }, 'input'],
  ])('%s is refused, and named', async (_, changes, param) => {
    const failure = await ask(changes)
    expect(failure).toBeInstanceOf(BadRequestError)
    expect(failure).toMatchObject({ status: 400, param, code: 'invalid_request' })
  })

  test('an unknown model, or one that is not allowed', async () => {
    expect(await ask({ model: 'nothing' })).toBeInstanceOf(NotFoundError)
    const narrow = connect(await fairgate.manage.key('team-a', { models: ['mm-2.5-pro'] }))
    expect(await ask({}, narrow)).toBeInstanceOf(PermissionDeniedError)
  })

  test('a spent budget: 429 for a client; for Codex one sentence without retries', async () => {
    const key = await fairgate.manage.team('team-poor', { max_budget: 0.000001 })
    const refused = await ask({}, connect(key))
    if (!(refused instanceof RateLimitError)) throw new Error('The call was not refused.')
    expect(refused.code).toBe('budget_exceeded')
    expect(refused.headers.get('x-should-retry')).toBe('false')
    const codex = await ask({}, connect(key, { originator: 'codex_exec' }))
    expect(codex).toMatchObject({
      status: 400,
      code: 'budget_exceeded',
      message: expect.stringContaining('Budget has been exceeded!'),
    })
  })

  test('a broken answer ends with response.failed', async () => {
    const types: string[] = []
    const stream = await client.responses.create({
      model,
      input: 'Hello [[sandbox: errorInStream=2; chunks=4]]',
      stream: true,
    })
    let last: OpenAI.Responses.ResponseStreamEvent | null = null
    for await (const event of stream) {
      types.push(event.type)
      last = event
    }
    expect(types.at(-1)).toBe('response.failed')
    expect(last).toMatchObject({ response: { status: 'failed', error: { code: 'server_error' } } })
  })
})

describe('other requests of clients', () => {
  test('a websocket is refused with the status that makes Codex fall back at once', async () => {
    const secret = await fairgate.manage.key('team-a')
    const connection = connectRaw(fairgate.gatewayUrl)
    const head = { method: 'GET', path: '/v1/responses', secret }
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
    connection.socket.write(writeHead(head, ...upgrade, 'Sec-WebSocket-Key: ZaXfUNRfxTywLWUzaPgwzQ=='))
    expect(statusesIn(await connection.until('\r\n\r\n'))).toEqual([426])
    connection.socket.destroy()
  })
})

test('compaction: one item that replaces the earlier ones in the next request', async () => {
  const input = [
    { role: 'user' as const, content: 'Remember the word blue.' },
    { type: 'compaction_trigger' as const },
  ]
  const first = await client.responses.create({ model, input, tools: [weather] })
  expect(first.output.map(({ type }) => type)).toEqual(['compaction'])
  const second = await client.responses.create({
    model,
    input: [...sendBack(first.output), { role: 'user', content: 'Which word?' }],
  })
  expect(second.output_text).toContain('The conversation so far, in short')
})

test('the ledger has what each call used and reported, whole or streamed', async () => {
  const asked = connect(await fairgate.manage.team('team-b', { max_budget: 5 }))
  const input = 'Hello [[sandbox: thinkingTokens=9; outputTokens=11; cachedTokens=1]]'
  const whole = await asked.responses.create({ model, input }).withResponse()
  const streamed = await asked.responses.stream({ model, input }).finalResponse()
  // 4 dear and 1 cached input tokens, 20 of output; nano-dollars.
  const { input_tokens = 0 } = whole.data.usage ?? {}
  const cost = (input_tokens - 1) * 300 + 30 + 20 * 2500
  const charges = await readCharges(fairgate.place, 'team-b')
  expect(charges.map(({ endpoint, cost_nano, outcome }) => [endpoint, cost_nano, outcome])).toEqual([
    ['responses', cost, 'completed'],
    ['responses', cost, 'completed'],
  ])
  expect(Number(whole.response.headers.get('x-gateway-response-cost')) * 1e9).toBeCloseTo(cost, 3)
  expect(Number(Object(streamed.usage).cost) * 1e9).toBeCloseTo(cost, 3)
})

test('an Idempotency-Key returns the first answer again and charges once', async () => {
  const asked = connect(await fairgate.manage.team('team-c', { max_budget: 5 }))
  const options = { headers: { 'idempotency-key': 'once' } }
  const first = await asked.responses.create({ model, input: 'Hello' }, options)
  const second = await asked.responses.create({ model, input: 'Hello' }, options)
  expect(second.id).toBe(first.id)
  expect(await readCharges(fairgate.place, 'team-c')).toHaveLength(1)
})
