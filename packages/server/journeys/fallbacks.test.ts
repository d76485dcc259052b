// A model with its upstream down is served by its fallback: at the fallback's price, within the hold, and recorded as such.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Fairgate, startFairgate, upstreamKey } from './testing/start-fairgate.ts'
import { runStored, untilFiled } from './testing/stored-rows.ts'

const ownKey = 'key-of-the-spare-upstream'
const chatModel = (upstream: string, upstreamId: string, price: string, more = '') => `
    upstream: ${upstream}
    upstream_id: ${upstreamId}
    context_limit: 100000
    max_output: 8192
    price: ${price}${more}`
const models = `
models:
  main:${chatModel('vendor', 'gemini-2.5-flash', '{ input: 1, cached_input: 1, output: 2, reasoning: 2 }', '\n    fallbacks: [gone, spare]')}
  gone:${chatModel('dead', 'nobody', '{ input: 1, cached_input: 1, output: 2, reasoning: 2 }')}
  spare:${chatModel('own', 'gpt-sandbox', '{ input: 3, cached_input: 3, output: 20, reasoning: 20 }')}
  alone:${chatModel('vendor', 'gemini-2.5-flash', '{ input: 1, cached_input: 1, output: 2, reasoning: 2 }')}
`

let fairgate: Fairgate
let teams = 0
beforeAll(async () => {
  fairgate = await startFairgate({
    models,
    settings: ({ url }) => `
upstream: { max_retries: 0 }
upstreams:
  dead: { kind: openai, base_url: 'http://127.0.0.1:1/v1' }
  own: { kind: openai, base_url: '${url}/openai/v1', api_key_env: OWN_KEY }`,
    variables: { OWN_KEY: ownKey },
  })
  fairgate.sandbox.setKey(ownKey, 'valid')
})
afterAll(() => fairgate.stop())
beforeEach(() => fairgate.sandbox.setKey(upstreamKey, 'revoked'))

type Row = { model_id: string; cost_nano: number; units: string }

