// suite: 8 s
// Money and limits of the pass-through: charged to the nano-dollar, held at the maximum, refused instead of shortened, and limited like other calls.
// Shown to fail by holding for one candidate only, and by charging songs by their tokens.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createPassThroughCaller, say } from './testing/pass-through-caller.ts'
import { sampleFiles } from './testing/sample-files.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

let fairgate: Fairgate
let teams = 0
/** A fixed clock, so that all calls of a test are in one minute. */
const now = Date.now()
beforeAll(async () => {
  fairgate = await startFairgate({}, () => now)
})
afterAll(() => fairgate.stop())

/** Creates a team with one key. */
async function open(fields: object = {}, keyFields: object = {}, at = fairgate) {
  teams += 1
  const teamId = `payer-${teams}`
  const key = await at.manage.team(teamId, { max_budget: 1000, ...fields }, keyFields)
  return { teamId, key, ...createPassThroughCaller(at, key) }
}

const flash = 'models/mm-2.5-flash:generateContent'
const streamed = 'models/mm-2.5-flash:streamGenerateContent'
const audio = { generationConfig: { responseModalities: ['AUDIO'] } }
const lastCharge = async (teamId: string) => (await readCharges(fairgate.place, teamId)).at(-1)
const limited = (maxOutputTokens: number) => ({ generationConfig: { maxOutputTokens } })

type Billed = ReturnType<Fairgate['sandbox']['counters']>['billed'][string]
type Price = (billed: Billed) => number
const tokens =
  (input: number, cached: number, output: number): Price =>
  ({ promptTokens, cachedTokens, candidatesTokens, thoughtsTokens }) =>
    (promptTokens - cachedTokens) * input +
    cachedTokens * cached +
    (candidatesTokens + thoughtsTokens) * output

