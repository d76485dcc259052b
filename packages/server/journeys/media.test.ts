// suite: 6 s
// Images, speech, music, transcripts and embeddings with the official client: real media, exact prices, one ledger.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI, { toFile } from 'openai'
import { buildWav } from '../src/media/pcm.ts'
import { readSeconds } from '../src/media/recording-length/read-seconds.ts'
import { sampleFiles } from './testing/sample-files.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

let fairgate: Fairgate
let key: string
let client: OpenAI
beforeAll(async () => {
  fairgate = await startFairgate()
  key = await fairgate.manage.team('media', { max_budget: 100 })
  client = new OpenAI({ apiKey: key, baseURL: `${fairgate.gatewayUrl}/v1`, maxRetries: 0 })
})
afterAll(() => fairgate.stop())

const post = (path: string, body: object) =>
  fetch(`${fairgate.gatewayUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const refusalOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: { code: string; param: string | null } }
  return [response.status, error.code, error.param]
}

/** Width and height in the header of a PNG file. */
function readPngSize(base64: string | undefined): [number, number] {
  const bytes = Buffer.from(base64 ?? '', 'base64')
  expect(bytes.toString('latin1', 1, 4)).toBe('PNG')
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
}

const lastCharge = async () => (await readCharges(fairgate.place, 'media')).at(-1)

describe('spec 2.5, spec 4.1: images', () => {
  test('the alias family makes one PNG in the requested shape, and its usage is priced by token', async () => {
    const { data: reply, response } = await client.images
      .generate({ model: 'imgalias-2', prompt: 'A lighthouse', ...{ aspect_ratio: '16:9' } })
      .withResponse()
    expect(readPngSize(reply.data?.[0]?.b64_json)).toEqual([1376, 768])
    expect(reply.data).toHaveLength(1)
    expect(reply.data?.[0]).not.toHaveProperty('revised_prompt')
    // 1,120 tokens of the image at 60 USD per million, and a few of the prompt at 0.50.
    const cost = Number(response.headers.get('x-gateway-response-cost'))
    expect(cost).toBeGreaterThanOrEqual(0.0672)
    expect(cost).toBeLessThan(0.0673)
    expect((await lastCharge())?.cost_nano).toBe(Math.round(cost * 1e9))
  })

  test('the imggen family makes up to four images at 0.04 USD each', async () => {
    const { data: reply, response } = await client.images
      .generate({ model: 'imggen-4', prompt: 'A lighthouse', n: 3, size: '1536x1024' })
      .withResponse()
    expect(reply.data?.map(({ b64_json }) => readPngSize(b64_json))).toEqual([
      [1280, 896],
      [1280, 896],
      [1280, 896],
    ])
    expect(response.headers.get('x-gateway-response-cost')).toBe('0.12')
    expect(await lastCharge()).toMatchObject({
      model_id: 'imggen-4.0-generate-001',
      endpoint: 'images',
      cost_nano: 120_000_000,
      units: '{"image":3}',
    })
  })

  test.each([
    ['two of the alias family', { model: 'imgalias', n: 2 }, 'n'],
    ['five of the imggen family', { model: 'imggen-4', n: 5 }, 'n'],
    ['an unknown size', { model: 'imggen-4', size: '512x512' }, 'size'],
    ['an unknown ratio', { model: 'imggen-4', aspect_ratio: '2:1' }, 'aspect_ratio'],
    ['a speech model', { model: 'mm-2.5-flash-preview-tts' }, 'model'],
  ])('%s are refused with their name and not charged', async (_, body, param) => {
    const before = (await readCharges(fairgate.place, 'media')).length
    const reply = await post('/images/generations', { prompt: 'A cat', ...body })
    expect(await refusalOf(reply)).toEqual([400, 'invalid_request', param])
    expect((await readCharges(fairgate.place, 'media')).length).toBe(before)
  })

  test.each([
    ['imgalias-2', '[[sandbox: finishReason=IMAGE_SAFETY]]', true],
    ['imggen-4', '[[sandbox: allFiltered]]', false],
  ])('%s refuses: an error with the cost', async (model, prompt, isCharged) => {
    const reply = await post('/images/generations', { model, prompt })
    const cost = Number(reply.headers.get('x-gateway-response-cost'))
    expect(await refusalOf(reply)).toEqual([400, 'content_policy_violation', 'prompt'])
    expect(cost > 0).toBe(isCharged)
    expect((await lastCharge())?.cost_nano).toBe(Math.round(cost * 1e9))
  })

  test('three of four images are filtered: one is delivered and charged', async () => {
    const reply = await post('/images/generations', {
      model: 'imggen-4',
      n: 4,
      prompt: 'Four [[sandbox: raiFiltered=3]]',
    })
    expect(((await reply.json()) as { data: unknown[] }).data).toHaveLength(1)
    expect(reply.headers.get('x-gateway-response-cost')).toBe('0.04')
  })

  test('an image is changed', async () => {
    const reply = await client.images.edit({
      model: 'imgalias-2',
      prompt: 'Make it night',
      image: await toFile(sampleFiles.image?.() ?? new File([], 'none'), 'pixel.png', { type: 'image/png' }),
    })
    expect(readPngSize(reply.data?.[0]?.b64_json)).toEqual([1024, 1024])
  })
})

/** Checks that the parameter is refused with its name, without a charge. */
async function expectRefused(reply: Promise<Response>, param: string): Promise<void> {
  const before = (await readCharges(fairgate.place, 'media')).length
  expect(await refusalOf(await reply)).toEqual([400, 'invalid_request', param])
  expect((await readCharges(fairgate.place, 'media')).length).toBe(before)
}

const postForm = (path: string, fields: Readonly<Record<string, string | File>>) => {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  return fetch(`${fairgate.gatewayUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body,
  })
}

