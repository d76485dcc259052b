// An upstream that bills more than was held, reports impossible counts, or sends an empty 200: the client's reply and charge.
//
// Shown to fail on the build before: 5,000 tokens of output on a cap of 16 cost 0.0125 USD of a hold of 0.00005, nine images instead of one
// 0.36, embeddings of 5e9 tokens 750, a count of 9e15 kept its hold and slot, and empty replies were refusals that cost their hold.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { runStored } from './testing/stored-rows.ts'

type Answer = (path: string) => Response | Promise<Response>

let answer: Answer
let vendor: Bun.Server<undefined>
let fairgate: Fairgate
let teams = 0
/** A fixed clock, so that all calls of a test are in one minute. */
const now = Date.now()
beforeAll(async () => {
  vendor = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => {
      await request.arrayBuffer()
      return answer(new URL(request.url).pathname)
    },
  })
  fairgate = await startFairgate(
    { variables: { VENDOR_BASE_URL: `http://127.0.0.1:${vendor.port}` } },
    () => now,
  )
})
afterAll(async () => {
  await fairgate.stop()
  await vendor.stop(true)
})

type Row = { cost_nano: number; outcome: string; flag: string | null; reported: string | null }

/** Creates a team with one key. */
async function open(fields: object = {}) {
  teams += 1
  const teamId = `patient-${teams}`
  const key = await fairgate.manage.team(teamId, { max_budget: 10, ...fields })
  const send = (path: string, body: object | FormData, signal: AbortSignal | null = null) =>
    fetch(`${fairgate.gatewayUrl}${path}`, {
      method: 'POST',
      headers: {
        'x-vendor-api-key': key,
        ...(path.startsWith('/vendor') ? {} : { authorization: `Bearer ${key}` }),
        ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
      },
      body: body instanceof FormData ? body : JSON.stringify(body),
      signal,
    })
  /** Reads the ledger, the team's record and the running calls. */
  const settled = async () => {
    const rows = await runStored<Row>(
      fairgate.place,
      'select cost_nano, outcome, flag, reported from charges where team_id = ?',
      [teamId],
    )
    const { spend, held } = (await fairgate.manage.teamInfo(teamId)).team_info
    return {
      rows: rows.map(row => ({ ...row, cost_nano: Number(row.cost_nano) })),
      spend: Math.round(spend * 1e9),
      held,
    }
  }
  return { send, settled }
}

