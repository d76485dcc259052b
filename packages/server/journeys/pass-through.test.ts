// suite: 7 s
// The pass-through as its users meet it: the vendor's official client without any setting but address and key, and plain requests.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { passThroughRatios } from '@fairgate/contracts/gemini/generate-request.ts'
import { ApiError, GoogleGenAI, Modality, Type } from '@google/genai'
import { failureOf } from '../src/store/testing/failure-of.ts'
import { createPassThroughCaller, say, withoutNumber } from './testing/pass-through-caller.ts'
import { sampleFiles } from './testing/sample-files.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
let client: GoogleGenAI
let vendor: ReturnType<typeof createPassThroughCaller>
beforeAll(async () => {
  fairgate = await startFairgate()
  const key = await fairgate.manage.team('relay', { max_budget: 1000 }, { aliases: { mine: 'mm-2.5-flash' } })
  client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: `${fairgate.gatewayUrl}/vendor` } })
  vendor = createPassThroughCaller(fairgate, key)
})
afterAll(() => fairgate.stop())

const pixel = async () => Buffer.from((await sampleFiles.image?.().bytes()) ?? []).toString('base64')

function pngSize(base64: string): string {
  const png = Buffer.from(base64, 'base64')
  expect(png.toString('latin1', 1, 4)).toBe('PNG')
  return `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`
}

const weather = {
  name: 'get_weather',
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] },
}