describe('spec 4.1: forms of image answers that do not exist', () => {
  test.each([
    ['stream', true, 'true'],
    ['partial_images', 2, '2'],
    ['response_format', 'svg', 'svg'],
    ['output_format', 'webp', 'webp'],
    ['output_compression', 50, '50'],
    ['background', 'transparent', 'transparent'],
  ] as const)(
    '%s: %p is refused before anything is charged, for new and edited images',
    async (param, value, text) => {
      await expectRefused(
        post('/images/generations', { model: 'imgalias-2', prompt: 'A cat', [param]: value }),
        param,
      )
      const image = sampleFiles.image?.() ?? ''
      const fields = { model: 'imgalias-2', prompt: 'Night', image, [param]: text }
      await expectRefused(postForm('/images/edits', fields), param)
    },
  )

  test('a mask is refused, because the whole image would be changed', async () => {
    const image = sampleFiles.image?.() ?? ''
    const fields = { model: 'imgalias-2', prompt: 'Night', image, mask: image }
    await expectRefused(postForm('/images/edits', fields), 'mask')
  })

  test.each(['imgalias-2', 'imggen-4'])('%s accepts options for what it does anyway', async model => {
    const reply = await client.images.generate({
      model,
      prompt: 'A cat',
      n: 1,
      size: 'auto',
      quality: 'auto',
      background: 'auto',
      moderation: 'auto',
      response_format: 'b64_json',
      output_format: 'png',
      output_compression: 100,
      partial_images: 0,
      stream: false,
    })
    expect(readPngSize(reply.data?.[0]?.b64_json)).toEqual([1024, 1024])
  })

  test('an edit accepts them too', async () => {
    const reply = await client.images.edit({
      model: 'imgalias-2',
      prompt: 'Make it night',
      image: sampleFiles.image?.() ?? new File([], 'none'),
      n: 1,
      size: 'auto',
      quality: 'auto',
      background: 'auto',
      output_format: 'png',
      output_compression: 100,
      partial_images: 0,
      stream: false,
    })
    expect(readPngSize(reply.data?.[0]?.b64_json)).toEqual([1024, 1024])
  })
})

