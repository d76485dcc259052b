// suite: 32 s
// A provider that sends too much, never ends, or lies: every client call is answered, bounded, and charged only for what is certain.
//
// Each shown to fail on the build before the bounds: gzip was inflated, endless bodies were read until memory ran out,
// redirects led anywhere, and an answer timed out if its upstream did not close.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  answerVideo,
  nameOperation,
  withoutClose,
  writePieces,
} from '@fairgate/sandbox/hostile/endless-bodies.ts'
import { type Fault, startScriptedUpstream } from '@fairgate/sandbox/hostile/start-scripted-upstream.ts'
import { createVideoClient } from './testing/make-video.ts'
import { settleVideo } from './testing/order-video.ts'
import { createPassThroughCaller, say } from './testing/pass-through-caller.ts'
import { connectRaw, writeHead } from './testing/raw-connection.ts'
import { type Fairgate, startFairgate, upstreamKey } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

const settings = (own: string) => `
upstream:
  max_retries: 0
  timeout_seconds: 8
  max_reply_mebibytes: 1
  max_stream_mebibytes: 64
  max_silence_seconds: 2
upstreams:
  own: { kind: openai, base_url: '${own}/v1' }
idempotency: { max_answer_mebibytes: 1, max_recording_mebibytes: 2 }
videos: { max_file_mebibytes: 1 }`

/** The shipped catalog, and two models behind an OpenAI-compatible server. */
const models = readFileSync(join(import.meta.dir, '../../../config/models.yaml'), 'utf8').replace(
  /^models:$/m,
  `models:
  own-chat:
    upstream: own
    upstream_id: own-chat
    context_limit: 100000
    max_output: 4096
    price: { input: 0.30, cached_input: 0.03, output: 2.50, reasoning: 2.50 }
  own-speaker:
    upstream: own
    upstream_id: own-tts
    modality: speech
    context_limit: 4096
    voices: [Kore]
    price: { input_characters: 15.00 }`,
)

const hostile = startScriptedUpstream()
let fairgate: Fairgate
beforeAll(async () => {
  fairgate = await startFairgate({
    models,
    settings: settings(hostile.url),
    variables: { VENDOR_BASE_URL: hostile.url },
  })
})
afterAll(async () => {
  await fairgate.stop()
  await hostile.stop()
})