describe("spec 2.9, spec 4.1: the vendor's client", () => {
  test('generates text, by id, alias and the alias of the key', async () => {
    for (const model of ['mm-2.5-flash', 'mm-3.1-flash-lite-preview', 'mine']) {
      const reply = await client.models.generateContent({ model, contents: 'Say hello.' })
      expect(reply.text).toContain('Say hello.')
      expect(reply.usageMetadata?.totalTokenCount).toBeGreaterThan(0)
    }
  })

  test('streams', async () => {
    const stream = await client.models.generateContentStream({
      model: 'mm-2.5-flash',
      contents: 'Tell me. [[sandbox: chunks=5; outputTokens=60]]',
    })
    const pieces: string[] = []
    for await (const piece of stream) pieces.push(piece.text ?? '')
    expect(pieces.length).toBe(5)
  })

  test('calls functions and returns their results', async () => {
    const config = { tools: [{ functionDeclarations: [weather] }] }
    const contents = [{ role: 'user', parts: [{ text: 'How is the weather in Seoul?' }] }]
    const first = await client.models.generateContent({ model: 'mm-3-flash-preview', contents, config })
    const content = first.candidates?.[0]?.content
    expect(first.functionCalls?.[0]?.name).toBe('get_weather')
    const second = await client.models.generateContent({
      model: 'mm-3-flash-preview',
      config,
      contents: [
        ...contents,
        content ?? {},
        {
          role: 'user',
          parts: [{ functionResponse: { name: 'get_weather', response: { sky: 'clear' } } }],
        },
      ],
    })
    expect(second.text).toContain('clear')
  })

  test('makes speech with two voices', async () => {
    const speaker = (name: string, voiceName: string) => ({
      speaker: name,
      voiceConfig: { prebuiltVoiceConfig: { voiceName } },
    })
    const reply = await client.models.generateContent({
      model: 'mm-2.5-flash-preview-tts',
      contents: 'Joe: How is it going? Jane: Not too bad, and you?',
      config: {
        responseModalities: [Modality.AUDIO],
        speechConfig: {
          multiSpeakerVoiceConfig: {
            speakerVoiceConfigs: [speaker('Joe', 'Kore'), speaker('Jane', 'Puck')],
          },
        },
      },
    })
    const audio = reply.candidates?.[0]?.content?.parts?.[0]?.inlineData
    expect(audio?.mimeType).toBe('audio/L16;codec=pcm;rate=24000')
    // 49 characters at 15 a second, two bytes a sample.
    const seconds = Buffer.from(audio?.data ?? '', 'base64').length / 48_000
    expect(seconds).toBeGreaterThan(2)
    expect(seconds).toBeLessThan(5)
  })

  test("gets audio only in its models' spelling; other clients get both", async () => {
    const model = 'mm-2.5-flash-preview-tts'
    const config = { responseModalities: [Modality.AUDIO] }
    const whole = await client.models.generateContent({ model, contents: 'Say hello.', config })
    const stream = await client.models.generateContentStream({ model, contents: 'Say hello.', config })
    const replies = [whole]
    for await (const piece of stream) replies.push(piece)
    expect(replies.length).toBeGreaterThan(1)
    for (const { candidates } of replies)
      expect(Object.keys(candidates?.[0]?.content?.parts?.[0]?.inlineData ?? {})).toEqual([
        'mimeType',
        'data',
      ])

    const body = say('Hello', { generationConfig: { responseModalities: ['AUDIO'] } })
    const agent = { 'user-agent': 'google-genai-sdk/3.4.0 gl-python/3.11.7' }
    const broken = { 'x-goog-api-client': 'x'.repeat(501) }
    for (const verb of ['generateContent', 'streamGenerateContent', 'streamGenerateContent?alt=sse']) {
      const ask = async (headers: Record<string, string>) =>
        (await vendor.call(`models/${model}:${verb}`, body, { headers })).text
      expect(await ask(agent)).not.toContain('mime_type')
      for (const other of [{}, { 'user-agent': 'curl/8.5.0' }, broken])
        expect(await ask(other)).toContain('"mime_type":"audio/L16')
    }
  })

  test('edits an image in the requested size', async () => {
    const reply = await client.models.generateContent({
      model: 'imgalias-2',
      contents: [{ text: 'Make it blue' }, { inlineData: { mimeType: 'image/png', data: await pixel() } }],
      config: { imageConfig: { aspectRatio: '16:9', imageSize: '2K' } },
    })
    const parts = reply.candidates?.[0]?.content?.parts
    expect(pngSize(parts?.at(-1)?.inlineData?.data ?? '')).toBe('2752x1536')
  })

  test('counts tokens without being charged', async () => {
    fairgate.sandbox.resetCounters()
    const { totalTokens } = await client.models.countTokens({
      model: 'mm-2.5-flash',
      contents: 'One two three',
    })
    expect(totalTokens).toBeGreaterThan(0)
    expect(fairgate.sandbox.counters()).toMatchObject({ counted: 1, calls: 0 })
  })

  test('makes embeddings', async () => {
    const { embeddings } = await client.models.embedContent({
      model: 'mm-embedding-001',
      contents: ['one', 'two'],
      config: { outputDimensionality: 64 },
    })
    expect(embeddings?.map(({ values }) => values?.length)).toEqual([64, 64])
  })

  test('lists models page by page and finds one by name', async () => {
    const names: (string | undefined)[] = []
    for await (const model of await client.models.list({ config: { pageSize: 7 } })) names.push(model.name)
    expect(names).toContain('models/mm-2.5-flash')
    expect(names).toContain('models/imgalias-2')
    expect(names).toContain('models/mine')
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThan(21)
    const one = await client.models.get({ model: 'mm-2.5-flash' })
    expect(one).toMatchObject({ name: 'models/mm-2.5-flash', inputTokenLimit: 1_048_576 })
  })

  test("reads our errors like the vendor's", async () => {
    const poor = await fairgate.manage.team('poor', { max_budget: 0.0001 })
    const broke = new GoogleGenAI({ apiKey: poor, httpOptions: { baseUrl: `${fairgate.gatewayUrl}/vendor` } })
    const wrong = new GoogleGenAI({
      apiKey: 'sk-no',
      httpOptions: { baseUrl: `${fairgate.gatewayUrl}/vendor` },
    })
    const ask = (by: GoogleGenAI, model: string, text = 'Hi') =>
      failureOf(by.models.generateContent({ model, contents: text }))
    const cases: [Promise<unknown>, number, string][] = [
      [ask(client, 'none'), 404, 'NOT_FOUND'],
      [ask(broke, 'mm-2.5-flash'), 429, 'budget_exceeded'],
      [ask(wrong, 'mm-2.5-flash'), 401, 'UNAUTHENTICATED'],
      [ask(client, 'mm-2.5-flash', 'x [[sandbox: error=503; errorTimes=9]]'), 503, 'UNAVAILABLE'],
    ]
    for (const [failing, status, said] of cases) {
      const failure = await failing
      expect(failure).toBeInstanceOf(ApiError)
      expect((failure as ApiError).status).toBe(status)
      expect((failure as ApiError).message).toContain(said)
    }
  })
})