describe('spec 4.1: speech', () => {
  test('is a real MP3 by default, charged by the second of audio', async () => {
    const reply = await client.audio.speech.create({
      model: 'mm-2.5-flash-preview-tts',
      voice: 'zephyr',
      input: 'Good morning to everyone who came here today. '.repeat(3),
    })
    expect(reply.headers.get('content-type')).toBe('audio/mpeg')
    const bytes = Buffer.from(await reply.arrayBuffer())
    expect([bytes[0], (bytes[1] ?? 0) & 0xfe]).toEqual([0xff, 0xf2])
    // 64 kbit/s: 8,000 bytes a second; 138 characters are about 9 s.
    expect(bytes.length).toBeGreaterThan(8 * 8000)
    expect(Number(reply.headers.get('x-gateway-response-cost'))).toBeGreaterThan(0.001)
    expect(await lastCharge()).toMatchObject({ endpoint: 'speech', flag: null })
  })

  test.each([
    ['opus', 'audio/ogg'],
    ['flac', 'audio/flac'],
  ] as const)('as %s', async (response_format, type) => {
    const ask = { model: 'mm-2.5-flash-preview-tts', input: 'Good morning.', voice: 'Kore' } as const
    const wav = await client.audio.speech.create({ ...ask, response_format: 'wav' })
    const reply = await client.audio.speech.create({ ...ask, response_format })
    expect(reply.headers.get('content-type')).toBe(`audio/${response_format}`)
    const seconds = readSeconds(await wav.bytes(), 'audio/wav') ?? 0
    expect(readSeconds(await reply.bytes(), type)).toBeCloseTo(seconds, 1)
  })

  test('wav has a header that describes the samples, pcm has only the samples', async () => {
    const ask = async (response_format: 'wav' | 'pcm') => {
      const reply = await client.audio.speech.create({
        model: 'mm-2.5-flash-preview-tts',
        voice: 'Kore',
        input: 'Hello',
        response_format,
      })
      return { type: reply.headers.get('content-type'), bytes: Buffer.from(await reply.arrayBuffer()) }
    }
    const [wav, pcm] = [await ask('wav'), await ask('pcm')]
    expect([wav.type, pcm.type]).toEqual(['audio/wav', 'audio/pcm'])
    expect(wav.bytes.toString('latin1', 0, 4)).toBe('RIFF')
    expect([wav.bytes.readUInt32LE(24), wav.bytes.readUInt32LE(40)]).toEqual([24_000, pcm.bytes.length])
    expect(wav.bytes.subarray(44)).toEqual(pcm.bytes)
  })

  test('stream_format sse: the same audio in events, and its tokens, charged once', async () => {
    const asked = {
      model: 'mm-2.5-flash-preview-tts',
      voice: 'Kore',
      input: 'Hello',
      response_format: 'pcm',
    } as const
    const whole = Buffer.from(await (await client.audio.speech.create(asked)).arrayBuffer())
    const before = (await readCharges(fairgate.place, 'media')).length
    const reply = await client.audio.speech.create({ ...asked, stream_format: 'sse' })
    expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    type SpeechEvent = { type: string; audio?: string; usage?: Record<string, number> }
    const events = (await reply.text())
      .trim()
      .split('\n\n')
      .map(line => JSON.parse(line.replace(/^data: /, '')) as SpeechEvent)
    const pieces = events.filter(({ type }) => type === 'speech.audio.delta')
    expect(Buffer.concat(pieces.map(({ audio = '' }) => Buffer.from(audio, 'base64')))).toEqual(whole)
    const { usage } = events.at(-1) ?? {}
    expect(events.map(({ type }) => type)).toEqual([...pieces.map(({ type }) => type), 'speech.audio.done'])
    expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0))
    expect(usage?.output_tokens).toBeGreaterThan(0)
    expect((await readCharges(fairgate.place, 'media')).length).toBe(before + 1)
    expect(Number(reply.headers.get('x-gateway-response-cost')) * 1e9).toBeCloseTo(
      (await lastCharge())?.cost_nano ?? 0,
    )
    await expectRefused(post('/audio/speech', { ...asked, stream_format: 'websocket' }), 'stream_format')
  })

  test('a model that gives up is an error with the cost', async () => {
    const reply = await post('/audio/speech', {
      model: 'mm-2.5-flash-preview-tts',
      voice: 'Puck',
      input: 'Hello [[sandbox: finishReason=OTHER]]',
    })
    expect(reply.headers.get('x-gateway-response-cost')).not.toBeNull()
    expect(await refusalOf(reply)).toEqual([400, 'content_policy_violation', 'input'])
  })

  test('samples in a WAV file are accepted too', async () => {
    const reply = await post('/audio/speech', {
      model: 'mm-2.5-flash-preview-tts',
      voice: 'Puck',
      input: 'Hello [[sandbox: wavSpeech]]',
      response_format: 'wav',
    })
    const bytes = Buffer.from(await reply.arrayBuffer())
    expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44)
    expect(bytes.toString('latin1', 44, 48)).not.toBe('RIFF')
  })

  test('an unknown voice is refused with the list of known ones', async () => {
    const reply = await post('/audio/speech', {
      model: 'mm-2.5-flash-preview-tts',
      voice: 'alloy',
      input: 'Hi',
    })
    expect(await refusalOf(reply)).toEqual([400, 'invalid_request', 'voice'])
  })
})