describe('spec 4.1: header, row and spend are what the upstream bills × the price list', () => {
  const calls: [string, string, string, () => object | Promise<object>, Price][] = [
    ['text', 'gemini-2.5-flash', flash, () => say('Hello'), tokens(300, 30, 2500)],
    [
      'reasoning and a cache',
      'gemini-2.5-pro',
      'models/mm-2.5-pro:generateContent',
      () => say(`${'word '.repeat(200)}[[sandbox: thinkingTokens=30; cachedTokens=50]]`),
      tokens(1250, 125, 10_000),
    ],
    [
      'a blocked prompt',
      'gemini-2.5-flash',
      flash,
      () => say('x [[sandbox: blockPrompt=SAFETY]]'),
      tokens(300, 30, 2500),
    ],
    [
      'audio as input',
      'gemini-2.5-flash',
      flash,
      async () => {
        const data = Buffer.from((await sampleFiles.file?.().bytes()) ?? []).toString('base64')
        return {
          contents: [{ parts: [{ text: 'What?' }, { inline_data: { mime_type: 'audio/wav', data } }] }],
        }
      },
      billed => tokens(300, 30, 2500)(billed) + (billed.inputAudioTokens ?? 0) * 700,
    ],
    [
      'an image in 4K',
      'gemini-3-pro-image',
      'models/imgalias-pro:generateContent',
      () =>
        say('A cat', {
          generationConfig: { responseModalities: ['IMAGE'], imageConfig: { imageSize: '4K' } },
        }),
      ({ promptTokens, candidatesTokens }) => promptTokens * 2000 + candidatesTokens * 120_000,
    ],
    [
      'speech',
      'gemini-2.5-flash-preview-tts',
      'models/mm-2.5-flash-preview-tts:generateContent',
      () => say('Good morning', audio),
      ({ promptTokens, candidatesTokens }) => promptTokens * 500 + candidatesTokens * 10_000,
    ],
    [
      'a clip',
      'lyria-3-clip-preview',
      'models/music-3-clip-preview:generateContent',
      () => say('Jazz'),
      () => 40_000_000,
    ],
    [
      'a song',
      'lyria-3-pro-preview',
      'models/music-3-pro-preview:generateContent',
      () => say('Jazz'),
      () => 80_000_000,
    ],
    [
      'a song that is refused',
      'lyria-3-clip-preview',
      'models/music-3-clip-preview:generateContent',
      () => say('x [[sandbox: finishReason=SAFETY]]'),
      () => 0,
    ],
    [
      'three images with a price per item',
      'imagen-4.0-fast-generate-001',
      'models/imggen-4-fast:predict',
      () => ({ instances: [{ prompt: 'A cat' }], parameters: { sampleCount: 3 } }),
      () => 60_000_000,
    ],
    [
      'one of three images filtered',
      'imagen-4.0-generate-001',
      'models/imggen-4:predict',
      () => ({ instances: [{ prompt: 'x [[sandbox: raiFiltered=1]]' }], parameters: { sampleCount: 3 } }),
      () => 80_000_000,
    ],
    [
      'all images filtered',
      'imagen-4.0-generate-001',
      'models/imggen-4:predict',
      () => ({ instances: [{ prompt: 'x [[sandbox: allFiltered]]' }] }),
      () => 0,
    ],
    [
      'a vector',
      'gemini-embedding-001',
      'models/mm-embedding-001:embedContent',
      () => ({ content: { parts: [{ text: 'A lighthouse in the fog' }] } }),
      ({ promptTokens }) => promptTokens * 150,
    ],
    [
      'two vectors',
      'gemini-embedding-001',
      'models/mm-embedding-001:batchEmbedContents',
      () => ({
        requests: ['one', 'two and more'].map(text => ({
          model: 'models/mm-embedding-001',
          content: { parts: [{ text }] },
        })),
      }),
      ({ promptTokens }) => promptTokens * 150,
    ],
    [
      'events',
      'gemini-2.5-flash',
      `${streamed}?alt=sse`,
      () => say('x [[sandbox: chunks=5]]'),
      tokens(300, 30, 2500),
    ],
    ['an array', 'gemini-2.5-flash', streamed, () => say('x [[sandbox: chunks=5]]'), tokens(300, 30, 2500)],
    [
      'an image in events',
      'gemini-3.1-flash-image',
      'models/imgalias-2:streamGenerateContent?alt=sse',
      () => say('A cat', { generationConfig: { responseModalities: ['IMAGE'] } }),
      ({ promptTokens, candidatesTokens }) => promptTokens * 500 + candidatesTokens * 60_000,
    ],
    [
      'a song in events',
      'lyria-3-clip-preview',
      'models/music-3-clip-preview:streamGenerateContent?alt=sse',
      () => say('Jazz'),
      () => 40_000_000,
    ],
  ]

  test.each(calls)('%s', async (_, upstreamId, path, build, price) => {
    const { teamId, key, call } = await open()
    fairgate.sandbox.resetCounters()
    const { status, headers } = await call(path, await build())
    expect(status).toBe(200)
    const billed = fairgate.sandbox.counters().billed[upstreamId]
    if (billed === undefined) throw new Error('Nothing was billed.')
    const expected = price(billed)
    const charge = await lastCharge(teamId)
    expect([charge?.cost_nano, charge?.flag, charge?.outcome]).toEqual([expected, null, 'completed'])
    const shown = headers.get('x-gateway-response-cost')
    if (path.includes(':stream')) expect(shown).toBeNull()
    else expect(Math.round(Number(shown) * 1e9)).toBe(expected)
    const reply = await fetch(`${fairgate.gatewayUrl}/key/info`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const { info } = (await reply.json()) as { info: { spend: number } }
    expect(Math.round(info.spend * 1e9)).toBe(expected)
  })
})

describe('a budget', () => {
  test('refuses calls that might not fit, and never shortens them', async () => {
    const { call } = await open({ max_budget: 0.01 })
    fairgate.sandbox.resetCounters()
    // 4,000 tokens of output cost 0.01: the input is too much.
    const refused = await call(flash, say('Hi', limited(4000)))
    expect([refused.status, refused.reason]).toEqual([429, 'budget_exceeded'])
    expect(refused.headers.get('x-should-retry')).toBe('false')
    expect(JSON.parse(refused.text)).toMatchObject({ error: { status: 'RESOURCE_EXHAUSTED' } })
    expect(fairgate.sandbox.counters().calls).toBe(0)
    const passed = await call(flash, say('Hi', limited(3000)))
    expect(passed.status).toBe(200)
    expect(passed.headers.get('x-gateway-output-cap')).toBeNull()
  })

  test("holds the model's longest answer if no cap is given", async () => {
    // 65,536 tokens of output cost 0.16384.
    expect((await (await open({ max_budget: 0.16 })).call(flash, say('Hi'))).reason).toBe('budget_exceeded')
    expect((await (await open({ max_budget: 0.17 })).call(flash, say('Hi'))).status).toBe(200)
  })

  test('holds every candidate, and the image at its size', async () => {
    const { call } = await open({ max_budget: 0.17 })
    const four = say('Hi', { generationConfig: { candidateCount: '4', maxOutputTokens: 20_000 } })
    expect((await call(flash, four)).reason).toBe('budget_exceeded')
    const image = (imageSize: string) =>
      say('A cat', { generationConfig: { maxOutputTokens: 1000, imageConfig: { imageSize } } })
    // 2,000 tokens of 120 USD a million are 0.24; 1,120 are 0.1344.
    expect((await call('models/imgalias-pro:generateContent', image('4K'))).reason).toBe('budget_exceeded')
    expect((await call('models/imgalias-pro:generateContent', image('1K'))).status).toBe(200)
  })

  test('counts the input exactly if only its upper bound does not fit', async () => {
    // A byte a token would be 0.003 of input; it has a quarter of that.
    const { call } = await open({ max_budget: 0.0028 })
    const body = say('word '.repeat(2000), limited(400))
    fairgate.sandbox.resetCounters()
    expect((await call(flash, body)).status).toBe(200)
    expect(fairgate.sandbox.counters().counted).toBe(1)
  })

  test('holds the whole context for a search', async () => {
    const { call } = await open({ max_budget: 0.1 })
    const search = say('Hi', { tools: [{ google_search: {} }], ...limited(10) })
    expect((await call(flash, search)).reason).toBe('budget_exceeded')
    const rich = await open()
    expect((await rich.call(flash, search)).status).toBe(200)
    const charge = await lastCharge(rich.teamId)
    expect(JSON.parse(charge?.units ?? '{}')).toHaveProperty('search')
  })

  test('pays for exactly 7 of 20 equal parallel calls', async () => {
    const { call, teamId } = await open({ max_budget: 0.14 })
    const image = { instances: [{ prompt: 'A cat' }] }
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => call('models/imggen-4-fast:predict', image)),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(7)
    expect((await fairgate.manage.teamInfo(teamId)).team_info.spend).toBe(0.14)
  })
})

