// Checks the sandbox against the vendor's wire format: a client must see the same as from the real service.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Sandbox, startSandbox } from './start-sandbox.ts'

let sandbox: Sandbox
beforeAll(() => {
  sandbox = startSandbox({ port: 0, keys: ['right'], models: ['gemini-2.5-flash'] })
})
beforeEach(() => {
  sandbox.resetCounters()
  sandbox.setSwitches({})
})
afterAll(() => sandbox.stop())

type Reply = {
  candidates?: {
    content: { parts?: { text: string; thought?: boolean }[]; role: string }
    finishReason?: string
  }[]
  promptFeedback?: { blockReason: string }
  usageMetadata?: Record<string, number>
  error?: { code: number; status: string; message: string; details?: Record<string, unknown>[] }
}

const body = (text: string, config: object = {}) => ({
  contents: [{ role: 'user', parts: [{ text }] }],
  generationConfig: config,
})
const post = (
  method: string,
  content: unknown,
  headers: Record<string, string> = { 'x-goog-api-key': 'right' },
) =>
  fetch(`${sandbox.url}/v1beta/models/gemini-2.5-flash:${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(content),
  })
const generate = async (text: string, config: object = {}) =>
  (await (await post('generateContent', body(text, config))).json()) as Reply
const textOf = (reply: Reply) => reply.candidates?.[0]?.content.parts?.map(part => part.text).join('') ?? ''

describe('one reply', () => {
  test('a small cap is used up exactly, the counts add up, and the same prompt gets the same answer', async () => {
    for (const maxOutputTokens of [1, 16, 64]) {
      const reply = await generate('Hello', { maxOutputTokens })
      expect(reply.candidates?.[0]?.finishReason).toBe('MAX_TOKENS')
      expect(reply.usageMetadata).toMatchObject({
        promptTokenCount: 2,
        candidatesTokenCount: maxOutputTokens,
        totalTokenCount: 2 + maxOutputTokens,
      })
      expect(Array.from(textOf(reply))).toHaveLength(4 * maxOutputTokens)
      expect(textOf(await generate('Hello', { maxOutputTokens }))).toBe(textOf(reply))
    }
  })

  test('under a large cap, the answer stops by itself', async () => {
    const reply = await generate('Hello', { maxOutputTokens: 5000 })
    expect(reply.candidates?.[0]?.finishReason).toBe('STOP')
  })

  test('thinking counts against the cap, is shown only on request, and may use all of it', async () => {
    const shown = await generate('[[sandbox: thinkingTokens=10]]', {
      maxOutputTokens: 30,
      thinkingConfig: { includeThoughts: true },
    })
    expect(shown.candidates?.[0]?.content.parts?.map(part => part.thought ?? false)).toEqual([true, false])
    expect(shown.usageMetadata).toMatchObject({ thoughtsTokenCount: 10, candidatesTokenCount: 20 })
    const all = await generate('[[sandbox: thinkingTokens=30]]', { maxOutputTokens: 30 })
    expect(all.candidates?.[0]?.content).toEqual({ role: 'model' })
    expect(all.usageMetadata?.totalTokenCount).toBe((all.usageMetadata?.promptTokenCount ?? 0) + 30)
  })

  test('a refused prompt has no candidates', async () => {
    const reply = await generate('[[sandbox: blockPrompt=SAFETY]]')
    expect(reply.candidates).toBeUndefined()
    expect(reply.promptFeedback?.blockReason).toBe('SAFETY')
  })

  test('snake_case requests are accepted', async () => {
    const reply = await post('generateContent', {
      contents: [{ parts: [{ text: 'Hi' }] }],
      system_instruction: { parts: [{ text: 'Be brief' }] },
      generation_config: { max_output_tokens: 16 },
    })
    expect(((await reply.json()) as Reply).usageMetadata).toMatchObject({
      promptTokenCount: 3,
      candidatesTokenCount: 16,
    })
  })

  test('a token count equals the promptTokenCount of the call, in either request form', async () => {
    const content = {
      contents: body('How many?').contents,
      systemInstruction: { parts: [{ text: 'Count.' }] },
    }
    const prompt = ((await (await post('generateContent', content)).json()) as Reply).usageMetadata
      ?.promptTokenCount
    for (const question of [
      content,
      { generateContentRequest: { model: 'models/gemini-2.5-flash', ...content } },
    ]) {
      const counted = (await (await post('countTokens', question)).json()) as { totalTokens: number }
      expect(counted.totalTokens).toBe(prompt ?? -1)
    }
  })
})

describe('streams', () => {
  const events = async (text: string, config: object = {}) => {
    const reply = await post('streamGenerateContent?alt=sse', body(text, config))
    expect(reply.headers.get('content-type')).toBe('text/event-stream')
    return (await reply.text()).split('\r\n\r\n').filter(part => part !== '')
  }

  test('events without names, separated by CRLF, with growing usage and one finish reason at the end', async () => {
    const parsed = (await events('Hello [[sandbox: chunks=4]]', { maxOutputTokens: 40 })).map(event => {
      expect(event).toStartWith('data: {')
      return JSON.parse(event.slice(6)) as Reply
    })
    expect(parsed).toHaveLength(4)
    expect(parsed.map(chunk => chunk.usageMetadata?.candidatesTokenCount)).toEqual([10, 20, 30, 40])
    expect(parsed.map(chunk => chunk.candidates?.[0]?.finishReason)).toEqual([
      undefined,
      undefined,
      undefined,
      'MAX_TOKENS',
    ])
  })

  test('without alt=sse it is one JSON array', async () => {
    const reply = await post('streamGenerateContent', body('Hello', { maxOutputTokens: 40 }))
    const chunks = (await reply.json()) as Reply[]
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.map(textOf).join('')).toHaveLength(160)
  })

  test('an error event, an early end and a broken connection', async () => {
    const failing = await events('[[sandbox: chunks=4; outputTokens=40; errorInStream=2]]')
    expect(failing).toHaveLength(3)
    expect((JSON.parse(failing.at(-1)?.slice(6) ?? '') as Reply).error?.code).toBe(503)
    expect(await events('[[sandbox: chunks=4; outputTokens=40; endEarly=2]]')).toHaveLength(2)
    await expect(events('[[sandbox: chunks=4; outputTokens=40; cutStream=2]]')).rejects.toThrow()
  })
})

describe('errors', () => {
  test('a missing key gets 403, a wrong one 400 with a reason, and the query may carry the key', async () => {
    expect((await post('generateContent', body('Hi'), {})).status).toBe(403)
    const wrong = await post('generateContent', body('Hi'), { 'x-goog-api-key': 'wrong' })
    expect(wrong.status).toBe(400)
    expect(((await wrong.json()) as Reply).error?.details?.[0]?.reason).toBe('API_KEY_INVALID')
    expect((await post('countTokens?key=right', body('Hi'), {})).status).toBe(200)
  })

  test('an unknown model, an unknown field, an empty turn and a broken body are refused', async () => {
    const headers = { 'x-goog-api-key': 'right' }
    const unknown = await fetch(`${sandbox.url}/v1beta/models/none:generateContent`, {
      method: 'POST',
      headers,
    })
    expect(unknown.status).toBe(404)
    for (const wrong of [
      { ...body('Hi'), colour: 'red' },
      body('Hi', { colour: 'red' }),
      { contents: [] },
      { contents: [{ role: 'user', parts: [] }] },
      { contents: [{ role: 'user', parts: [{ text: '' }] }] },
      body('Hi', { thinkingConfig: { thinkingBudget: 1, thinkingLevel: 'LOW' } }),
      'text',
    ]) {
      const reply = await post('generateContent', wrong)
      expect(reply.status).toBe(400)
      expect(((await reply.json()) as Reply).error?.status).toBe('INVALID_ARGUMENT')
    }
  })

  test('failures on demand: a number of times, with a retry delay, or in an array', async () => {
    const limited = await post('generateContent', body('[[sandbox: error=429; retryDelay=7s; errorTimes=1]]'))
    expect(limited.status).toBe(429)
    expect(((await limited.json()) as Reply).error?.details?.[0]?.retryDelay).toBe('7s')
    const again = await post('generateContent', body('[[sandbox: error=429; retryDelay=7s; errorTimes=1]]'))
    expect(again.status).toBe(200)
    const array = await post('generateContent', body('[[sandbox: error=500; arrayError]]'))
    expect(((await array.json()) as Reply[])[0]?.error?.status).toBe('INTERNAL')
  })

  test('an unknown switch is refused by name', async () => {
    expect((await generate('[[sandbox: colour=red]]')).error?.message).toContain('Known: outputTokens')
    expect(() => sandbox.setSwitches({ outputTokens: -1 })).toThrow(/outputTokens/)
  })
})

describe('the bill', () => {
  test('counts calls and tokens per model, partial streams in part, and failures not at all', async () => {
    await generate('Hello', { maxOutputTokens: 16 })
    await (await post('streamGenerateContent?alt=sse', body('Hello', { maxOutputTokens: 16 }))).text()
    await generate('[[sandbox: error=500]]')
    const counters = sandbox.counters()
    expect(counters).toMatchObject({ calls: 3, streams: 1, running: 0 })
    expect(counters.billed['gemini-2.5-flash']).toEqual({
      calls: 2,
      promptTokens: 4,
      cachedTokens: 0,
      candidatesTokens: 32,
      thoughtsTokens: 0,
    })
  })

  test('can also be read and reset over HTTP, like the switches', async () => {
    await fetch(`${sandbox.url}/sandbox/switches`, { method: 'POST', body: '{"outputTokens": 3}' })
    expect((await generate('Hi')).usageMetadata?.candidatesTokenCount).toBe(3)
    expect(await (await fetch(`${sandbox.url}/sandbox/counters`)).json()).toMatchObject({ calls: 1 })
    await fetch(`${sandbox.url}/sandbox/reset`, { method: 'POST' })
    expect(await (await fetch(`${sandbox.url}/sandbox/counters`)).json()).toMatchObject({ calls: 0 })
  })
})

describe('keys that are set to fail', () => {
  const say = (states: object) =>
    fetch(`${sandbox.url}/sandbox/keys`, { method: 'POST', body: JSON.stringify(states) })
  const askVendor = () =>
    fetch(`${sandbox.url}/v1beta/models/gemini-2.5-flash`, { headers: { 'x-goog-api-key': 'right' } })
  const askOpenai = () =>
    fetch(`${sandbox.url}/openai/v1/models`, { headers: { authorization: 'Bearer right' } })

  test.each([
    ['revoked', 403, 401],
    ['exhausted', 429, 429],
    ['busy', 429, 429],
    ['valid', 200, 200],
  ])('%s', async (state, vendor, openai) => {
    expect(await (await say({ right: state })).json()).toEqual({ right: state })
    expect([(await askVendor()).status, (await askOpenai()).status]).toEqual([vendor, openai])
  })

  test('an unknown state is refused by name', async () => {
    const reply = await say({ right: 'tired' })
    expect([reply.status, await reply.text()]).toEqual([
      400,
      expect.stringContaining('right: \\"tired\\" is none of'),
    ])
  })
})
