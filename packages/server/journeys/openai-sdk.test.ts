// A participant's first hour with the official OpenAI client: list models, chat, stream, and the errors it raises.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI, {
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'openai'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
let client: OpenAI
const messages = [{ role: 'user' as const, content: 'What is a gateway?' }]
const model = 'mm-2.5-flash'
const connect = (apiKey: string, path = '/v1') =>
  new OpenAI({ apiKey, baseURL: `${fairgate.gatewayUrl}${path}`, maxRetries: 0 })

beforeAll(async () => {
  fairgate = await startFairgate()
  client = connect(await fairgate.manage.team('team-a', { max_budget: 5 }))
})
afterAll(() => fairgate.stop())

test('spec 4.1: lists models and finds one by id', async () => {
  const ids = (await client.models.list()).data.map(({ id }) => id)
  expect(ids).toContain(model)
  // The upstream's own names are not shown, except those that a coding agent insists on.
  expect(ids).not.toContain('gemini-2.5-flash')
  expect((await client.models.retrieve(model)).object).toBe('model')
})

/** Used instead of `rejects`, which blocks the thread and treats the client's promises as settled. */
const failureOf = async (call: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await call
  } catch (error) {
    return error
  }
  throw new Error('The call succeeded.')
}

describe('spec 2.3, spec 4.1: chat', () => {
  test('spec 9.3: answers with text and usage, also without /v1 in the address', async () => {
    for (const path of ['/v1', '']) {
      const key = await fairgate.manage.key('team-a')
      const { data, response } = await connect(key, path)
        .chat.completions.create({ model, messages, max_tokens: 20 })
        .withResponse()
      expect(data.choices[0]?.message.content).toStartWith('You said "What is a gateway?"')
      expect(data.choices[0]?.finish_reason).toBe('length')
      expect(data.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 20, total_tokens: 25 })
      // 5 × 0.30 + 20 × 2.50 dollars per million tokens.
      expect(response.headers.get('x-gateway-response-cost')).toBe('0.0000515')
      expect(response.headers.get('x-gateway-call-id')).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  test('reasoning, cached input and text are counted separately', async () => {
    const content = 'Think. [[sandbox: thinkingTokens=7; outputTokens=9; cachedTokens=4]]'
    const { usage } = await client.chat.completions.create({
      model,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: 'Be kind.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hello!' },
        { role: 'user', content },
      ],
      reasoning_effort: 'low',
      temperature: 0.5,
      top_p: 0.9,
      seed: 7,
      stop: ['END'],
    })
    expect(usage?.completion_tokens).toBe(16)
    expect(usage?.completion_tokens_details?.reasoning_tokens).toBe(7)
    expect(usage?.prompt_tokens_details?.cached_tokens).toBe(4)
  })

  test('n choices give n answers, each billed', async () => {
    const { choices, usage } = await client.chat.completions.create({
      model,
      messages,
      n: 3,
      max_completion_tokens: 16,
    })
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2])
    expect(usage?.completion_tokens).toBe(48)
    expect(usage?.prompt_tokens).toBe(15)
  })

  test('a refused prompt and a refused answer end with content_filter', async () => {
    for (const [turn, content] of [
      ['blockPrompt=SAFETY', null],
      ['finishReason=SAFETY', null],
    ] as const) {
      const { choices } = await client.chat.completions.create({
        model,
        messages: [{ role: 'user', content: `[[sandbox: ${turn}]]` }],
      })
      expect(choices[0]?.finish_reason).toBe('content_filter')
      expect(choices[0]?.message.content).toBe(content)
    }
  })

  test('reasoning that uses the whole cap leaves an empty answer', async () => {
    const { choices } = await client.chat.completions.create({
      model,
      max_tokens: 16,
      messages: [{ role: 'user', content: '[[sandbox: thinkingTokens=16]]' }],
    })
    expect(choices[0]?.finish_reason).toBe('length')
    expect(choices[0]?.message.content).toBe('')
  })
})