let teams = 0
async function openTeam() {
  teams += 1
  const team = `hostile-${teams}`
  const key = await fairgate.manage.team(team, { max_budget: 100 })
  const post = (
    path: string,
    body: object,
    headers: Readonly<Record<string, string>> = {},
    signal?: AbortSignal,
  ) =>
    fetch(`${fairgate.gatewayUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    })
  return {
    key,
    post,
    vendor: createPassThroughCaller(fairgate, key),
    chat: (more: object = {}, headers = {}, signal?: AbortSignal) =>
      post('/v1/chat/completions', { ...question, ...more }, headers, signal),
    charges: () => readCharges(fairgate.place, team),
    /** Resolves once there is a charge. */
    charged: async () => {
      for (;;) {
        const [charge] = await readCharges(fairgate.place, team)
        if (charge !== undefined) return charge
        await Bun.sleep(20)
      }
    },
  }
}

const question = { model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Hello' }] }
const own = { model: 'own-chat' }
/** Paths of its operation and of its file, both below the version. */
async function orderVideo(vendor: ReturnType<typeof createPassThroughCaller>, key: string) {
  const ordered = await vendor.call('models/video-3.0-generate-001:predictLongRunning', {
    instances: [{ prompt: 'Waves' }],
  })
  const { name } = JSON.parse(ordered.text) as { name: string }
  const done = await settleVideo(fairgate.gatewayUrl, key, name)
  const uri = done.response?.generateVideoResponse?.generatedSamples?.[0]?.video.uri ?? ''
  return { name, uri: uri.slice(uri.indexOf('/v1beta/') + '/v1beta/'.length), done }
}

const json = { headers: { 'content-type': 'application/json' } }
const events = { headers: { 'content-type': 'text/event-stream' } }
const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 }
/** 3 input tokens at 300 nano-dollars, 2 of output at 2500. */
const exact = { cost_nano: 5900, flag: null, outcome: 'completed' }
const candidate = (parts: unknown, more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
})
const answer = { ...candidate([{ text: 'Hi' }], { finishReason: 'STOP' }), usageMetadata }
const event = (chunk: unknown) => `data: ${JSON.stringify(chunk)}\n\n`
const ownUsage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
const ownAnswer = {
  id: 'x',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: ownUsage,
}
const ownChunk = { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }], usage: ownUsage }
const piece = 'a'.repeat(64 * 1024)
const pieceEvent = event(candidate([{ text: piece }]))

const codeOf = async (reply: Response): Promise<unknown[]> => {
  const { error } = (await reply.json()) as { error: { code: string } }
  return [reply.status, error.code]
}
/** Far less than is available; more than network and runtime buffer. */
const expectStopped = () => expect(hostile.sentBytes()).toBeLessThan(160 * 1024 * 1024)

describe('an unrequested compressed reply is not inflated', () => {
  const packed =
    (text: string, type: string, status = 200): Fault =>
    () =>
      new Response(Bun.gzipSync(text), {
        status,
        headers: { 'content-type': type, 'content-encoding': 'gzip' },
      })

  test.each<[string, object, string, string]>([
    ['an answer', {}, JSON.stringify(answer), 'application/json'],
    ['a stream', { stream: true }, event(answer), 'text/event-stream'],
    ['an answer from an OpenAI-compatible upstream', own, JSON.stringify(ownAnswer), 'application/json'],
    [
      'a stream from an OpenAI-compatible upstream',
      { ...own, stream: true },
      `${event(ownChunk)}data: [DONE]\n\n`,
      'text/event-stream',
    ],
  ])('%s', async (_, body, text, type) => {
    hostile.answerWith(packed(text, type))
    const { chat, charges } = await openTeam()
    expect(await codeOf(await chat(body))).toEqual([502, 'upstream_error'])
    expect(await charges()).toEqual([])
  })

  test('the pass-through', async () => {
    hostile.answerWith(packed(JSON.stringify(answer), 'application/json'))
    const { vendor, charges } = await openTeam()
    const reply = await vendor.call('models/mm-2.5-flash:generateContent', say('Hello'))
    expect([reply.status, reply.reason]).toEqual([502, 'upstream_error'])
    expect(await charges()).toEqual([])
  })

  test('an error: its status is used, its text is not', async () => {
    const refusal = { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'Inflated words' } }
    hostile.answerWith(packed(JSON.stringify(refusal), 'application/json', 400))
    const reply = await (await openTeam()).chat()
    const text = await reply.text()
    expect([reply.status, text.includes('Inflated')]).toEqual([400, false])
  })
})

describe('endless replies are cut off', () => {
  const start = '{"candidates":[{"content":{"parts":[{"text":"'
  test.each<[string, object]>([
    ['an answer', {}],
    ['from an OpenAI-compatible upstream', own],
  ])('%s: 502, and nothing is charged', async (_, body) => {
    hostile.answerWith(() => hostile.endless(start, piece, json))
    const { chat, charges } = await openTeam()
    expect(await codeOf(await chat(body))).toEqual([502, 'upstream_error'])
    expect(await charges()).toEqual([])
    expectStopped()
  })

  test('an answer of the pass-through', async () => {
    hostile.answerWith(() => hostile.endless(start, piece, json))
    const { vendor, charges } = await openTeam()
    const reply = await vendor.call('models/mm-2.5-flash:generateContent', say('Hello'))
    expect([reply.status, reply.reason]).toEqual([502, 'upstream_error'])
    expect(await charges()).toEqual([])
    expectStopped()
  })

  test('with an announced size', async () => {
    hostile.answerWith(
      () =>
        new Response(new Uint8Array(3 * 1024 * 1024), { headers: { 'content-type': 'application/json' } }),
    )
    const { chat } = await openTeam()
    expect(await codeOf(await chat())).toEqual([502, 'upstream_error'])
  })

  test('an error: its beginning is passed on', async () => {
    hostile.answerWith(() =>
      hostile.endless('{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"topP is wrong ', piece, {
        status: 400,
        ...json,
      }),
    )
    const { chat, vendor, charges } = await openTeam()
    const reply = await chat()
    expect(reply.status).toBe(400)
    expect(await reply.text()).toContain('topP is wrong')
    expect((await vendor.call('models/mm-2.5-flash:generateContent', say('Hello'))).text).toContain(
      'topP is wrong',
    )
    expect(await charges()).toEqual([])
    expectStopped()
  })

  test.each<[string, object, string]>([
    ['a stream', {}, pieceEvent],
    [
      'from an OpenAI-compatible upstream',
      own,
      event({ choices: [{ index: 0, delta: { content: piece } }] }),
    ],
    ['an event', {}, piece],
  ])('%s: an error is its last event', async (_, body, each) => {
    hostile.answerWith(() => hostile.endless('data: ', each, events))
    const { chat } = await openTeam()
    const text = await (await chat({ ...body, stream: true })).text()
    expect(text).toContain('"code":"upstream_error"')
    expectStopped()
  })

  test('tool call arguments that never end', async () => {
    const call = (index: number) => ({
      choices: [{ index: 0, delta: { tool_calls: [{ index, function: { name: 'f', arguments: piece } }] } }],
    })
    hostile.answerWith(() => hostile.endless('', event(call(0)), events))
    const { chat } = await openTeam()
    expect(await (await chat({ ...own, stream: true })).text()).toContain('"code":"upstream_error"')
    expectStopped()
  })
})

describe('a stream with an Idempotency-Key that is too large to store', () => {
  const keyed = { 'idempotency-key': 'one' }
  const whole = () =>
    writePieces(
      (async function* () {
        for (let count = 0; count < 24; count += 1) yield pieceEvent
        yield event(answer)
      })(),
      events,
    )

  test('the client gets all of it; it is charged once and cannot be replayed', async () => {
    hostile.answerWith(whole)
    const { chat, charges } = await openTeam()
    const text = await (await chat({ stream: true }, keyed)).text()
    expect(text.length).toBeGreaterThan(24 * piece.length)
    expect(text).toEndWith('data: [DONE]\n\n')
    expect(await charges()).toMatchObject([exact])
    expect(await codeOf(await chat({ stream: true }, keyed))).toEqual([409, 'idempotency_lost'])
  })

  test('when the client has left it is stopped and charged for what was produced', async () => {
    hostile.answerWith(() => hostile.endless('', pieceEvent, events))
    const { chat, charged, charges } = await openTeam()
    const leaving = new AbortController()
    const reply = await chat({ stream: true }, keyed, leaving.signal)
    await reply.body?.getReader().read()
    leaving.abort()
    expect(await charged()).toMatchObject({ outcome: 'client_closed' })
    // The charge is on disk a moment before the stored key says that its answer is lost.
    let again: unknown[]
    do again = await codeOf(await chat({ stream: true }, keyed))
    while (again[1] === 'idempotency_running')
    expect(again).toEqual([409, 'idempotency_lost'])
    expect(await charges()).toHaveLength(1)
    expectStopped()
  })

  test('a client that does not read slows the upstream down', async () => {
    hostile.answerWith(() => hostile.endless('', pieceEvent, events))
    const { key, charged } = await openTeam()
    // A socket that pauses: a fetch buffers many unread mebibytes.
    const client = connectRaw(fairgate.gatewayUrl)
    const content = JSON.stringify({ ...question, stream: true })
    const head = writeHead(
      { method: 'POST', path: '/v1/chat/completions', secret: key },
      'Content-Type: application/json',
      'Idempotency-Key: one',
      `Content-Length: ${content.length}`,
    )
    client.socket.write(head + content)
    await client.until('data: ')
    client.socket.pause()
    let before = -1
    while (hostile.sentBytes() !== before) {
      before = hostile.sentBytes()
      await Bun.sleep(200)
    }
    expectStopped()
    client.socket.destroy()
    expect(await charged()).toMatchObject({ outcome: 'client_closed' })
  })
})

describe('an answer is complete although the upstream does not close', () => {
  const text = JSON.stringify(answer)
  test.each<[string, object, readonly string[], ResponseInit]>([
    ['a whole answer', {}, [text.slice(0, 20), text.slice(20)], json],
    ['a whole answer from an OpenAI-compatible upstream', own, [JSON.stringify(ownAnswer)], json],
    ['a stream', { stream: true }, [event(answer)], events],
    ['a stream from an OpenAI-compatible upstream', { ...own, stream: true }, [event(ownChunk)], events],
    ['that and its end', { ...own, stream: true }, [event(ownChunk), 'data: [DONE]\n\n'], events],
  ])('%s', async (_, body, pieces, init) => {
    hostile.answerWith(() => writePieces(withoutClose(...pieces), init))
    const { chat, charges } = await openTeam()
    const reply = await chat(body)
    const shown = await reply.text()
    expect([reply.status, shown.includes('Hi'), shown.includes('error')]).toEqual([200, true, false])
    expect(await charges()).toMatchObject([exact])
  })

  test('a pass-through answer', async () => {
    hostile.answerWith(() => writePieces(withoutClose(text), json))
    const { vendor, charges } = await openTeam()
    const reply = await vendor.call('models/mm-2.5-flash:generateContent', say('Hello'))
    expect([reply.status, reply.text]).toEqual([200, text])
    expect(await charges()).toMatchObject([exact])
  })

  test('an error', async () => {
    const refusal = { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'topP is wrong' } }
    hostile.answerWith(() => writePieces(withoutClose(JSON.stringify(refusal)), { status: 400, ...json }))
    const reply = await (await openTeam()).chat()
    expect([reply.status, (await reply.text()).includes('topP is wrong')]).toEqual([400, true])
  })
})

test('a stream that falls silent is given up before its time is over', async () => {
  hostile.answerWith(() => writePieces(withoutClose(event(candidate([{ text: 'Hi' }]))), events))
  const { chat } = await openTeam()
  expect(await (await chat({ stream: true })).text()).toContain('"code":"upstream_timeout"')
})

describe('videos', () => {
  const file = new Uint8Array(3 * 1024 * 1024).fill(7)
  const stored = (): string[] => {
    try {
      return readdirSync(join(fairgate.place.dataFolder, 'videos'))
    } catch {
      return []
    }
  }
  const order = { prompt: 'Waves', seconds: '4' }
  const leadTo = (location: (request: Request) => string) =>
    answerVideo(
      () => hostile.url,
      request =>
        new URL(request.url).pathname === '/storage'
          ? new Response(file.subarray(0, 1000), { headers: { 'content-type': 'video/mp4' } })
          : new Response(null, { status: 302, headers: { location: location(request) } }),
    )

  test.each([
    ['with its size', () => new Response(file)],
    [
      'without',
      () =>
        writePieces(
          (async function* () {
            yield file
          })(),
        ),
    ],
  ])(
    'a video that is too large is served from the upstream without a copy, announced %s',
    async (_, download) => {
      hostile.answerWith(answerVideo(() => hostile.url, download))
      const { key } = await openTeam()
      const client = createVideoClient(fairgate.gatewayUrl, key)
      const { id, status } = await client.make(order)
      expect(status).toBe('completed')
      const content = await (await client.get(`/${id}/content`)).bytes()
      expect(Buffer.from(content).equals(Buffer.from(file))).toBe(true)
      // A video is completed before it is copied.
      while (stored().some(name => name.endsWith('.part'))) await Bun.sleep(20)
      expect(stored().filter(name => name.startsWith(id))).toEqual([])
    },
  )

  test('a video without an end is completed, and no file stays', async () => {
    hostile.answerWith(
      answerVideo(
        () => hostile.url,
        () => hostile.endless('', new Uint8Array(64 * 1024)),
      ),
    )
    const { key } = await openTeam()
    const { id, status } = await createVideoClient(fairgate.gatewayUrl, key).make(order)
    expect(status).toBe('completed')
    while (hostile.sentBytes() === 0 || stored().some(name => name.endsWith('.part'))) await Bun.sleep(20)
    expect(stored().filter(name => name.startsWith(id))).toEqual([])
    expectStopped()
  })

  test('a reply declared as HTML is not served as a page', async () => {
    const page = { headers: { 'content-type': 'text/html' } }
    hostile.answerWith(
      answerVideo(
        () => hostile.url,
        () => new Response('<script>alert(1)</script>', page),
      ),
    )
    const { key, vendor } = await openTeam()
    const client = createVideoClient(fairgate.gatewayUrl, key)
    const { id } = await client.make(order)
    expect((await client.get(`/${id}/content`)).headers.get('content-type')).toBe('video/mp4')
    const { name, uri } = await orderVideo(vendor, key)
    expect(name).toContain('operations/')
    expect((await vendor.get(uri)).headers.get('content-type')).toBeNull()
  })

  test('a redirect within the upstream is followed without the key', async () => {
    const keys: (string | null)[] = []
    hostile.answerWith(request => {
      if (new URL(request.url).pathname === '/storage') keys.push(request.headers.get('x-goog-api-key'))
      return leadTo(() => '/storage')(request)
    })
    const { key } = await openTeam()
    const client = createVideoClient(fairgate.gatewayUrl, key)
    const { id } = await client.make(order)
    expect((await (await client.get(`/${id}/content`)).bytes()).length).toBe(1000)
    expect(new Set(keys)).toEqual(new Set([null]))
  })

  test('a redirect to this machine, to a private network, without https or in a loop is not followed', async () => {
    let asked = 0
    const secret = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => {
        asked += 1
        return new Response('a secret of this machine')
      },
    })
    try {
      const { key, vendor } = await openTeam()
      const client = createVideoClient(fairgate.gatewayUrl, key)
      hostile.answerWith(leadTo(() => secret.url.href))
      const { id } = await client.make(order)
      for (const location of [
        secret.url.href,
        `https://127.0.0.1:${secret.port}/`,
        'https://169.254.169.254/latest/meta-data',
        'http://192.0.2.1/video.mp4',
        'https://[::1]/',
        'https://user:word@example.org/',
        'file:///etc/passwd',
        '/again',
        '',
      ]) {
        hostile.answerWith(leadTo(() => location))
        expect(await codeOf(await client.get(`/${id}/content`))).toEqual([502, 'upstream_error'])
      }
      expect(stored().filter(name => name.startsWith(id))).toEqual([])
      hostile.answerWith(leadTo(() => secret.url.href))
      const { uri } = await orderVideo(vendor, key)
      expect(await vendor.get(uri)).toMatchObject({ status: 502, reason: 'upstream_error' })
      expect(asked).toBe(0)
    } finally {
      await secret.stop(true)
    }
  })
})

