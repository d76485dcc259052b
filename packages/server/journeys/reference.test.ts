// suite: 12 s
// The reference is correct: all answers of routes are declared, every described header is sent, and the models shown
// are the current ones.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createReplyCheck, type ReplyCheck } from './testing/declared-reply.ts'
import {
  buildWorkingRequest,
  credentialFor,
  type DoorRoute,
  listDoorRoutes,
  longPhase,
  needsJudging,
  readReply,
} from './testing/door-routes.ts'
import { ingest, sampleEntry } from './testing/logbook-client.ts'
import { createVideoClient } from './testing/make-video.ts'
import { createPreparer } from './testing/prepare-route.ts'
import { sampleFiles } from './testing/sample-files.ts'
import { adminKey, type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
let check: ReplyCheck
let key: string
let token: string
let videoId: string
/** Some weeks before the end of the model that the shipped catalog says ends. */
const now = Date.parse('2026-09-01T00:00:00Z')

beforeAll(async () => {
  fairgate = await startFairgate({}, () => Math.floor(now + performance.now()))
  check = await createReplyCheck(fairgate)
  await fairgate.manage.change('PUT', '/event/phases', { phases: [longPhase] })
  key = await fairgate.manage.team('reader', { max_budget: 100, rpm_limit: 1000, tpm_limit: 10_000_000 })
  token = (await fairgate.manage.token('reader')).token
  await ingest(fairgate.logbookUrl, token, [sampleEntry])
  videoId = (await createVideoClient(fairgate.gatewayUrl, key).make()).id
})
afterAll(async () => {
  await fairgate.stop()
})

type Headers = Readonly<Record<string, string>>

const post = (path: string, body: object, headers: Headers = {}, secret = key) =>
  fetch(`${fairgate.gatewayUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const chatBody = (more: object = {}) => ({
  model: 'mm-2.5-flash',
  messages: [{ role: 'user', content: 'Hello' }],
  ...more,
})

describe('everything that routes answer is declared', () => {
  const transcribe = (format: string) => {
    const form = new FormData()
    form.append('model', 'mm-3.5-transcribe-preview')
    form.append('file', sampleFiles.file?.() ?? '')
    form.append('response_format', format)
    return fetch(`${fairgate.gatewayUrl}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    })
  }
  const download = (range: string) =>
    createVideoClient(fairgate.gatewayUrl, key).get(`/${videoId}/content`, { range })
  const startUpload = () =>
    post(
      '/vendor/upload/v1beta/files',
      {},
      {
        authorization: '',
        'x-goog-api-key': key,
        'x-goog-upload-protocol': 'resumable',
        'x-goog-upload-command': 'start',
        'x-goog-upload-header-content-length': '5',
        'x-goog-upload-header-content-type': 'text/plain',
      },
    )
  const poorKey = (fields: object) => fairgate.manage.key('reader', fields)
  const speech = (response_format: string) =>
    post('/v1/audio/speech', {
      model: 'mm-2.5-flash-preview-tts',
      input: 'Hi',
      voice: 'Zephyr',
      response_format,
    })

  const cases: Readonly<Record<string, () => Promise<Response>>> = {
    'a stream': () =>
      post('/v1/chat/completions', chatBody({ stream: true, stream_options: { include_usage: true } })),
    "a stream of the vendor's events": () =>
      post(
        '/vendor/v1beta/models/mm-2.5-flash:streamGenerateContent?alt=sse',
        { contents: [{ parts: [{ text: 'Hello' }] }] },
        { authorization: '', 'x-goog-api-key': key },
      ),
    'an upload in pieces': () => startUpload(),
    'the state of an upload': async () => {
      const address = (await startUpload()).headers.get('x-goog-upload-url') ?? ''
      return fetch(address, { method: 'POST', headers: { 'x-goog-upload-command': 'query' } })
    },
    'an image at its address': async () => {
      const wish = { model: 'imggen-4', prompt: 'A cat', response_format: 'url' }
      const { data } = (await (await post('/v1/images/generations', wish)).json()) as {
        data: { url: string }[]
      }
      return fetch(data[0]?.url ?? '')
    },
    'speech as wav': () => speech('wav'),
    'speech as pcm': () => speech('pcm'),
    'a transcript with times': () => transcribe('verbose_json'),
    'a transcript as text': () => transcribe('text'),
    subtitles: () => transcribe('srt'),
    'subtitles of the Web': () => transcribe('vtt'),
    'a part of a video': () => download('bytes=0-9'),
    'no part of a video': () => download('bytes=999999999-'),
    'a model that ends': () => post('/v1/images/generations', { model: 'imgalias', prompt: 'A lighthouse' }),
    'a refusal by the model': () =>
      post('/v1/images/generations', { model: 'imgalias', prompt: 'A [[sandbox: blockPrompt=SAFETY]]' }),
    'a reduced output cap': async () =>
      post('/v1/chat/completions', chatBody(), {}, await poorKey({ max_budget: 0.01 })),
    'a full window of requests': async () => {
      const poor = await poorKey({ rpm_limit: 1 })
      await post('/v1/chat/completions', chatBody(), {}, poor)
      return post('/v1/chat/completions', chatBody(), {}, poor)
    },
    'a spent budget': async () =>
      post('/v1/chat/completions', chatBody(), {}, await poorKey({ max_budget: 0 })),
    'no key': () => post('/v1/chat/completions', chatBody(), { authorization: '' }),
  }
  test.each(Object.keys(cases))('to %s', async name => {
    const response = await cases[name]?.()
    expect(response === undefined ? ['no reply'] : check.find(response, await response.text())).toEqual([])
  })

  test('to people who sign in on a page', async () => {
    const response = await fetch(`${fairgate.adminUrl}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: adminKey }),
    })
    expect(check.find(response, await response.text(), 'POST')).toEqual([])
  })

  test('by every route, to valid requests; to paid ones twice with one Idempotency-Key', async () => {
    const prepare = await createPreparer({ ...fairgate, key, token, videoId })
    const isDelete = ({ method }: DoorRoute) => Number(method === 'DELETE')
    const routes = (await listDoorRoutes(fairgate))
      .filter(route => !route.isAlias && !needsJudging(route))
      .sort((one, other) => isDelete(one) - isDelete(other))
    const undeclared: string[] = []
    for (const [number, route] of routes.entries()) {
      const { values, secret } = await prepare(route)
      const { url, method, body } = buildWorkingRequest(fairgate, route, values)
      const takesKey = route.parameters.some(({ name }) => name === 'Idempotency-Key')
      for (let time = 0; time < (takesKey ? 2 : 1); time += 1) {
        const response = await fetch(url, {
          method,
          headers: {
            ...credentialFor(route, secret),
            ...(takesKey ? { 'idempotency-key': `call-${number}` } : {}),
            ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === null ? {} : { body }),
        })
        undeclared.push(...check.find(response, await readReply(response), method))
        expect([url, response.status < 300]).toEqual([url, true])
      }
    }
    expect(undeclared).toEqual([])
  })

  // Last, because it checks the answers to all requests above.
  test('and nothing else: each described header was seen', () => {
    expect([...check.described].filter(name => !check.seen.has(name))).toEqual([])
  })
})

describe('the page', () => {
  const page = async (url = fairgate.gatewayUrl, path = '/docs') => (await fetch(`${url}${path}`)).text()

  test.each(['GET', 'HEAD'])(
    'is the same at /docs/, also with %s, and its links lead to the same places',
    async method => {
      for (const url of [fairgate.gatewayUrl, fairgate.logbookUrl, fairgate.adminUrl]) {
        const response = await fetch(`${url}/docs/`, { method, redirect: 'manual' })
        expect([response.status, response.headers.get('content-type')]).toEqual([
          200,
          'text/html; charset=utf-8',
        ])
      }
      const links = (text: string, base: string) =>
        [...text.matchAll(/href="([^"#]+)"/g)].map(([, link = '']) => new URL(link, base).href)
      const { gatewayUrl } = fairgate
      const slashed = links(await page(gatewayUrl, '/docs/'), `${gatewayUrl}/docs/`)
      expect(slashed).toEqual(links(await page(), `${gatewayUrl}/docs`))
      expect(slashed).toContain(`${gatewayUrl}/docs/docs.css`)
    },
  )

  test('starts with its title, before the table of contents', async () => {
    const text = await page()
    expect(text.indexOf('<h1>')).toBeGreaterThan(0)
    expect(text.indexOf('<h1>')).toBeLessThan(text.indexOf('<nav'))
  })

  test('spec 9.4: shows models with prices, limits and retirement dates', async () => {
    const text = (await page()).replaceAll(/<\/?(?:code|td|br|tr)[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
    expect(text).toContain('mm-2.5-flash 0.30 1.00 0.03 2.50 0.035 1,048,576 65,536')
    expect(text).toContain('mm-2.5-pro 1.25 0.125 10.00 0.035 1,048,576 65,536')
    expect(text).toContain('above 200,000 input tokens 2.50 0.25 15.00 0.035')
    expect(text).toMatch(/mm-2\.5-flash-image also imgalias .* 2026-10-02/)
    expect(text).toContain('imggen-4.0-generate-001 also imggen-4 0.04 480 1 to 4 images per call')
    expect(text).toContain('all teams: 105 requests per minute')
    expect(text).toContain('video-*')
  })

  test("explains how to call the vendor's own API, and links to the recorder", async () => {
    expect(await page()).toContain('<code>x-goog-api-key</code>')
    const logbook = await page(fairgate.logbookUrl)
    expect(logbook).toContain('/recorder/install.sh | sh')
    for (const path of ['', '/install.ps1', '/fairgate-recorder.tgz', '/fairgate-recorder.cjs'])
      expect(logbook).toContain(`/recorder${path}"`)
  })
})