describe('spec 2.9: byte for byte', () => {
  const flash = 'models/mm-2.5-flash'
  const upstream = 'models/gemini-2.5-flash'
  const prompt = say('Odd numbers 1.0 and 1e2, ü, 💥, "quotes" \\ and /')

  test.each([
    ['text', 'generateContent', prompt],
    ['a blocked prompt', 'generateContent', say('x [[sandbox: blockPrompt=SAFETY]]')],
    ['events', 'streamGenerateContent?alt=sse', say('x [[sandbox: chunks=6; outputTokens=50]]')],
    [
      'events with plain line ends',
      'streamGenerateContent?alt=sse',
      say('x [[sandbox: chunks=3; separator=lf]]'),
    ],
    ['events cut inside characters', 'streamGenerateContent?alt=sse', say('x [[sandbox: splitUtf8]]')],
    ['an array', 'streamGenerateContent', say('x [[sandbox: chunks=6; outputTokens=50]]')],
    ['an array cut inside characters', 'streamGenerateContent', say('x [[sandbox: splitUtf8]]')],
    ['an array requested by name', 'streamGenerateContent?alt=json', say('x [[sandbox: chunks=2]]')],
    ['a stream that ends early', 'streamGenerateContent?alt=sse', say('x [[sandbox: chunks=5; endEarly=2]]')],
    ['an array that ends early', 'streamGenerateContent', say('x [[sandbox: chunks=5; endEarly=2]]')],
    ['a large answer', 'generateContent', say('x [[sandbox: outputTokens=60000]]')],
    ['a large answer in events', 'streamGenerateContent?alt=sse', say('x [[sandbox: outputTokens=60000]]')],
    ['a count', 'countTokens', prompt],
  ])('%s', async (_, verb, body) => {
    const relayed = await vendor.call(`${flash}:${verb}`, body)
    expect(relayed.status).toBe(200)
    expect(withoutNumber(relayed.text)).toBe(withoutNumber(await vendor.ask(`${upstream}:${verb}`, body)))
  })

  test("the reply has the vendor's headers", async () => {
    const typeOf = async (verb: string) =>
      (await vendor.call(`${flash}:${verb}`, prompt)).headers.get('content-type')
    expect(await typeOf('streamGenerateContent?alt=sse')).toStartWith('text/event-stream')
    expect(await typeOf('streamGenerateContent')).toStartWith('application/json')
    expect(await typeOf('generateContent')).toStartWith('application/json')
  })

  test('images per item, and embeddings', async () => {
    const image = { instances: [{ prompt: 'A cat' }], parameters: { sampleCount: 2, aspectRatio: '3:4' } }
    expect((await vendor.call('models/imggen-4:predict', image)).text).toBe(
      await vendor.ask('models/imagen-4.0-generate-001:predict', image),
    )
    const wish = (model: string) => ({
      requests: [{ model, content: { parts: [{ text: 'one' }] }, taskType: 'RETRIEVAL_QUERY' }],
    })
    expect(
      (await vendor.call('models/mm-embedding-001:batchEmbedContents', wish('models/mm-embedding-001'))).text,
    ).toBe(
      await vendor.ask('models/gemini-embedding-001:batchEmbedContents', wish('models/gemini-embedding-001')),
    )
  })

  test.each([['generateContent'], ['streamGenerateContent?alt=sse'], ['streamGenerateContent']])(
    'an image of 12 MB with %s',
    async verb => {
      const body = say('A cat [[sandbox: imageBytes=9000000]]')
      const relayed = await vendor.call(`models/imgalias-2:${verb}`, body)
      const direct = await vendor.ask(`models/gemini-3.1-flash-image:${verb}`, body)
      expect(relayed.text.length).toBeGreaterThan(12_000_000)
      expect(withoutNumber(relayed.text) === withoutNumber(direct)).toBe(true)
    },
  )

  test('snake_case is accepted as the vendor accepts it', async () => {
    const body = {
      contents: [
        {
          parts: [{ text: 'Make it red' }, { inline_data: { mime_type: 'image/png', data: await pixel() } }],
        },
      ],
      generation_config: {
        response_modalities: ['Image'],
        image_config: { aspect_ratio: '1:1', image_size: '4K' },
      },
    }
    const reply = await vendor.call('models/imgalias-pro:generateContent', body)
    expect(reply.status).toBe(200)
    expect(withoutNumber(reply.text)).toBe(
      withoutNumber(await vendor.ask('models/gemini-3-pro-image:generateContent', body)),
    )
  })
})