describe('spec 4.1: streams', () => {
  const stream = async (
    content: string,
    changes: Partial<OpenAI.ChatCompletionCreateParamsStreaming> = {},
  ) => {
    const chunks: OpenAI.ChatCompletionChunk[] = []
    const events = await client.chat.completions.create({
      model,
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content }],
      ...changes,
    })
    for await (const chunk of events) chunks.push(chunk)
    return chunks
  }
  const textOf = (chunks: readonly OpenAI.ChatCompletionChunk[], index = 0) =>
    chunks
      .flatMap(({ choices }) => choices)
      .filter(choice => choice.index === index)
      .map(({ delta }) => delta.content ?? '')
      .join('')

  test('text arrives in chunks, then the finish reason, then the usage', async () => {
    const chunks = await stream('Tell me.', { max_tokens: 64 })
    expect(textOf(chunks)).toStartWith('You said "Tell me."')
    expect(chunks.length).toBeGreaterThan(5)
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant')
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('length')
    expect(chunks.at(-1)?.choices).toEqual([])
    // Cumulative upstream usage is taken once, not summed.
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 64, cost: 0.0001606 })
  })

  test('many scripts, split inside characters, with either separator, arrive intact', async () => {
    for (const separator of ['crlf', 'lf']) {
      const prompt = `[[sandbox: splitUtf8; outputTokens=60; separator=${separator}]]`
      const text = textOf(await stream(prompt))
      expect(Array.from(text).length).toBe(240)
      expect(text).toContain('日本語')
      expect(text).toContain('😀👍🏽')
      expect(text).not.toContain('\uFFFD')
    }
  })

  test('n choices arrive interleaved, each with its index', async () => {
    const chunks = await stream('Both.', { n: 2, max_tokens: 16 })
    expect(textOf(chunks, 0)).toBe(textOf(chunks, 1))
    expect(textOf(chunks, 0).length).toBe(64)
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(32)
  })

  test('an error inside the stream is raised, and its usage is charged', async () => {
    const before = (await fairgate.manage.teamInfo('team-a')).team_info.spend
    for (const trouble of ['errorInStream=2', 'cutStream=2', 'endEarly=2']) {
      const call = stream(`[[sandbox: chunks=4; outputTokens=40; ${trouble}]]`)
      expect(await failureOf(call)).toBeInstanceOf(Error)
    }
    const { team_info } = await fairgate.manage.teamInfo('team-a')
    expect(team_info.spend).toBeGreaterThan(before)
    expect(team_info.held).toBe(0)
  })

  test('an upstream that fails before the first event is a plain error', async () => {
    expect(await failureOf(stream('[[sandbox: error=503]]'))).toMatchObject({
      status: 503,
      code: 'upstream_overloaded',
    })
  })
})

describe('spec 7: errors that the client raises', () => {
  test('401 for a wrong key, a log token and no key', async () => {
    const { token } = await fairgate.manage.token('team-a')
    for (const key of ['sk-wrong', token, 'nonsense']) {
      expect(await failureOf(connect(key).models.list())).toBeInstanceOf(AuthenticationError)
    }
    const helpful = connect(token).chat.completions.create({ model, messages })
    expect(String(await failureOf(helpful))).toContain('log token')
  })

  test('404 for an unknown model, 400 for an invalid field, 403 for a model that is not allowed', async () => {
    const unknown = await failureOf(client.chat.completions.create({ model: 'mm-none', messages }))
    expect(unknown).toBeInstanceOf(NotFoundError)
    expect(unknown).toMatchObject({ code: 'model_not_found', param: 'model' })
    const wrong = await failureOf(client.chat.completions.create({ model, messages, temperature: 3 }))
    expect(wrong).toBeInstanceOf(BadRequestError)
    expect(wrong).toMatchObject({ param: 'temperature' })
    const narrow = connect(await fairgate.manage.key('team-a', { models: ['mm-2.5-pro'] }))
    const forbidden = await failureOf(narrow.chat.completions.create({ model, messages }))
    expect(forbidden).toBeInstanceOf(PermissionDeniedError)
  })

  test('429 for a spent budget, a rate limit and the upstream, with different codes', async () => {
    const poor = connect(await fairgate.manage.team('poor', { max_budget: 0 }))
    const spent = await failureOf(poor.chat.completions.create({ model, messages }))
    expect(spent).toBeInstanceOf(RateLimitError)
    expect(spent).toMatchObject({ status: 429, code: 'budget_exceeded', type: 'budget_exceeded' })
    const slow = connect(await fairgate.manage.team('slow', { rpm_limit: 1 }))
    await slow.chat.completions.create({ model, messages })
    expect(await failureOf(slow.chat.completions.create({ model, messages }))).toMatchObject({
      status: 429,
      code: 'rpm_exceeded',
    })
    const busy = client.chat.completions.create({
      model,
      messages: [{ role: 'user', content: '[[sandbox: error=429; retryDelay=7s]]' }],
    })
    expect(await failureOf(busy)).toMatchObject({ status: 429, code: 'upstream_rate_limited' })
  })

  test('an invalid upstream key is never a 401', async () => {
    for (const status of [401, 403]) {
      const call = client.chat.completions.create({
        model,
        messages: [{ role: 'user', content: `[[sandbox: error=${status}]]` }],
      })
      expect(await failureOf(call)).toMatchObject({ status: 502, code: 'upstream_auth' })
    }
  })

  test('its own retries survive a short upstream failure', async () => {
    const key = await fairgate.manage.key('team-a')
    const patient = new OpenAI({ apiKey: key, baseURL: `${fairgate.gatewayUrl}/v1`, maxRetries: 2 })
    const { choices } = await patient.chat.completions.create({
      model,
      messages: [{ role: 'user', content: '[[sandbox: error=500; errorTimes=1]]' }],
    })
    expect(choices).toHaveLength(1)
  })
})