const json = (value: unknown) => Response.json(value)
const candidates = [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP', index: 0 }]
const generated = (promptTokenCount: number, candidatesTokenCount: number) => ({
  candidates,
  usageMetadata: {
    promptTokenCount,
    candidatesTokenCount,
    totalTokenCount: promptTokenCount + candidatesTokenCount,
  },
})
const event = (value: object) => new Response(`data: ${JSON.stringify(value)}\r\n\r\n`)
const images = (count: number) =>
  json({
    predictions: Array.from({ length: count }, () => ({ bytesBase64Encoded: 'aGk=', mimeType: 'image/png' })),
  })
const vectors = (totalTokens: unknown) => (path: string) =>
  path.endsWith(':countTokens')
    ? new Response(`{"totalTokens":${totalTokens}}`)
    : json({ embeddings: [{ values: [0.5] }], embedding: { values: [0.5] } })

const chat = { model: 'mm-2.5-flash', max_tokens: 16, messages: [{ role: 'user', content: 'Hi' }] }
const say = { contents: [{ parts: [{ text: 'Hi' }] }], generationConfig: { maxOutputTokens: 16 } }
const relayed = (rest: string) => `/vendor/v1beta/models/${rest}`
const flash = relayed('mm-2.5-flash:generateContent')
const streamed = relayed('mm-2.5-flash:streamGenerateContent')
const embed = { model: 'mm-embedding-001', input: 'Hi' }
/** 18 bytes of input from above at 300, 16 tokens of output at 2,500. */
const heldForChat = 18 * 300 + 16 * 2500
/** 18 tokens from above at 150. */
const heldForVector = 18 * 150

describe('spec 8: a charge is never more than its hold', () => {
  test.each<[string, Answer, string, object, number | null]>([
    ['output above the cap', () => json(generated(4, 5000)), '/v1/chat/completions', chat, heldForChat],
    [
      'input above its upper bound',
      () => json(generated(90_000, 2)),
      '/v1/chat/completions',
      chat,
      heldForChat,
    ],
    [
      'one of two choices above the cap',
      () => json(generated(4, 5000)),
      '/v1/chat/completions',
      { ...chat, n: 2 },
      2 * heldForChat,
    ],
    [
      'output of a stream',
      () => event(generated(4, 5000)),
      '/v1/chat/completions',
      { ...chat, stream: true },
      heldForChat,
    ],
    [
      'more cached than input',
      () =>
        json({
          ...generated(4, 5000),
          usageMetadata: { promptTokenCount: 4, cachedContentTokenCount: 9000, candidatesTokenCount: 5000 },
        }),
      '/v1/chat/completions',
      chat,
      heldForChat,
    ],
    [
      'nine images instead of one',
      () => images(9),
      '/v1/images/generations',
      { model: 'imggen-4', prompt: 'x' },
      40_000_000,
    ],
    [
      'a refusal with usage',
      () => json({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 90_000 } }),
      '/v1/chat/completions',
      chat,
      heldForChat,
    ],
    ['embeddings of 5e9 tokens', vectors(5e9), '/v1/embeddings', embed, heldForVector],
    ['embeddings of 9e15 tokens', vectors(9e15), '/v1/embeddings', embed, heldForVector],
    ['a relayed answer', () => json(generated(4, 5000)), flash, say, null],
    ['a relayed stream', () => event(generated(4, 5000)), `${streamed}?alt=sse`, say, null],
    [
      'nine relayed images',
      () => images(9),
      relayed('imggen-4:predict'),
      { instances: [{ prompt: 'x' }] },
      40_000_000,
    ],
    [
      'relayed embeddings of 5e9 tokens',
      vectors(5e9),
      relayed('mm-embedding-001:embedContent'),
      { content: { parts: [{ text: 'Hi' }] } },
      null,
    ],
  ])('%s', async (_, reply, path, body, expected) => {
    const { send, settled } = await open()
    answer = reply
    const response = await send(path, body)
    await response.text()
    expect(response.status).toBe(200)
    const { rows, spend, held } = await settled()
    expect(rows).toMatchObject([{ outcome: 'completed', flag: 'usage_above_hold' }])
    const [{ cost_nano = 0, reported = null } = {}] = rows
    if (expected !== null) expect(cost_nano).toBe(expected)
    expect(cost_nano).toBeLessThan(40_000_001)
    expect(Number(JSON.parse(reported ?? '{}').cost_nano)).toBeGreaterThan(cost_nano)
    expect([spend, held]).toEqual([cost_nano, 0])
  })

  test('excess is counted, and implausible usage does not lock the team out', async () => {
    const { send } = await open({ tpm_limit: 100_000 })
    answer = vectors(5e9)
    expect((await send('/v1/embeddings', embed)).status).toBe(200)
    const again = await send('/v1/embeddings', embed)
    expect(again.status).toBe(200)
    expect(Number(again.headers.get('x-ratelimit-remaining-tokens'))).toBeGreaterThan(99_000)
    const metrics = await (await fetch(`${fairgate.adminUrl}/metrics`)).text()
    expect(metrics).toMatch(/fairgate_charges_flagged_total\{flag="usage_above_hold"\} [1-9]/)
  })

  test('a plausible excess counts in the token window', async () => {
    const { send } = await open({ tpm_limit: 100_000 })
    answer = () => json(generated(4, 5000))
    await send('/v1/chat/completions', chat)
    const again = await send('/v1/chat/completions', chat)
    expect(Number(again.headers.get('x-ratelimit-remaining-tokens'))).toBeLessThan(95_000)
  })

  test.each([-1, 1.5, 1e300, '"many"'])(
    'a count of %p on embeddings: the hold is charged, and the answer delivered',
    async count => {
      const { send, settled } = await open()
      answer = vectors(count)
      const response = await send('/v1/embeddings', embed)
      expect([response.status, await response.json()]).toMatchObject([200, { data: [{ index: 0 }] }])
      const { rows } = await settled()
      expect(rows).toMatchObject([{ cost_nano: heldForVector, flag: 'usage_invalid' }])
      expect(rows[0]?.reported).toContain('totalTokens')
    },
  )
})

/** Far more bytes than the tokens that the upstream counts: its count decides the admission. */
const packed = 'a'.repeat(4000)
const heldForPacked = 100 * 300 + 16 * 2500