describe('missing usage', () => {
  test.each([
    ['noUsage', 'usage_absent'],
    ['badUsage=negative', 'usage_invalid'],
    ['badUsage=absurd', 'usage_invalid'],
  ])('%s: the hold is charged and flagged', async (switches, flag) => {
    for (const path of [flash, `${streamed}?alt=sse`, streamed]) {
      const { call, teamId } = await open()
      expect((await call(path, say(`x [[sandbox: ${switches}]]`, limited(16)))).status).toBe(200)
      const charge = await lastCharge(teamId)
      expect(charge?.flag).toBe(flag)
      expect(charge?.cost_nano).toBeGreaterThanOrEqual(16 * 2500)
    }
  })
})

test('a failed call costs nothing', async () => {
  const { call, teamId } = await open()
  // All at once, because retries wait in between.
  const failing = [400, 404, 429, 500, 503, 504].flatMap(error =>
    [flash, `${streamed}?alt=sse`, streamed].map(path =>
      call(path, say(`x [[sandbox: error=${error}; errorTimes=99]]`)),
    ),
  )
  for (const { status } of await Promise.all(failing)) expect(status).toBeGreaterThan(399)
  const early = await call(`${streamed}?alt=sse`, say('x [[sandbox: errorInStream=0; error=500]]'))
  expect(early.status).toBe(500)
  expect(await readCharges(fairgate.place, teamId)).toEqual([])
  expect((await fairgate.manage.teamInfo(teamId)).team_info).toMatchObject({ spend: 0, held: 0 })
}, 300_000)