describe('what the provider says about our account is not passed on', () => {
  const leak = `Blocked for projects/123456789, project_number:987654321, key=${upstreamKey} and AIzaSyA0123456789012345678901234567890`
  const leaks = /123456789|987654321|AIza|upstream-key/
  const path = 'models/mm-2.5-flash:generateContent'
  const refused = {
    ...candidate([{ text: 'Hi, project_number:987654321' }], { finishReason: 'OTHER', finishMessage: leak }),
    usageMetadata,
  }

  test("in a comment of status 200; the model's text stays byte for byte", async () => {
    hostile.answerWith(() => Response.json(refused))
    const { vendor, charges } = await openTeam()
    const { text } = await vendor.call(path, say('Hello'))
    const { candidates } = JSON.parse(text) as { candidates: { finishMessage: string; content: object }[] }
    expect(candidates[0]?.finishMessage).toStartWith('Blocked for [project]')
    expect(candidates[0]?.finishMessage).not.toMatch(leaks)
    expect(candidates[0]?.content).toEqual(refused.candidates[0]?.content)
    expect(await charges()).toMatchObject([exact])
  })

  test('in a blocked prompt, and in both forms of a stream', async () => {
    const blocked = { promptFeedback: { blockReason: 'OTHER', blockReasonMessage: leak }, usageMetadata }
    const { vendor } = await openTeam()
    hostile.answerWith(() => Response.json(blocked))
    expect((await vendor.call(path, say('Hello'))).text).not.toMatch(leaks)
    hostile.answerWith(() => new Response(event(blocked), events))
    const streamed = await vendor.call('models/mm-2.5-flash:streamGenerateContent?alt=sse', say('Hello'))
    expect(streamed.text).toStartWith(
      'data: {"promptFeedback":{"blockReason":"OTHER","blockReasonMessage":"Blocked for [project]',
    )
    expect(streamed.text).not.toMatch(leaks)
    hostile.answerWith(() => Response.json([blocked]))
    const listed = await vendor.call('models/mm-2.5-flash:streamGenerateContent', say('Hello'))
    expect(JSON.parse(listed.text)).toHaveLength(1)
    expect(listed.text).not.toMatch(leaks)
  })

  test('in errors of every form', async () => {
    const refusal = { error: { code: 400, status: 'INVALID_ARGUMENT', message: leak } }
    const { chat, vendor } = await openTeam()
    for (const fault of [
      () => Response.json(refusal, { status: 400 }),
      () => new Response(event(candidate([{ text: 'Hi' }])) + event(refusal), events),
    ]) {
      hostile.answerWith(fault)
      expect(await (await chat({ stream: true })).text()).not.toMatch(leaks)
      expect(
        (await vendor.call('models/mm-2.5-flash:streamGenerateContent?alt=sse', say('Hello'))).text,
      ).not.toMatch(leaks)
    }
    hostile.answerWith(() => Response.json({ error: { message: leak, type: 'x' } }, { status: 400 }))
    expect(await (await chat(own)).text()).not.toMatch(leaks)
  })

  test('in a failed video', async () => {
    const failed = (request: Request) =>
      Response.json(
        request.method === 'POST'
          ? { name: nameOperation(new URL(request.url).pathname) }
          : { done: true, error: { code: 3, message: leak } },
      )
    hostile.answerWith(failed)
    const { key, vendor } = await openTeam()
    const video = await createVideoClient(fairgate.gatewayUrl, key).make({ prompt: 'Waves', seconds: '4' })
    expect(video.status).toBe('failed')
    expect(JSON.stringify(video)).not.toMatch(leaks)
    const ordered = await vendor.call('models/video-3.0-generate-001:predictLongRunning', {
      instances: [{ prompt: 'Waves' }],
    })
    const { name } = JSON.parse(ordered.text) as { name: string }
    expect(JSON.stringify(await settleVideo(fairgate.gatewayUrl, key, name))).not.toMatch(leaks)
  })
})

