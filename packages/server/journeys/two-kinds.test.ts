// suite: test on sqlite and postgres; 20 s
// Two kinds of upstream in one catalog: every charge of a Claude model equals the bill of the simulated vendor to the nano-dollar, in each
// dialect, whole and streamed: with reasoning, calls of tools, images, long prompts, and a prompt cache of both lifetimes. Shown to fail by
// charging every cache write as one of five minutes (`mapUsage` in upstream/anthropic/map-usage.ts).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampleFiles } from './testing/sample-files.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'
import { twoKinds } from './testing/two-kinds.ts'

let fairgate: Fairgate
let key: string
beforeAll(async () => {
  fairgate = await startFairgate(twoKinds)
  key = await fairgate.manage.team('both', { max_budget: 1000 })
})
afterAll(() => fairgate.stop())

const upstreamIds: Readonly<Record<string, string>> = {
  'claude-opus': 'claude-opus-5-5',
  'claude-sonnet': 'claude-sonnet-4-6',
  'mm-2.5-flash': 'gemini-2.5-flash',
}

/** In nano-dollars, by the catalog's prices and the vendor's own bill of the one call since the counters were reset. */
function billOf(model: string): number {
  const billed = fairgate.sandbox.counters().billed[upstreamIds[model] ?? '']
  if (billed?.calls !== 1) throw new Error(`${model} was billed for ${billed?.calls ?? 0} calls.`)
  const { promptTokens, cachedTokens, cacheWrite5mTokens = 0, cacheWrite1hTokens = 0 } = billed
  const input = promptTokens - cachedTokens - cacheWrite5mTokens - cacheWrite1hTokens
  const output = billed.candidatesTokens + billed.thoughtsTokens
  if (model === 'mm-2.5-flash') return input * 300 + cachedTokens * 30 + output * 2500
  const isLong = promptTokens > 200_000
  const ofInput = input * 3000 + cachedTokens * 300 + cacheWrite5mTokens * 3750 + cacheWrite1hTokens * 6000
  return isLong ? ofInput * 2 + output * 22_500 : ofInput + output * 15_000
}