describe('clients that leave', () => {
  async function chargeWhenSettled(teamId: string) {
    for (;;) {
      const { team_info } = await fairgate.manage.teamInfo(teamId)
      const [charge] = await readCharges(fairgate.place, teamId)
      if (team_info.held === 0 && charge !== undefined) return charge
      await Bun.sleep(5)
    }
  }

  test.each([[`${streamed}?alt=sse`], [streamed]])(
    '%s is stopped upstream and charged for what was produced',
    async path => {
      const { post, teamId } = await open()
      fairgate.sandbox.resetCounters()
      const leaving = new AbortController()
      const release = fairgate.holdUpstream()
      const body = say('x [[sandbox: chunks=10; outputTokens=100; chunkDelayMs=1]]')
      const response = await post(path, body, { signal: leaving.signal })
      await response.body?.getReader().read()
      leaving.abort()
      const charge = await chargeWhenSettled(teamId)
      expect(charge.outcome).toBe('client_closed')
      const { outputText = 0 } = JSON.parse(charge.units) as { outputText?: number }
      expect(outputText).toBeGreaterThan(0)
      expect(outputText).toBeLessThan(100)
      release()
      while (fairgate.sandbox.counters().running > 0) await Bun.sleep(5)
      expect(fairgate.sandbox.counters().aborted).toBe(1)
    },
  )

  test('a whole reply finishes and is charged in full', async () => {
    const { post, teamId } = await open()
    fairgate.sandbox.resetCounters()
    const leaving = new AbortController()
    const release = fairgate.holdUpstream()
    const body = say('x [[sandbox: firstByteDelayMs=1; outputTokens=30]]')
    const call = post(flash, body, { signal: leaving.signal }).catch(() => null)
    while (fairgate.sandbox.counters().calls === 0) await Bun.sleep(2)
    leaving.abort()
    await call
    release()
    const charge = await chargeWhenSettled(teamId)
    expect(charge.outcome).toBe('completed')
    expect(JSON.parse(charge.units)).toMatchObject({ outputText: 30 })
  })
})