describe("the vendor's name of a model gets an error with its name here", () => {
  const messageOf = async (response: Response) => {
    const { error } = (await response.json()) as { error: { message: string } }
    return [response.status, error.message]
  }
  const vendor = (path: string, init: RequestInit = {}) =>
    fetch(`${fairgate.gatewayUrl}/vendor/v1beta/${path}`, {
      ...init,
      headers: { 'x-vendor-api-key': key, 'content-type': 'application/json' },
    })
  const called = (theirs: string, ours: string) => [
    404,
    `${theirs} is called ${ours} here. GET /v1/models lists what this key can call.`,
  ]

  test.each([
    ['gemini-2.5-flash', 'mm-2.5-flash'],
    ['google/gemini-2.5-flash', 'mm-2.5-flash'],
    ['models/mm-2.5-flash', 'mm-2.5-flash'],
    ['imagen-4.0-generate-001', 'imggen-4.0-generate-001'],
    ['veo-9.9-new-001', 'video-9.9-new-001'],
  ])('%s in a body', async (theirs, ours) => {
    expect(await messageOf(await post('/v1/chat/completions', chatBody({ model: theirs })))).toEqual(
      called(theirs, ours),
    )
  })

  test('in our paths and in those of the pass-through', async () => {
    const answer = called('gemini-2.5-flash', 'mm-2.5-flash')
    const read = (path: string) =>
      fetch(`${fairgate.gatewayUrl}${path}`, { headers: { authorization: `Bearer ${key}` } })
    expect(await messageOf(await read('/v1/models/gemini-2.5-flash'))).toEqual(answer)
    expect(await messageOf(await vendor('models/gemini-2.5-flash'))).toEqual(answer)
    const body = JSON.stringify({ contents: [{ parts: [{ text: 'Hello' }] }] })
    const generate = await vendor('models/gemini-2.5-flash:generateContent', { method: 'POST', body })
    expect(await messageOf(generate)).toEqual(answer)
  })

  test("for organisers who set a team's models, too", async () => {
    const { manage } = fairgate
    const refused = await manage.call('POST', '/team/new', { models: ['gemini-2.5-flash'] })
    expect(await messageOf(refused)).toEqual([
      400,
      "Invalid value for 'models[0]': gemini-2.5-flash is called mm-2.5-flash here.",
    ])
  })

  test('other names are unknown as before', async () => {
    expect(await messageOf(await post('/v1/chat/completions', chatBody({ model: 'nothing' })))).toEqual([
      404,
      "The model 'nothing' does not exist. GET /v1/models lists what this key can call.",
    ])
  })
})