describe('spec 4.1, spec 8: music', () => {
  test.each([
    ['music-3-clip-preview', '0.04'],
    ['music-3-pro-preview', '0.08'],
  ])('%s makes an MP3 for %s USD', async (model, price) => {
    const reply = await client.audio.speech.create({ model, voice: 'default', input: 'Slow jazz, piano' })
    expect(reply.headers.get('content-type')).toBe('audio/mpeg')
    expect(reply.headers.get('x-gateway-response-cost')).toBe(price)
    const bytes = Buffer.from(await reply.arrayBuffer())
    expect([bytes[0], (bytes[1] ?? 0) & 0xe0]).toEqual([0xff, 0xe0])
    expect(await lastCharge()).toMatchObject({ endpoint: 'music', cost_nano: Number(price) * 1e9 })
  })

  test('only pro makes wav; the voice is always default', async () => {
    const ask = (body: object) => post('/v1/audio/speech', { input: 'Jazz', voice: 'default', ...body })
    const wav = await ask({ model: 'music-3-pro-preview', response_format: 'wav' })
    expect(wav.headers.get('content-type')).toBe('audio/wav')
    expect(Buffer.from(await wav.arrayBuffer()).toString('latin1', 0, 4)).toBe('RIFF')
    const clip = await ask({ model: 'music-3-clip-preview', response_format: 'wav' })
    expect(await refusalOf(clip)).toEqual([400, 'invalid_request', 'response_format'])
    const voice = await ask({ model: 'music-3-pro-preview', voice: 'Zephyr' })
    expect(await refusalOf(voice)).toEqual([400, 'invalid_request', 'voice'])
  })
})