test('a retry time is a whole number of seconds within an hour, in header and message', async () => {
  const { chat, vendor } = await openTeam()
  for (const [retryDelay, seconds] of [
    ['31s', '31'],
    ['99999999999999999999s', '3600'],
    ['-5s', '5'],
    ['1e300s', '5'],
    ['NaN', '5'],
  ] as const) {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }]
    hostile.answerWith(() =>
      Response.json(
        { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Slow', details } },
        { status: 429 },
      ),
    )
    expect((await chat()).headers.get('retry-after')).toBe(seconds)
    const reply = await vendor.call('models/mm-2.5-flash:generateContent', say('Hello'))
    expect(reply.headers.get('retry-after')).toBe(seconds)
    expect(/"retryDelay":"(\d+)s"/.exec(reply.text)?.[1] ?? '5').toBe(seconds)
  }
  for (const wish of [`${'9'.repeat(400)}`, 'Fri, 31 Dec 9999 23:59:59 GMT', '-1', 'NaN']) {
    hostile.answerWith(() =>
      Response.json(
        { error: { message: 'Slow' } },
        { status: 429, headers: { 'retry-after': wish, date: new Date().toUTCString() } },
      ),
    )
    const said = (await chat(own)).headers.get('retry-after') ?? ''
    expect(said).toMatch(/^\d{1,4}$/)
    expect(Number(said)).toBeLessThanOrEqual(3600)
  }
})