describe('spec 5.2: limits', () => {
  test('requests per minute, shared with the other routes; counting and listing do not count', async () => {
    const { call, get, key } = await open({ rpm_limit: 2 })
    expect((await call(flash, say('Hi'))).status).toBe(200)
    const chat = await fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Hi' }] }),
    })
    expect(chat.status).toBe(200)
    const refused = await call(`${streamed}?alt=sse`, say('Hi'))
    expect([refused.status, refused.reason]).toEqual([429, 'rpm_exceeded'])
    expect(refused.headers.get('retry-after')).toBe('60')
    expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0')
    expect(refused.text).toContain('google.rpc.RetryInfo')
    expect((await call('models/mm-2.5-flash:countTokens', say('Hi'))).status).toBe(200)
    expect((await get('models')).status).toBe(200)
  })

  test('tokens per minute, also for one model', async () => {
    const { call } = await open({ tpm_limit: 200 })
    const body = say('[[sandbox: outputTokens=150]]', limited(150))
    expect((await call(flash, body)).status).toBe(200)
    expect((await call(flash, body)).reason).toBe('tpm_exceeded')
    const other = await open({ model_rpm_limit: { 'mm-2.5-flash': 1 } })
    expect((await other.call(flash, say('Hi'))).status).toBe(200)
    expect((await other.call(flash, say('Hi'))).reason).toBe('rpm_exceeded')
    expect((await other.call('models/mm-2.5-pro:generateContent', say('Hi'))).status).toBe(200)
  })

  test('parallel slots, also for streams and counts', async () => {
    const { post, call } = await open({}, { max_parallel_requests: 1 })
    const leaving = new AbortController()
    const release = fairgate.holdUpstream()
    const body = say('x [[sandbox: chunks=10; outputTokens=100; chunkDelayMs=1]]')
    const running = await post(`${streamed}?alt=sse`, body, { signal: leaving.signal })
    await running.body?.getReader().read()
    expect((await call(flash, say('Hi'))).reason).toBe('parallel_exceeded')
    expect((await call('models/mm-2.5-flash:countTokens', say('Hi'))).reason).toBe('parallel_exceeded')
    leaving.abort()
    release()
    let status = 0
    while (status !== 200) status = (await call(flash, say('Hi'))).status
  })

  test('models of team and key', async () => {
    const { call, get } = await open({ models: ['mm-2.5-flash', 'imggen-4'] }, { models: ['mm-2.5-flash'] })
    for (const path of [
      'models/mm-2.5-pro:generateContent',
      'models/imggen-4:predict',
      'models/mm-2.5-pro:countTokens',
    ]) {
      const refused = await call(path, say('Hi'))
      expect([refused.status, refused.reason]).toEqual([403, 'model_not_allowed'])
    }
    const { models } = JSON.parse((await get('models')).text) as { models: { name: string }[] }
    expect(models.map(({ name }) => name)).toEqual(['models/mm-2.5-flash'])
    expect((await get('models/mm-2.5-pro')).status).toBe(404)
  })

  test('routes of the key, by the path of the reference or all at once', async () => {
    const one = await open({}, { allowed_routes: ['/vendor/v1beta/models/{model}:generateContent'] })
    expect((await one.call(flash, say('Hi'))).status).toBe(200)
    const refused = await one.call(`${streamed}?alt=sse`, say('Hi'))
    expect([refused.status, refused.reason]).toEqual([403, 'route_not_allowed'])
    const all = await open({}, { allowed_routes: ['/vendor/*'] })
    expect((await all.call(`${streamed}?alt=sse`, say('Hi'))).status).toBe(200)
    const info = await fetch(`${fairgate.gatewayUrl}/key/info`, {
      headers: { authorization: `Bearer ${all.key}` },
    })
    expect(info.status).toBe(403)
  })
})

test('spec 7, spec 8: songs per minute over all teams, on every route and path', async () => {
  const shipped = readFileSync(resolve(import.meta.dir, '../../../config/models.yaml'), 'utf8')
  // What is shown does not depend on the number.
  expect(shipped.split('    rpm_limit: 105\n')).toHaveLength(3)
  const other = await startFairgate(
    { models: shipped.replaceAll('    rpm_limit: 105\n', '    rpm_limit: 9\n') },
    () => now,
  )
  try {
    const callers = await Promise.all(Array.from({ length: 3 }, () => open({}, {}, other)))
    const prompt = 'Jazz [[sandbox: mediaSeconds=1]]'
    const ways = ['generateContent', 'streamGenerateContent', 'streamGenerateContent?alt=sse']
    const singer = await open({}, {}, other)
    const speak = async () => {
      const response = await fetch(`${other.gatewayUrl}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${singer.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'music-3-pro-preview', voice: 'default', input: prompt }),
      })
      await response.bytes()
      return response
    }
    const replies = await Promise.all(
      Array.from({ length: 3 }, () => [
        ...callers.map(({ call }, index) => call(`models/music-3-pro-preview:${ways[index]}`, say(prompt))),
        speak(),
      ]).flat(),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(9)
    const refused = replies.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(3)
    for (const { headers } of refused)
      expect([headers.get('x-gateway-limit-level'), headers.get('retry-after')]).toEqual([
        'service_model',
        '60',
      ])
  } finally {
    await other.stop()
  }
})
