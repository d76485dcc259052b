// Every priced unit: header, ledger row and spend of the key equal what the upstream bills × the price list.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampleFiles } from './testing/sample-files.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

let fairgate: Fairgate
let key: string
beforeAll(async () => {
  fairgate = await startFairgate()
  key = await fairgate.manage.team('payer', { max_budget: 1000 })
})
afterAll(() => fairgate.stop())

type Billed = ReturnType<Fairgate['sandbox']['counters']>['billed'][string]
/** Nano-dollars, from what the sandbox billed for the call; the prices are repeated here, independent of the catalog. */
type PriceList = (billed: Billed) => number

const post = (path: string, body: object | FormData) =>
  fetch(`${fairgate.gatewayUrl}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
    },
    body: body instanceof FormData ? body : JSON.stringify(body),
  })

const chat =
  (model: string, content: unknown, more: object = {}) =>
  () =>
    post('/chat/completions', { model, messages: [{ role: 'user', content }], ...more })
const image =
  (model: string, more: object = {}) =>
  () =>
    post('/images/generations', { model, prompt: 'A cat', ...more })
const audio = (model: string, voice: string) => () =>
  post('/audio/speech', { model, voice, input: 'Good morning' })

const silenceBase64 = async () =>
  Buffer.from((await sampleFiles.file?.().bytes()) ?? new Uint8Array()).toString('base64')

const tokens =
  (input: number, cached: number, output: number): PriceList =>
  ({ promptTokens, cachedTokens, candidatesTokens, thoughtsTokens }) =>
    (promptTokens - cachedTokens) * input +
    cachedTokens * cached +
    (candidatesTokens + thoughtsTokens) * output

const calls: [name: string, upstreamId: string, call: () => Promise<Response>, price: PriceList][] = [
  ['text', 'gemini-2.5-flash', chat('mm-2.5-flash', 'Hello'), tokens(300, 30, 2500)],
  [
    'cached input',
    'gemini-2.5-flash',
    chat('mm-2.5-flash', `${'word '.repeat(200)}[[sandbox: cachedTokens=50]]`),
    tokens(300, 30, 2500),
  ],
  [
    'reasoning',
    'gemini-2.5-pro',
    chat('mm-2.5-pro', 'Think [[sandbox: thinkingTokens=30]]', { reasoning_effort: 'low' }),
    tokens(1250, 125, 10_000),
  ],
  [
    'audio as input',
    'gemini-2.5-flash',
    async () =>
      chat('mm-2.5-flash', [
        { type: 'text', text: 'What is it?' },
        { type: 'input_audio', input_audio: { data: await silenceBase64(), format: 'wav' } },
      ])(),
    billed => tokens(300, 30, 2500)(billed) + (billed.inputAudioTokens ?? 0) * 700,
  ],
  [
    'an image by a chat model',
    'gemini-3.1-flash-image',
    image('imgalias-2'),
    ({ promptTokens, candidatesTokens }) => promptTokens * 500 + candidatesTokens * 60_000,
  ],
  [
    'the dearest image',
    'gemini-3-pro-image',
    image('imgalias-pro'),
    ({ promptTokens, candidatesTokens }) => promptTokens * 2000 + candidatesTokens * 120_000,
  ],
  [
    'two images with a price per item',
    'imagen-4.0-generate-001',
    image('imggen-4', { n: 2 }),
    () => 80_000_000,
  ],
  ['one fast image', 'imagen-4.0-fast-generate-001', image('imggen-4-fast'), () => 20_000_000],
  ['one ultra image', 'imagen-4.0-ultra-generate-001', image('imggen-4-ultra'), () => 60_000_000],
  [
    'speech',
    'gemini-2.5-flash-preview-tts',
    audio('mm-2.5-flash-preview-tts', 'Puck'),
    ({ promptTokens, candidatesTokens }) => promptTokens * 500 + candidatesTokens * 10_000,
  ],
  ['a clip', 'lyria-3-clip-preview', audio('music-3-clip-preview', 'default'), () => 40_000_000],
  ['a song', 'lyria-3-pro-preview', audio('music-3-pro-preview', 'default'), () => 80_000_000],
  [
    'a transcript',
    'gemini-3.5-transcribe',
    () => {
      const form = new FormData()
      form.append('model', 'mm-3.5-transcribe-preview')
      form.append('file', sampleFiles.file?.() ?? '')
      return post('/audio/transcriptions', form)
    },
    tokens(2000, 2000, 12_000),
  ],
]

const spendOfKey = async () => {
  const reply = await fetch(`${fairgate.gatewayUrl}/key/info`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { info } = (await reply.json()) as { info: { spend: number } }
  return Math.round(info.spend * 1e9)
}

test.each(calls)('spec 4.1, spec 8: %s', async (_, upstreamId, call, price) => {
  fairgate.sandbox.resetCounters()
  const before = await spendOfKey()
  const response = await call()
  expect(response.status).toBe(200)
  await response.arrayBuffer()
  const billed = fairgate.sandbox.counters().billed[upstreamId]
  if (billed === undefined) throw new Error('Nothing was billed.')
  const expected = price(billed)
  expect(expected).toBeGreaterThan(0)
  expect(Math.round(Number(response.headers.get('x-gateway-response-cost')) * 1e9)).toBe(expected)
  const charge = (await readCharges(fairgate.place, 'payer')).at(-1)
  expect([charge?.cost_nano, charge?.flag, charge?.outcome]).toEqual([expected, null, 'completed'])
  expect((await spendOfKey()) - before).toBe(expected)
})