/** Sends a call and returns the end of its reply, once the charge has been compared with the bill. */
async function compare(path: string, body: { model: string; stream: boolean }): Promise<string> {
  fairgate.sandbox.resetCounters()
  const reply = await fetch(`${fairgate.gatewayUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await reply.text()
  expect([reply.status, reply.status === 200 ? '' : text]).toEqual([200, ''])
  while (fairgate.sandbox.counters().running > 0) await Bun.sleep(2)
  const id = reply.headers.get('x-gateway-call-id')
  const charge = (await readCharges(fairgate.place, 'both')).find(({ call_id }) => call_id === id)
  expect(charge).toMatchObject({
    model_id: body.model,
    outcome: 'completed',
    flag: null,
    cost_nano: billOf(body.model),
  })
  if (!body.stream) {
    const header = reply.headers.get('x-gateway-response-cost')
    expect(Math.round(Number(header) * 1e9)).toBe(billOf(body.model))
  }
  return text
}

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const image = async () => Buffer.from((await sampleFiles.image?.()?.bytes()) ?? []).toString('base64')
const long = 'A long prompt. '.repeat(60_000)

type Ask = (content: string, more?: { think?: boolean; tools?: boolean; png?: string }) => object
const dialects: readonly (readonly [path: string, ask: Ask])[] = [
  [
    '/v1/chat/completions',
    (text, { think, tools, png } = {}) => ({
      max_tokens: 3000,
      messages: [
        {
          role: 'user',
          content: [
            ...(png === undefined
              ? []
              : [{ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }]),
            { type: 'text', text },
          ],
        },
      ],
      ...(think ? { reasoning_effort: 'medium' } : {}),
      ...(tools ? { tools: [{ type: 'function', function: { name: 'weather', parameters: schema } }] } : {}),
    }),
  ],
  [
    '/v1/responses',
    (text, { think, tools, png } = {}) => ({
      max_output_tokens: 3000,
      input: [
        {
          role: 'user',
          content: [
            ...(png === undefined
              ? []
              : [{ type: 'input_image', image_url: `data:image/png;base64,${png}` }]),
            { type: 'input_text', text },
          ],
        },
      ],
      ...(think ? { reasoning: { effort: 'medium' } } : {}),
      ...(tools ? { tools: [{ type: 'function', name: 'weather', parameters: schema }] } : {}),
    }),
  ],
  [
    '/v1/messages',
    (text, { think, tools, png } = {}) => ({
      max_tokens: 3000,
      messages: [
        {
          role: 'user',
          content: [
            ...(png === undefined
              ? []
              : [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }]),
            { type: 'text', text },
          ],
        },
      ],
      ...(think ? { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } } : {}),
      ...(tools ? { tools: [{ name: 'weather', input_schema: schema }] } : {}),
    }),
  ],
]
const rows = dialects.flatMap(([path, ask]) =>
  [false, true].flatMap(stream =>
    ['claude-opus', 'claude-sonnet', 'mm-2.5-flash'].map(model => ({ path, ask, stream, model })),
  ),
)

describe.each(rows)('$path of $model, streamed: $stream', ({ path, ask, stream, model }) => {
  const send = (content: string, more?: Parameters<Ask>[1]) =>
    compare(path, { model, stream, ...ask(content, more) })

  test('an answer, one with reasoning, and one with a cached prompt', async () => {
    expect(await send('What is a gateway?')).toContain('You said')
    await send('Think.', { think: true })
    expect(fairgate.sandbox.counters().billed[upstreamIds[model] ?? '']?.thoughtsTokens).toBeGreaterThan(0)
    await send('A prompt of some length. [[sandbox: cachedTokens=5]]')
  })

  test('a call of a tool, and an image', async () => {
    expect(await send('Rain?', { tools: true })).toContain('weather')
    await send('What is this?', { png: await image() })
  })

  test('a long prompt, at the prices of its tier', async () => {
    await send(long)
  })
})

/** Figures of the one call since the counters were reset. */
const cacheOf = (model: string) => {
  const {
    cachedTokens,
    cacheWrite5mTokens = 0,
    cacheWrite1hTokens = 0,
  } = fairgate.sandbox.counters().billed[upstreamIds[model] ?? ''] ?? { cachedTokens: 0 }
  return [cacheWrite5mTokens, cacheWrite1hTokens, cachedTokens]
}

describe.each([false, true])('the native prompt cache of Messages, streamed: %p', stream => {
  const marked = (name: string, tokens: number, ttl: '5m' | '1h') => ({
    type: 'text',
    text: `${name} ${stream} `.repeat(tokens).slice(0, tokens * 4),
    cache_control: { type: 'ephemeral', ttl },
  })
  const model = 'claude-opus'
  const send = async (system: object[]) => {
    const text = await compare('/v1/messages', {
      model,
      stream,
      ...{ max_tokens: 100, system, messages: [{ role: 'user', content: 'Hi' }] },
    })
    expect(text).toContain('"cache_creation_input_tokens"')
    return cacheOf(model)
  }

  test('writes of five minutes and of an hour, alone and together, and their reads', async () => {
    const short = [marked('short', 2000, '5m')]
    expect(await send(short)).toEqual([2000, 0, 0])
    expect(await send(short)).toEqual([0, 0, 2000])
    const hour = [marked('hour', 3000, '1h')]
    expect(await send(hour)).toEqual([0, 3000, 0])
    expect(await send([...hour, marked('more', 1100, '5m')])).toEqual([1100, 0, 3000])
    expect(await send([marked('first', 1500, '1h'), marked('then', 1600, '5m')])).toEqual([1600, 1500, 0])
  })

  test('a long prompt is written and read at the prices of its tier', async () => {
    const system = [marked('long', 210_000, '1h'), marked('tail', 2000, '5m')]
    expect(await send(system)).toEqual([2000, 210_000, 0])
    expect(await send(system)).toEqual([0, 0, 212_000])
  })
})

test('the pass-through has no Claude models, and the spend is the sum of all charges', async () => {
  const reply = await fetch(`${fairgate.gatewayUrl}/vendor/v1beta/models/claude-opus:generateContent`, {
    method: 'POST',
    headers: { 'x-vendor-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ contents: [{ parts: [{ text: 'Hi' }] }] }),
  })
  expect(Math.floor(reply.status / 100)).toBe(4)
  const charges = await readCharges(fairgate.place, 'both')
  const { team_info } = await fairgate.manage.teamInfo('both')
  expect(Math.round(team_info.spend * 1e9)).toBe(charges.reduce((sum, { cost_nano }) => sum + cost_nano, 0))
})