test.each<[string, string, object]>([
  [
    'a chat stream',
    '/v1/chat/completions',
    { ...chat, stream: true, messages: [{ role: 'user', content: packed }] },
  ],
  [
    'a relayed stream',
    `${streamed}?alt=sse`,
    { contents: [{ parts: [{ text: packed }] }], generationConfig: say.generationConfig },
  ],
])(
  '%s whose client leaves before the first usage costs at most the count it was admitted with',
  async (_, path, body) => {
    const { send, settled } = await open({ max_budget: 0.0002 })
    const asked = Promise.withResolvers<void>()
    answer = place => {
      if (place.endsWith(':countTokens')) return json({ totalTokens: 100 })
      asked.resolve()
      return new Response(new ReadableStream({}))
    }
    const client = new AbortController()
    const call = send(path, body, client.signal).catch(() => null)
    await asked.promise
    client.abort()
    await call
    for (;;) {
      const { rows, held } = await settled()
      if (held > 0 || rows.length === 0) {
        await Bun.sleep(5)
        continue
      }
      expect(rows).toMatchObject([{ outcome: 'client_closed', flag: 'estimated', cost_nano: 100 * 300 }])
      expect(rows[0]?.cost_nano).toBeLessThanOrEqual(heldForPacked)
      break
    }
  },
)

describe('an empty reply with status 200', () => {
  const recording = new FormData()
  recording.append('model', 'mm-3.5-transcribe-preview')
  recording.append('file', new File([new Uint8Array(5000)], 'a.mp3'))
  const speech = { voice: 'Kore', input: 'Hi' }
  const calls: [string, string, object | FormData][] = [
    ['chat', '/v1/chat/completions', chat],
    ['an image', '/v1/images/generations', { model: 'imgalias-2', prompt: 'x' }],
    ['an imggen image', '/v1/images/generations', { model: 'imggen-4', prompt: 'x' }],
    ['speech', '/v1/audio/speech', { ...speech, model: 'mm-2.5-flash-preview-tts' }],
    ['music', '/v1/audio/speech', { ...speech, model: 'music-3-clip-preview', voice: 'default' }],
    ['a transcript', '/v1/audio/transcriptions', recording],
    ['embeddings', '/v1/embeddings', embed],
    ['a video', '/v1/videos', { model: 'video-3.1-lite-generate-001', prompt: 'x' }],
    ['a relayed answer', flash, say],
    ['relayed music', relayed('music-3-clip-preview:generateContent'), { contents: say.contents }],
    ['a relayed vector', relayed('mm-embedding-001:embedContent'), { content: { parts: [{ text: 'Hi' }] } }],
    ['relayed images', relayed('imggen-4:predict'), { instances: [{ prompt: 'x' }] }],
    [
      'a relayed video',
      relayed('video-3.0-generate-001:predictLongRunning'),
      { instances: [{ prompt: 'x' }] },
    ],
  ]
  /** `{}` from a predict call says that all images were filtered. */
  const isFiltered = (path: string, body: object, text: string) =>
    text.startsWith('{}') && (path.includes('predict') || ('model' in body && body.model === 'imggen-4'))
  const replies = [
    '',
    'null',
    '[]',
    '{}',
    '{"error":{"code":500,"message":"x"}}',
    '[{"error":{"code":500}}]',
    '<html>',
  ]

  test.each(calls)('%s', async (_, path, body) => {
    const { send, settled } = await open()
    for (const text of replies) {
      if (isFiltered(path, body, text) && !path.includes('LongRunning')) continue
      answer = place => (place.endsWith(':countTokens') ? json({ totalTokens: 5 }) : new Response(text))
      const response = await send(path, body)
      expect([text, response.status, await response.text()]).toEqual([
        text,
        502,
        expect.stringContaining('upstream_error'),
      ])
      expect(response.headers.get('x-gateway-response-cost')).toBeNull()
    }
    const { rows, spend, held } = await settled()
    // An order is charged before its outcome is known, then refunded.
    expect(rows.reduce((sum, { cost_nano }) => sum + cost_nano, 0)).toBe(0)
    if (!path.includes('video')) expect(rows).toEqual([])
    expect([spend, held]).toEqual([0, 0])
  })

  test('a reply of an imggen model that filtered all images is a refusal', async () => {
    const { send, settled } = await open()
    answer = () => json({})
    const response = await send('/v1/images/generations', { model: 'imggen-4', prompt: 'x' })
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('content_policy_violation'),
    ])
    expect(response.headers.get('x-gateway-response-cost')).toBe('0')
    expect((await send(relayed('imggen-4:predict'), { instances: [{ prompt: 'x' }] })).status).toBe(200)
    expect((await settled()).spend).toBe(0)
  })
})