describe('spec 2.6, spec 4.1: transcripts', () => {
  const form = { model: 'mm-3.5-transcribe-preview' }
  const silence = () => sampleFiles.file?.() ?? new File([], 'none')

  test('json contains the text, the task and the tokens', async () => {
    const { data: reply, response } = await client.audio.transcriptions
      .create({ ...form, file: silence() })
      .withResponse()
    expect(reply.text.length).toBeGreaterThan(0)
    expect(reply).toMatchObject({ task: 'transcribe', usage: { type: 'tokens' } })
    expect(Number(response.headers.get('x-gateway-response-cost'))).toBeGreaterThan(0)
    expect(await lastCharge()).toMatchObject({ endpoint: 'transcription', flag: null })
  })

  test('stream: the official client reads the text and the tokens, charged once', async () => {
    const before = (await readCharges(fairgate.place, 'media')).length
    const plain = await client.audio.transcriptions.create({ ...form, file: silence() })
    const stream = await client.audio.transcriptions.create({ ...form, file: silence(), stream: true })
    const events = []
    for await (const event of stream) events.push(event)
    expect<unknown>(events).toMatchObject([
      { type: 'transcript.text.delta', delta: plain.text },
      { type: 'transcript.text.done', text: plain.text, usage: plain.usage },
    ])
    expect((await readCharges(fairgate.place, 'media')).length).toBe(before + 2)
  })

  test.each([
    ['a stream of subtitles', { stream: 'true', response_format: 'srt' }, 'response_format'],
    ['a stream that is neither', { stream: 'maybe' }, 'stream'],
    ['log probabilities', { 'include[]': 'logprobs' }, 'include'],
    ['timestamps without verbose_json', { 'timestamp_granularities[]': 'word' }, 'timestamp_granularities'],
    ['speakers', { response_format: 'diarized_json' }, 'response_format'],
  ])('%s: refused with the name before anything is charged', async (_, fields, param) => {
    const file = silence()
    await expectRefused(postForm('/audio/transcriptions', { ...form, file, ...fields }), param)
  })

  test('verbose_json, srt and vtt have times', async () => {
    const ask = (response_format: 'verbose_json' | 'srt' | 'vtt') =>
      client.audio.transcriptions.create({
        ...form,
        file: silence(),
        response_format,
        ...(response_format === 'verbose_json'
          ? { timestamp_granularities: ['word', 'segment'] as const }
          : {}),
      } as OpenAI.Audio.TranscriptionCreateParamsNonStreaming)
    const verbose = (await ask('verbose_json')) as unknown as {
      words: unknown[]
      segments: unknown[]
    }
    expect(verbose.words.length).toBeGreaterThan(0)
    expect(verbose.segments.length).toBeGreaterThan(0)
    expect(verbose).toMatchObject({ duration: 1, language: 'en-US' })
    const longer = new Uint8Array(buildWav({ samples: new Uint8Array(52_000), rate: 8000 }))
    const reported = await client.audio.transcriptions.create({
      ...form,
      file: new File([longer], 'longer.wav'),
      response_format: 'verbose_json',
    })
    expect(reported.duration).toBe(3.25)
    expect(String(await ask('srt'))).toContain('00:00:00,000 --> ')
    expect(String(await ask('vtt'))).toStartWith('WEBVTT\n\n00:00:00.000 --> ')
  })

  test.each([
    ['no file', {}, 'file'],
    ['text for a file', { file: 'text' }, 'file'],
    ['another kind of file', { file: new File(['x'], 'a.txt', { type: 'text/plain' }) }, 'file'],
    ['an unknown form', { file: new File(['x'], 'a.mp3'), response_format: 'docx' }, 'response_format'],
  ] as const)('%s is refused', async (_, fields, param) => {
    const body = new FormData()
    for (const [name, value] of Object.entries({ ...form, ...fields })) body.append(name, value)
    const reply = await fetch(`${fairgate.gatewayUrl}/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body,
    })
    expect(await refusalOf(reply)).toEqual([400, 'invalid_request', param])
  })
})

test('embeddings: one vector per text, as numbers or in Base64, charged by token', async () => {
  const input = ['All human beings', 'are born free']
  const { data: reply, response } = await client.embeddings
    .create({ model: 'mm-embedding-001', input, encoding_format: 'float', dimensions: 8 })
    .withResponse()
  expect(reply.data.map(({ index, embedding }) => [index, embedding.length])).toEqual([
    [0, 8],
    [1, 8],
  ])
  const packed = await client.embeddings.create({ model: 'mm-embedding-001', input, dimensions: 8 })
  expect(packed.data[0]?.embedding.map(value => value.toFixed(5))).toEqual(
    reply.data[0]?.embedding.map(value => value.toFixed(5)) ?? [],
  )
  const { prompt_tokens } = reply.usage
  expect(Number(response.headers.get('x-gateway-response-cost')) * 1e9).toBeCloseTo(
    Math.ceil(prompt_tokens * 150),
    0,
  )
})

describe('embeddings of more texts than the upstream accepts at once', () => {
  const listTexts = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`)
  const embed = (input: string[]) =>
    client.embeddings.create({ model: 'mm-embedding-001', input, dimensions: 4 }).withResponse()

  test('are one call and one charge, in the order of the texts', async () => {
    const before = (await readCharges(fairgate.place, 'media')).length
    const { data: reply, response } = await embed(listTexts(2048))
    expect(reply.data.map(({ index }) => index)).toEqual(Array.from({ length: 2048 }, (_, index) => index))
    const { data: some } = await embed(['text 0', 'text 99', 'text 100', 'text 2047'])
    expect([0, 99, 100, 2047].map(index => reply.data[index]?.embedding)).toEqual(
      some.data.map(({ embedding }) => embedding),
    )
    const charges = (await readCharges(fairgate.place, 'media')).slice(before)
    expect(charges.map(({ cost_nano }) => cost_nano)).toEqual([
      reply.usage.prompt_tokens * 150,
      some.usage.prompt_tokens * 150,
    ])
    expect(Number(response.headers.get('x-gateway-response-cost')) * 1e9).toBeCloseTo(
      charges[0]?.cost_nano ?? 0,
      3,
    )
  })

  test('a batch that fails leaves the others charged, and the error says so', async () => {
    const texts = listTexts(250)
    const whole = await embed(texts.slice(0, 200))
    const cost = whole.response.headers.get('x-gateway-response-cost')
    const reply = await post('/embeddings', {
      model: 'mm-embedding-001',
      input: texts.with(200, '[[sandbox: error=400]]'),
    })
    expect(reply.status).toBe(400)
    expect(await reply.json()).toMatchObject({
      error: {
        code: 'upstream_rejected',
        message: expect.stringContaining('200 of 250 texts had been answered and are charged.'),
      },
    })
    expect(reply.headers.get('x-gateway-response-cost')).toBe(cost)
    expect((await lastCharge())?.cost_nano).toBe(whole.data.usage.prompt_tokens * 150)
  })

  test('as many tokens as OpenAI accepts are accepted', async () => {
    const input = Array.from({ length: 50 }, () => Array<number>(6000).fill(5))
    const reply = await client.embeddings.create({ model: 'mm-embedding-001', input, dimensions: 4 })
    expect(reply.data.length).toBe(50)
  })

  test('nothing is charged if none is answered', async () => {
    const before = (await readCharges(fairgate.place, 'media')).length
    const input = listTexts(150).map((text, index) => (index % 100 === 0 ? '[[sandbox: error=400]]' : text))
    const reply = await post('/embeddings', { model: 'mm-embedding-001', input })
    expect(await refusalOf(reply)).toEqual([400, 'upstream_rejected', null])
    expect((await readCharges(fairgate.place, 'media')).length).toBe(before)
  })
})

describe('audio in chat', () => {
  const model = 'mm-2.5-flash-preview-tts'
  const asked = {
    model,
    messages: [{ role: 'user', content: 'Good morning to everyone who came here today.' }],
    modalities: ['audio'],
    audio: { voice: 'Kore', format: 'wav' },
  } as unknown as OpenAI.Chat.ChatCompletionCreateParamsNonStreaming

  test('a speech model answers with a WAV file, at its audio price', async () => {
    const { data: reply, response } = await client.chat.completions.create(asked).withResponse()
    const { message } = reply.choices[0] ?? {}
    expect(message?.content).toBeNull()
    const file = Buffer.from(message?.audio?.data ?? '', 'base64')
    expect(file.toString('latin1', 0, 4)).toBe('RIFF')
    // 0.50 USD a million tokens of text, 10 of audio.
    const { prompt_tokens, completion_tokens } = reply.usage ?? { prompt_tokens: 0, completion_tokens: 0 }
    const cost = prompt_tokens * 500 + completion_tokens * 10_000
    expect(completion_tokens).toBeGreaterThan(50)
    expect(Number(response.headers.get('x-gateway-response-cost')) * 1e9).toBeCloseTo(cost, 3)
    expect(await lastCharge()).toMatchObject({ endpoint: 'chat', flag: null, cost_nano: cost })
  })

  test('a stream has the audio in chunks', async () => {
    const stream = await client.chat.completions.create({
      ...asked,
      audio: { voice: 'Kore', format: 'pcm16' },
      stream: true,
    })
    type Delta = { audio?: { data: string } }
    const pieces: Delta[] = []
    for await (const { choices } of stream) pieces.push((choices[0]?.delta ?? {}) as Delta)
    const bytes = pieces.reduce((sum, { audio }) => sum + Buffer.from(audio?.data ?? '', 'base64').length, 0)
    expect(bytes).toBeGreaterThan(2 * 48_000)
    expect(await lastCharge()).toMatchObject({ endpoint: 'chat', flag: null })
  })

  test.each([
    ['text from it', { modalities: undefined }, 'modalities'],
    ['text in addition to the audio', { modalities: ['text', 'audio'] }, 'modalities'],
    ['audio from a text model', { model: 'mm-2.5-flash' }, 'modalities'],
    ['an unknown audio format', { audio: { voice: 'Kore', format: 'mp3' } }, 'audio.format'],
  ])('%s: refused with the name before anything is charged', async (_, changes, param) => {
    await expectRefused(post('/chat/completions', { ...asked, ...changes }), param)
  })
})

test('legacy functions are refused in chat: the answer would have none', async () => {
  const messages = [{ role: 'user', content: 'Hi' }]
  const functions = [{ name: 'f', parameters: {} }]
  await expectRefused(post('/chat/completions', { model: 'mm-2.5-flash', messages, functions }), 'functions')
  expect((await post('/chat/completions', { model: 'mm-2.5-flash', messages, functions: [] })).status).toBe(
    200,
  )
})

describe('embeddings of tokens, as some clients send texts', () => {
  // Hello world, grüße 日本語 😀
  const tokens = [9906, 1917, 11, 1099, 2448, 24352, 76502, 22656, 45918, 252, 91416]
  const text = 'Hello world, grüße 日本語 😀'
  const embed = async (input: unknown) =>
    client.embeddings
      .create({ model: 'mm-embedding-001', input: input as string, encoding_format: 'float' })
      .withResponse()

  test('mean and cost the same as their texts, in one list or multiple', async () => {
    const plain = await embed([text, 'Hello'])
    const several = await embed([tokens, [9906]])
    expect(several.data).toEqual(plain.data)
    const cost = plain.response.headers.get('x-gateway-response-cost')
    expect(several.response.headers.get('x-gateway-response-cost')).toBe(cost)
    expect((await embed(tokens)).data.data[0]?.embedding).toEqual(plain.data.data[0]?.embedding ?? [])
    const cut = tokens.slice(0, -2)
    expect((await embed(cut)).data.data).toEqual((await embed('Hello world, grüße 日本\uFFFD')).data.data)
  })

  test.each([
    ['a number beyond the last token', [[1], [5, 100_256]], 'input[1][1]'],
    ['a special token', [100_257], 'input[0]'],
    ['a negative number', [3, -1], 'input[1]'],
    ['a fraction', [1.5], 'input[0]'],
    ['an empty list', [[]], 'input[0]'],
    ['not a list', [], 'input'],
    ['texts and tokens in one list', ['Hello', 5], 'input[1]'],
    ['tokens and texts in one list', [[5], 'Hello'], 'input[0]'],
    ['more tokens than a text has', [Array.from({ length: 8193 }, () => 5)], 'input[0]'],
    ['more lists than a request has', Array.from({ length: 2049 }, () => [5]), 'input'],
    ['more tokens than a request has', Array.from({ length: 50 }, () => Array(6001).fill(5)), 'input'],
    // Token 58040 is 128 spaces.
    ['tokens of a text that is too long', [[5], Array.from({ length: 8192 }, () => 58_040)], 'input[1]'],
  ])('%s is refused with its name and not charged', async (_, input, param) => {
    const before = (await readCharges(fairgate.place, 'media')).length
    const reply = await post('/embeddings', { model: 'mm-embedding-001', input })
    expect(await refusalOf(reply)).toEqual([400, 'invalid_request', param])
    expect((await readCharges(fairgate.place, 'media')).length).toBe(before)
  })

  test('are held by their text, not by their size', async () => {
    // 8,000 tokens of 128 spaces each would be a million characters: a budget that pays for 8,000 is not enough.
    const poor = await fairgate.manage.team('poor-embedder', { max_budget: 0.000_01 })
    const reply = await fetch(`${fairgate.gatewayUrl}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${poor}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'mm-embedding-001', input: [Array.from({ length: 700 }, () => 58_040)] }),
    })
    expect(await refusalOf(reply)).toEqual([429, 'budget_exceeded', null])
  })
})

describe('spec 2.3, spec 2.6: usage separates media from text', () => {
  const pixel = async () =>
    toFile(sampleFiles.image?.() ?? new File([], 'none'), 'pixel.png', { type: 'image/png' })
  const sum = (parts: object | undefined) =>
    Object.values(parts ?? {}).reduce((total: number, count) => total + Number(count), 0)

  test('of a transcript', async () => {
    const { usage } = await client.audio.transcriptions.create({
      model: 'mm-3.5-transcribe-preview',
      file: sampleFiles.file?.() ?? new File([], 'none'),
    })
    if (usage?.type !== 'tokens') throw new Error('The usage is not in tokens.')
    // A second of audio.
    expect(usage.input_token_details).toEqual({ audio_tokens: 32, text_tokens: 0 })
    expect(usage.input_tokens).toBe(32)
  })

  test('of a new and an edited image', async () => {
    const made = await client.images.generate({ model: 'imgalias-2', prompt: 'A cat' })
    expect(made.usage).toMatchObject({
      input_tokens_details: { image_tokens: 0, text_tokens: made.usage?.input_tokens },
      output_tokens_details: { image_tokens: 1120, text_tokens: 0 },
    })
    const edit = { model: 'imgalias-2', prompt: 'Make it night', image: await pixel() }
    const { usage } = await client.images.edit(edit)
    expect(usage?.input_tokens_details.image_tokens).toBe(258)
    expect(sum(usage?.input_tokens_details)).toBe(usage?.input_tokens ?? 0)
  })

  test.each([false, true])('of a chat with an image and a recording, streamed: %p', async stream => {
    const encode = async (file: File | undefined) =>
      Buffer.from((await file?.bytes()) ?? []).toString('base64')
    const url = `data:image/png;base64,${await encode(sampleFiles.image?.())}`
    const data = await encode(sampleFiles.file?.())
    const reply = await client.chat.completions.create({
      model: 'mm-2.5-flash',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url } },
            { type: 'input_audio', input_audio: { data, format: 'wav' } },
          ],
        },
      ],
      stream,
      ...(stream ? { stream_options: { include_usage: true } } : {}),
    })
    let usage: OpenAI.CompletionUsage | null | undefined
    if ('usage' in reply) usage = reply.usage
    else for await (const chunk of reply as AsyncIterable<OpenAI.ChatCompletionChunk>) usage = chunk.usage
    expect(usage?.prompt_tokens_details).toMatchObject({ image_tokens: 258, audio_tokens: 32 })
    expect(sum(usage?.prompt_tokens_details)).toBe(usage?.prompt_tokens ?? 0)
  })

  test('of a chat that creates an image', async () => {
    const { usage } = await client.chat.completions.create({
      model: 'imgalias-2',
      messages: [{ role: 'user', content: 'A cat' }],
      ...({ modalities: ['image'] } as object),
    })
    expect(usage?.completion_tokens_details).toMatchObject({ image_tokens: 1120, text_tokens: 0 })
  })
})

test('spec 2.4, spec 4.1: an image in chat: content null, the image as data URL', async () => {
  const reply = await post('/chat/completions', {
    model: 'imgalias-2',
    messages: [{ role: 'user', content: 'A lighthouse' }],
    modalities: ['image'],
  })
  const { choices } = (await reply.json()) as {
    choices: { message: { content: string | null; images: { image_url: { url: string } }[] } }[]
  }
  const { content, images } = choices[0]?.message ?? { content: '', images: [] }
  expect(content).toBeNull()
  expect(readPngSize(images[0]?.image_url.url.replace('data:image/png;base64,', ''))).toEqual([1024, 1024])
  expect(Number(reply.headers.get('x-gateway-response-cost'))).toBeGreaterThan(0.067)
})

test("spec 2.1: the key's spend is the sum of all charges, and nothing is held", async () => {
  const sum = (await readCharges(fairgate.place, 'media')).reduce(
    (total, { cost_nano }) => total + cost_nano,
    0,
  )
  const { team_info } = await fairgate.manage.teamInfo('media')
  expect(Math.round(team_info.spend * 1e9)).toBe(sum)
  expect(team_info.held).toBe(0)
})