describe('a reply that cannot be serialised again', () => {
  const nested = (open: string, close: string) => `${open.repeat(100_000)}1${close.repeat(100_000)}`
  const deep = nested('{"a":', '}')
  const call = `{"functionCall":{"name":"f","args":{"a":${deep}}}}`
  const reply = `{"candidates":[{"content":{"parts":[${call}]},"finishReason":"STOP"}],"usageMetadata":${JSON.stringify(usageMetadata)}}`
  const ownReply = (part: string) =>
    `{"choices":[{"index":0,"${part}":{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":${deep}}}]},"finish_reason":"stop"}]}`

  test.each<[string, object, string]>([
    ['arguments', {}, reply],
    ['arguments from an OpenAI-compatible upstream', own, ownReply('message')],
    ['grounding', {}, `{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"groundingMetadata":${deep}}]}`],
    ['nothing but brackets', {}, nested('[', ']')],
  ])('%s nested 100,000 deep: 502, and nothing is charged', async (_, body, text) => {
    hostile.answerWith(() => new Response(text, json))
    const { chat, charges } = await openTeam()
    expect(await codeOf(await chat(body))).toEqual([502, 'upstream_error'])
    expect(await charges()).toEqual([])
  })

  test('in a stream the error is the last event', async () => {
    const { chat } = await openTeam()
    for (const [body, text] of [
      [{}, reply],
      [own, ownReply('delta')],
    ] as const) {
      hostile.answerWith(() => new Response(`data: ${text}\n\n`, events))
      const streamed = await chat({ ...body, stream: true })
      expect(await streamed.text()).toContain('"code":"upstream_error"')
    }
  })

  test('the pass-through forwards it, charged by the usage after it', async () => {
    hostile.answerWith(() => new Response(reply, json))
    const { vendor, charges } = await openTeam()
    const relayed = await vendor.call('models/mm-2.5-flash:generateContent', say('Hello'))
    expect([relayed.status, relayed.text === reply]).toEqual([200, true])
    expect(await charges()).toMatchObject([exact])
  })

  test('such an error or operation is an error', async () => {
    const { chat, vendor } = await openTeam()
    hostile.answerWith(
      () =>
        new Response(`{"error":{"code":400,"status":"X","message":"no","details":[${deep}]}}`, {
          status: 400,
          ...json,
        }),
    )
    expect((await chat()).status).toBe(400)
    expect((await vendor.call('models/mm-2.5-flash:generateContent', say('Hello'))).status).toBe(400)
    hostile.answerWith(({ method, url }) =>
      method === 'POST' ? Response.json({ name: nameOperation(url) }) : new Response('no JSON'),
    )
    const ordered = await vendor.call('models/video-3.0-generate-001:predictLongRunning', {
      instances: [{ prompt: 'Waves' }],
    })
    const { name } = JSON.parse(ordered.text) as { name: string }
    expect(await vendor.get(name)).toMatchObject({ status: 502, reason: 'upstream_error' })
  })
})

test.each(['0', '1', '1000000000000', '-24000', 'fast', '24000.5', '4294967296'])(
  'speech at a rate of %s is invalid: 502 in every form, and nothing is charged',
  async rate => {
    const type = `audio/L16;codec=pcm;rate=${rate}`
    const data = Buffer.alloc(4800).toString('base64')
    const { post, charges } = await openTeam()
    for (const model of ['mm-2.5-flash-preview-tts', 'own-speaker']) {
      hostile.answerWith(() =>
        model !== 'own-speaker'
          ? Response.json({
              ...candidate([{ inlineData: { mimeType: type, data } }], { finishReason: 'STOP' }),
              usageMetadata,
            })
          : new Response(Buffer.alloc(4800), { headers: { 'content-type': type } }),
      )
      for (const response_format of ['mp3', 'wav', 'pcm']) {
        const reply = await post('/v1/audio/speech', {
          model,
          input: 'Hello',
          voice: 'Kore',
          response_format,
        })
        expect(await codeOf(reply)).toEqual([502, 'upstream_error'])
      }
    }
    expect(await charges()).toEqual([])
  },
)
