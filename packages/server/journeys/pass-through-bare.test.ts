// The vendor's API at the paths of its clients, without /vendor: Gemini CLI and @google/genai with only the gateway's address.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ApiError, type Content, type GenerateContentResponse, GoogleGenAI, Type } from '@google/genai'
import { type GeminiError, say } from './testing/pass-through-caller.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges, sumCost } from './testing/stored-rows.ts'

let fairgate: Fairgate
let key: string
let client: GoogleGenAI
beforeAll(async () => {
  fairgate = await startFairgate()
  key = await fairgate.manage.team('bare', { max_budget: 1000 })
  client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: fairgate.gatewayUrl } })
})
afterAll(() => fairgate.stop())

const flash = '/v1beta/models/mm-2.5-flash:generateContent'

const send = (path: string, headers: Readonly<Record<string, string>>, body: object = say('Hi')) =>
  fetch(`${fairgate.gatewayUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

async function readError(response: Response): Promise<GeminiError['error']> {
  return ((await response.json()) as GeminiError).error
}

const weather = {
  name: 'get_weather',
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] },
}

describe("the vendor's client with the address of the gateway", () => {
  // Nano-dollars a token. Two steps, as an agent makes them: the call, and the answer to its result. A third-generation model insists on its signatures.
  test.each([
    ['mm-2.5-flash', false, { input: 300, output: 2500 }],
    ['mm-2.5-flash', true, { input: 300, output: 2500 }],
    ['mm-3-flash-preview', false, { input: 500, output: 3000 }],
    ['mm-3-flash-preview', true, { input: 500, output: 3000 }],
  ])('%s, streamed: %p: a loop of two steps, charged exactly', async (model, isStreamed, prices) => {
    const team = `loop-${model.replaceAll('.', '-')}-${isStreamed}`
    const own = await fairgate.manage.team(team, { max_budget: 10 })
    const loop = new GoogleGenAI({ apiKey: own, httpOptions: { baseUrl: fairgate.gatewayUrl } })
    const config = { tools: [{ functionDeclarations: [weather] }] }
    const ask = async (contents: Content[]): Promise<GenerateContentResponse[]> => {
      if (!isStreamed) return [await loop.models.generateContent({ model, contents, config })]
      const pieces: GenerateContentResponse[] = []
      for await (const piece of await loop.models.generateContentStream({ model, contents, config }))
        pieces.push(piece)
      return pieces
    }
    const question: Content = { role: 'user', parts: [{ text: 'How is the weather in Seoul?' }] }
    const first = await ask([question])
    const asked = first.flatMap(reply => reply.candidates?.[0]?.content?.parts ?? [])
    const call = asked.find(({ functionCall }) => functionCall !== undefined)
    expect(call?.functionCall?.name).toBe('get_weather')
    expect(call?.thoughtSignature !== undefined).toBe(model === 'mm-3-flash-preview')
    const result = { functionResponse: { name: 'get_weather', response: { sky: 'clear' } } }
    const last = await ask([
      question,
      { role: 'model', parts: asked },
      { role: 'user', parts: [{ ...result }] },
    ])
    expect(last.map(({ text }) => text ?? '').join('')).toContain('clear')

    const charges = await readCharges(fairgate.place, team)
    expect(charges.map(({ model_id, outcome, flag }) => [model_id, outcome, flag])).toEqual([
      [model, 'completed', null],
      [model, 'completed', null],
    ])
    const usages = [first, last].map(replies => replies.at(-1)?.usageMetadata)
    const owed = usages.map(usage => {
      const { promptTokenCount = 0, candidatesTokenCount = 0, thoughtsTokenCount = 0 } = usage ?? {}
      return promptTokenCount * prices.input + (candidatesTokenCount + thoughtsTokenCount) * prices.output
    })
    expect(charges.map(({ cost_nano }) => cost_nano)).toEqual(owed)
    const { team_info } = await fairgate.manage.teamInfo(team)
    expect(Math.round(team_info.spend * 1e9)).toBe(sumCost(charges))
  })

  test('counts tokens free of charge, lists models, and shows one', async () => {
    fairgate.sandbox.resetCounters()
    const counted = await client.models.countTokens({ model: 'mm-2.5-flash', contents: 'One two three' })
    expect(counted.totalTokens).toBeGreaterThan(0)
    expect(fairgate.sandbox.counters()).toMatchObject({ counted: 1, calls: 0 })
    const names: (string | undefined)[] = []
    for await (const { name } of await client.models.list()) names.push(name)
    expect(names).toContain('models/mm-2.5-flash')
    expect((await client.models.get({ model: 'mm-2.5-flash' })).inputTokenLimit).toBe(1_048_576)
  })

  test('the model that Gemini CLI always uses for side calls answers', async () => {
    for (const [name, model] of [
      ['gemini-3.5-flash-lite', 'mm-3.5-flash-lite'],
      ['gemini-3.1-flash-lite', 'mm-3.1-flash-lite'],
      ['gemini-3-flash-preview', 'mm-3-flash-preview'],
    ]) {
      const reply = await client.models.generateContent({ model: name ?? '', contents: 'Route this.' })
      expect(reply.text).toContain('Route this.')
      expect((await readCharges(fairgate.place, 'bare')).at(-1)?.model_id).toBe(model ?? '')
    }
    const searched = await client.models.generateContent({
      model: 'gemini-3-flash-preview',
      contents: 'What is new?',
      config: { tools: [{ googleSearch: {} }] },
    })
    expect(searched.candidates?.[0]?.groundingMetadata).toBeDefined()
  })

  test('orders a video and polls it under both API versions', async () => {
    const ordered = await send(
      '/v1/models/video-3.0-generate-001:predictLongRunning',
      { 'x-goog-api-key': key },
      { instances: [{ prompt: 'A wave' }] },
    )
    const { name } = (await ordered.json()) as { name: string }
    for (const version of ['v1', 'v1beta', 'vendor/v1beta']) {
      const seen = await fetch(`${fairgate.gatewayUrl}/${version}/${name}`, {
        headers: { 'x-vendor-api-key': key },
      })
      expect([version, seen.status]).toEqual([version, 200])
    }
  })

  test("/v1/models stays in OpenAI's format", async () => {
    const response = await fetch(`${fairgate.gatewayUrl}/v1/models`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(await response.json()).toMatchObject({ object: 'list' })
  })
})

describe('the key of a bare path', () => {
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

  test.each<[string, (key: string) => Record<string, string>]>([
    ["in the vendor's header", own => ({ 'x-goog-api-key': own })],
    ['in our header', own => ({ 'x-vendor-api-key': own })],
    ['only as bearer token', own => bearer(own)],
    [
      'in both, as GEMINI_API_KEY_AUTH_MECHANISM=bearer sends it',
      own => ({ 'x-goog-api-key': own, ...bearer(own) }),
    ],
  ])('%s', async (_, headersOf) => {
    for (const path of [flash, flash.replace('v1beta', 'v1')]) {
      expect((await send(path, headersOf(key))).status).toBe(200)
    }
  })

  test.each<[string, (key: string) => Record<string, string>, string]>([
    ['none', () => ({}), 'No gateway key'],
    ['another key', () => ({ 'x-goog-api-key': 'sk-nobody' }), 'is cut off'],
    ['two different keys', own => ({ 'x-goog-api-key': own, ...bearer('sk-other') }), 'different keys'],
    ['a key of the vendor', () => ({ 'x-goog-api-key': 'AIzaSy' }), 'starts with sk-'],
    ['no bearer token', own => ({ authorization: own }), 'Malformed Authorization'],
  ])("%s: 401 in the vendor's format", async (_, headersOf, words) => {
    const response = await send(flash, headersOf(key))
    const error = await readError(response)
    expect([response.status, error.status]).toEqual([401, 'UNAUTHENTICATED'])
    expect(error.message).toContain(words)
    expect(response.headers.get('www-authenticate')).toContain('x-goog-api-key')
  })

  test('below /vendor a bearer token alone is still refused', async () => {
    const error = await readError(await send(`/vendor${flash}`, bearer(key)))
    expect(error.message).toContain('does not accept Authorization')
  })

  test('a key that can call one spelling of a route can call all of them', async () => {
    const own = await fairgate.manage.key('bare', {
      allowed_routes: ['/vendor/v1beta/models/{model}:generateContent'],
    })
    expect((await send(flash, { 'x-goog-api-key': own })).status).toBe(200)
    const counting = flash.replace('generateContent', 'countTokens')
    expect((await send(counting, { 'x-goog-api-key': own })).status).toBe(403)
  })
})

describe('refusals that Gemini CLI understands', () => {
  const detail = (error: GeminiError['error'], type: string) =>
    error.details?.find(
      found => '@type' in found && found['@type'] === `type.googleapis.com/google.rpc.${type}`,
    )

  test('a spent budget names a daily quota, without a retry time', async () => {
    const poor = await fairgate.manage.team('poor', { max_budget: 0.000001 })
    const response = await send(flash, { 'x-goog-api-key': poor })
    const error = await readError(response)
    expect([response.status, error.status]).toEqual([429, 'RESOURCE_EXHAUSTED'])
    expect(error.message).toStartWith('Budget has been exceeded!')
    expect(detail(error, 'ErrorInfo')).toMatchObject({ reason: 'budget_exceeded', domain: 'fairgate' })
    expect(detail(error, 'QuotaFailure')).toMatchObject({
      violations: [{ description: error.message, quotaId: 'FairgateBudgetPerDay' }],
    })
    expect(detail(error, 'RetryInfo')).toBeUndefined()
    const below = await readError(await send(`/vendor${flash}`, { 'x-goog-api-key': poor }))
    expect(detail(below, 'QuotaFailure')).toBeUndefined()
  })

  test('a full window has a retry time', async () => {
    const slow = await fairgate.manage.team('slow', { rpm_limit: 1 })
    expect((await send(flash, { 'x-goog-api-key': slow })).status).toBe(200)
    const response = await send(flash, { 'x-goog-api-key': slow })
    const error = await readError(response)
    expect(response.status).toBe(429)
    expect(detail(error, 'RetryInfo')).toMatchObject({
      retryDelay: `${response.headers.get('retry-after')}s`,
    })
    expect(detail(error, 'QuotaFailure')).toBeUndefined()
  })

  test("unsupported calls are refused in the vendor's format", async () => {
    for (const path of [
      '/v1beta/cachedContents',
      '/v1beta/models/mm-2.5-flash:tuneModel',
      '/v1beta/nothing',
    ]) {
      const response = await send(path, { 'x-goog-api-key': key })
      expect([path, response.status, (await readError(response)).status]).toEqual([path, 404, 'NOT_FOUND'])
    }
    const unknown = await client.models
      .generateContent({ model: 'gemini-9', contents: 'Hi' })
      .catch((thrown: unknown) => thrown)
    expect(unknown instanceof ApiError && unknown.status).toBe(404)
  })
})