describe('spec 4.1, spec 8: images', () => {
  const draw = (model: string, imageConfig: object) =>
    vendor.call(`models/${model}:generateContent`, say('A cat', { generationConfig: { imageConfig } }))

  test.each(passThroughRatios.map(ratio => [ratio]))('aspectRatio %s', async aspectRatio => {
    const { status, text } = await draw('imgalias-2', { aspectRatio })
    expect(status).toBe(200)
    const { candidates } = JSON.parse(text) as {
      candidates: { content: { parts: { inlineData?: { data: string } }[] } }[]
    }
    const [width = 0, height = 0] = aspectRatio.split(':').map(Number)
    const size = pngSize(candidates[0]?.content.parts.at(-1)?.inlineData?.data ?? '')
    const [x = 0, y = 0] = size.split('x').map(Number)
    expect(Math.abs(x / y - width / height)).toBeLessThan(0.1)
  })

  test.each([['1K'], ['2K'], ['4K']])('imageSize %s, third generation only', async imageSize => {
    for (const model of ['imgalias-2', 'imgalias-2-lite', 'imgalias-pro'])
      expect((await draw(model, { imageSize })).status).toBe(200)
    expect(await draw('imgalias', { imageSize })).toMatchObject({ status: 400, reason: 'invalid_request' })
  })

  test.each([
    [{ aspectRatio: '2:1' }],
    [{ aspectRatio: '1:4' }],
    [{ aspectRatio: '' }],
    [{ imageSize: '512' }],
    [{ imageSize: '1k' }],
    [{ imageSize: '8K' }],
    [{ personGeneration: 'allow_all' }],
  ])('%j is refused', async imageConfig => {
    expect(await draw('imgalias-2', imageConfig)).toMatchObject({ status: 400, reason: 'invalid_request' })
  })
})

test('an error inside a stream keeps its format, without anything of ours', async () => {
  const trouble = say('x [[sandbox: chunks=4; errorInStream=2; error=503]]')
  const events = await vendor.call('models/mm-2.5-flash:streamGenerateContent?alt=sse', trouble)
  const last =
    events.text
      .trim()
      .split(/\r?\n\r?\n/)
      .at(-1) ?? ''
  expect(JSON.parse(last.slice('data: '.length))).toMatchObject({
    error: { code: 503, status: 'UNAVAILABLE' },
  })
  const list = await vendor.call('models/mm-2.5-flash:streamGenerateContent', trouble)
  const elements = JSON.parse(list.text) as object[]
  expect(elements).toHaveLength(3)
  expect(elements.at(-1)).toMatchObject({ error: { code: 503, status: 'UNAVAILABLE' } })
})

test('a broken stream ends with an error in its format', async () => {
  const trouble = say('x [[sandbox: chunks=4; chunkDelayMs=1; cutStream=2]]')
  const askTo = async (verb: string) => {
    const release = fairgate.holdUpstream()
    const { body } = await vendor.post(`models/mm-2.5-flash:${verb}`, trouble)
    if (body === null) throw new Error('The reply has no body.')
    const decoder = new TextDecoder()
    let text = ''
    for await (const bytes of body) {
      text += decoder.decode(bytes, { stream: true })
      // Data in flight when a connection breaks may be lost.
      release()
    }
    return text
  }
  expect(await askTo('streamGenerateContent?alt=sse')).toContain('data: {"error":{"code":502')
  const list = JSON.parse(await askTo('streamGenerateContent')) as object[]
  expect(list.at(-1)).toMatchObject({ error: { code: 502 } })
})