async function open(fields: object = {}, keyFields: object = {}) {
  teams += 1
  const teamId = `fallback-${teams}`
  const key = await fairgate.manage.team(teamId, { max_budget: 10, ...fields }, keyFields)
  const send = (path: string, body: object) =>
    fetch(`${fairgate.gatewayUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        'x-vendor-api-key': key,
      },
      body: JSON.stringify(body),
    })
  const rows = async () =>
    (
      await runStored<Row>(
        fairgate.place,
        'select model_id, cost_nano, units from charges where team_id = ?',
        [teamId],
      )
    ).map(row => ({ ...row, cost_nano: Number(row.cost_nano) }))
  const record = async () => {
    await untilFiled(fairgate.place)
    return runStored<{
      model_asked: string
      model_served: string
      upstream: string
      upstream_key: string | null
    }>(
      fairgate.place,
      'select model_asked, model_served, upstream, upstream_key from calls where team_id = ?',
      [teamId],
    )
  }
  return { teamId, key, send, rows, record }
}

/** Nano-dollars at the prices of `spare`. */
function priceOf({ units }: Row): number {
  const { inputText = 0, outputText = 0, ...others } = JSON.parse(units) as Record<string, number>
  expect(Object.values(others).every(count => count === 0)).toBe(true)
  return inputText * 3000 + outputText * 20_000
}

const prompt = 'Hi [[sandbox: outputTokens=50]]'
const chat = { model: 'main', max_tokens: 100, messages: [{ role: 'user', content: prompt }] }

describe('a model with a revoked key and an unreachable first fallback', () => {
  test.each<[string, string, object]>([
    ['chat', '/v1/chat/completions', chat],
    ['chat, streamed', '/v1/chat/completions', { ...chat, stream: true }],
    ['Messages', '/v1/messages', chat],
    ['Messages, streamed', '/v1/messages', { ...chat, stream: true }],
    ['Responses', '/v1/responses', { model: 'main', max_output_tokens: 100, input: prompt, store: false }],
    [
      'Responses, streamed',
      '/v1/responses',
      { model: 'main', max_output_tokens: 100, input: prompt, store: false, stream: true },
    ],
  ])('%s: the second fallback serves, and is charged exactly at its own price', async (_, path, body) => {
    const { teamId, send, rows, record } = await open()
    const reply = await send(path, body)
    const text = await reply.text()
    expect([reply.status, text]).toEqual([200, expect.stringContaining('main')])
    const [row, ...more] = await rows()
    if (row === undefined) throw new Error('Nothing was charged.')
    expect(more).toEqual([])
    expect(row).toMatchObject({ model_id: 'spare', cost_nano: priceOf(row) })
    expect(row.cost_nano).toBeGreaterThanOrEqual(50 * 20_000)
    expect(await record()).toMatchObject([
      {
        model_asked: 'main',
        model_served: 'spare',
        upstream: 'own',
        upstream_key: expect.stringMatching(/^[0-9a-f]{16}$/),
      },
    ])
    const { spend, held } = (await fairgate.manage.teamInfo(teamId)).team_info
    expect([Math.round(spend * 1e9), held]).toEqual([row.cost_nano, 0])
  })

  test("the key's budget for the requested model pays", async () => {
    const { key, send, rows } = await open({}, { model_max_budget: { main: 0.01 } })
    let statuses: number[] = []
    for (let call = 0; call < 20; call += 1) {
      const reply = await send('/v1/chat/completions', chat)
      await reply.arrayBuffer()
      statuses = [...statuses, reply.status]
    }
    const charged = (await rows()).reduce((sum, { cost_nano }) => sum + cost_nano, 0)
    // The rest of the budget does not cover the fallback, so only the model itself is called, which is down.
    expect(statuses.at(-1)).toBe(502)
    expect(statuses.lastIndexOf(200)).toBeLessThan(statuses.indexOf(502))
    expect(charged).toBeGreaterThan(5_000_000)
    expect(charged).toBeLessThanOrEqual(10_000_000)
    const totals = await runStored<{ owner: string; spent_nano: number }>(
      fairgate.place,
      "select owner, spent_nano from totals where owner like 'key_model:%' and spent_nano = cast(? as bigint)",
      [String(charged)],
    )
    expect(totals.map(({ owner }) => owner.split(':').at(-1))).toEqual(['main'])
    expect(key).toStartWith('sk-')
  })

  test('if the budget does not cover the dearest fallback, only the model itself is called', async () => {
    fairgate.sandbox.setKey(upstreamKey, 'valid')
    const { send, rows } = await open({ max_budget: 0.0005 })
    const served = await send('/v1/chat/completions', {
      ...chat,
      messages: [{ role: 'user', content: 'Hi' }],
    })
    await served.arrayBuffer()
    expect(served.status).toBe(200)
    expect(await rows()).toMatchObject([{ model_id: 'main' }])
  })

  test('without a fallback, with multiple choices, and on the pass-through the client gets the failure', async () => {
    const { send, rows } = await open()
    for (const [path, body] of [
      ['/v1/chat/completions', { ...chat, model: 'alone' }],
      ['/v1/chat/completions', { ...chat, n: 2 }],
      ['/vendor/v1beta/models/main:generateContent', { contents: [{ parts: [{ text: 'Hi' }] }] }],
    ] as const) {
      const reply = await send(path, body)
      expect([path, reply.status, await reply.text()]).toEqual([
        path,
        502,
        expect.stringContaining('credential'),
      ])
    }
    expect(await rows()).toEqual([])
  })
})

test('calls that may have been processed are not sent to a fallback', async () => {
  fairgate.sandbox.setKey(upstreamKey, 'valid')
  const { send, rows } = await open()
  const reply = await send('/v1/chat/completions', {
    ...chat,
    messages: [{ role: 'user', content: '[[sandbox: error=504]]' }],
  })
  expect([reply.status, await rows()]).toEqual([504, []])
})

test('the model itself serves while it can, recorded with its upstream and key', async () => {
  fairgate.sandbox.setKey(upstreamKey, 'valid')
  // The pause of its key ends with the first success.
  const { send, rows, record } = await open()
  await (await send('/v1/chat/completions', chat)).arrayBuffer()
  expect(await rows()).toMatchObject([{ model_id: 'main' }])
  expect(await record()).toMatchObject([
    { model_served: 'main', upstream: 'vendor', upstream_key: expect.any(String) },
  ])
})
