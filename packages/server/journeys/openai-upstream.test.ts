// suite: 8 s
// Models of OpenAI-compatible servers next to the vendor's in one gateway: the official client, exact charges, correct errors.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI, { toFile } from 'openai'
import { sampleFiles } from './testing/sample-files.ts'
import { type Fairgate, startFairgate, upstreamKey } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

const chatModel = (name: string, upstream: string, more = '') => `
  ${name}:
    upstream: ${upstream}
    upstream_id: ${name}
    context_limit: 100000
    max_output: 4096
    typical_output: 100
    ${more}
    price: { input: 1.00, cached_input: 0.10, output: 4.00, reasoning: 4.00 }`

const models = `models:
  from-vendor:
    upstream_id: gemini-2.5-flash
    context_limit: 100000
    max_output: 4096
    price: { input: 0.30, cached_input: 0.03, output: 2.50, reasoning: 2.50 }
${chatModel('gpt-sandbox', 'own', 'reasoning: level')}
${chatModel('unknown-model', 'own')}
${chatModel('wrong-key', 'stranger')}
${chatModel('nobody', 'absent')}
  hasty:
    upstream: hasty
    upstream_id: embedding-sandbox
    modality: embedding
    context_limit: 8192
    price: { input: 0.02 }
  free:
    upstream: own
    upstream_id: llama
    context_limit: 100000
    max_output: 4096
    price: { input: 0, cached_input: 0, output: 0, reasoning: 0 }
  embedder:
    upstream: own
    upstream_id: embedding-sandbox
    modality: embedding
    context_limit: 8192
    price: { input: 0.02 }
  painter:
    upstream: own
    upstream_id: image-sandbox
    modality: imggen
    context_limit: 4000
    price: { image: 0.04 }
  gpt-image:
    upstream: own
    upstream_id: gpt-image
    modality: image
    context_limit: 8192
    max_output: 8192
    image_tokens: { 1K: 1056 }
    price: { input: 5.00, input_image: 10.00, output: 40.00, output_image: 40.00 }
  speaker:
    upstream: own
    upstream_id: speech-sandbox
    modality: speech
    context_limit: 4096
    voices: [alloy, nova]
    price: { input_characters: 15.00 }
  writer:
    upstream: own
    upstream_id: whisper-sandbox
    modality: transcription
    context_limit: 100000
    max_output: 4096
    price: { input: 2.00, input_audio: 3.00, output: 10.00 }
`

let fairgate: Fairgate
let key: string
let client: OpenAI
beforeAll(async () => {
  fairgate = await startFairgate({
    models,
    settings: ({ url }) => `
upstreams:
  own: { kind: openai, base_url: '${url}/openai/v1/', api_key_env: OWN_KEY }
  hasty: { kind: openai, base_url: '${url}/openai/v1', api_key_env: OWN_KEY, timeouts: { embeddings: 1 } }
  stranger: { kind: openai, base_url: '${url}/openai/v1', api_key_env: STRANGER_KEY }
  absent: { kind: openai, base_url: 'http://127.0.0.1:9/v1' }
upstream: { max_retries: 1 }`,
    variables: { OWN_KEY: upstreamKey, STRANGER_KEY: 'sk-not-a-key-that-is-known' },
  })
  key = await fairgate.manage.team('mixed', { max_budget: 100 })
  client = new OpenAI({ apiKey: key, baseURL: `${fairgate.gatewayUrl}/v1`, maxRetries: 0 })
})
afterAll(() => fairgate.stop())

const say = (model: string, content: string, more: object = {}) =>
  client.chat.completions.create({ model, messages: [{ role: 'user', content }], ...more })
const lastCharge = async () => (await readCharges(fairgate.place, 'mixed')).at(-1)
const spendOf = async () => Math.round((await fairgate.manage.teamInfo('mixed')).team_info.spend * 1e9)
/** The sandbox writes the bill of a stream after its last chunk. */
const settleUpstream = async () => {
  while (fairgate.sandbox.counters().running > 0) await Bun.sleep(5)
}
const billedOf = (model: string) => {
  const billed = fairgate.sandbox.counters().billed[model]
  if (billed === undefined) throw new Error(`${model} was not billed.`)
  return billed
}
const costOf = (response: Response) =>
  Math.round(Number(response.headers.get('x-gateway-response-cost')) * 1e9)

const weather = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
} as const

describe('chat', () => {
  test('answers, with its usage at the price of its model', async () => {
    fairgate.sandbox.resetCounters()
    const before = await spendOf()
    const { data, response } = await say(
      'gpt-sandbox',
      'Hello [[sandbox: thinkingTokens=9; cachedTokens=3]]',
      {
        max_tokens: 40,
        reasoning_effort: 'low',
      },
    ).withResponse()
    const { promptTokens, cachedTokens, candidatesTokens, thoughtsTokens } = billedOf('gpt-sandbox')
    expect(data).toMatchObject({
      model: 'gpt-sandbox',
      choices: [{ finish_reason: 'length', message: { role: 'assistant' } }],
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: 40,
        prompt_tokens_details: { cached_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 9 },
      },
    })
    expect(data.choices[0]?.message.content).toStartWith('You said')
    const cost =
      (promptTokens - cachedTokens) * 1000 + cachedTokens * 100 + (candidatesTokens + thoughtsTokens) * 4000
    expect(costOf(response)).toBe(cost)
    expect(await lastCharge()).toMatchObject({ model_id: 'gpt-sandbox', cost_nano: cost, flag: null })
    expect((await spendOf()) - before).toBe(cost)
  })

  test('the vendor serves its own models next to it', async () => {
    fairgate.sandbox.resetCounters()
    await say('from-vendor', 'Hello')
    expect(Object.keys(fairgate.sandbox.counters().billed)).toEqual(['gemini-2.5-flash'])
  })

  test('a free model is served to a team without budget, and recorded', async () => {
    const poor = await fairgate.manage.team('poor', { max_budget: 0 })
    const reply = await new OpenAI({
      apiKey: poor,
      baseURL: `${fairgate.gatewayUrl}/v1`,
      maxRetries: 0,
    }).chat.completions
      .create({ model: 'free', messages: [{ role: 'user', content: 'Hello' }] })
      .withResponse()
    expect(costOf(reply.response)).toBe(0)
    expect(await readCharges(fairgate.place, 'poor')).toHaveLength(1)
  })

  test('n choices are n calls', async () => {
    fairgate.sandbox.resetCounters()
    const reply = await say('gpt-sandbox', 'Hello', { n: 3 })
    expect(reply.choices.map(({ index }) => index)).toEqual([0, 1, 2])
    expect(billedOf('gpt-sandbox').calls).toBe(3)
  })

  test.each([true, false])(
    'streams completely; the usage chunk comes on request: %p',
    async include_usage => {
      fairgate.sandbox.resetCounters()
      const stream = await client.chat.completions.create({
        model: 'gpt-sandbox',
        messages: [{ role: 'user', content: 'Hello' }],
        stream: true,
        stream_options: { include_usage },
      })
      let text = ''
      let usages = 0
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? ''
        if (chunk.usage !== undefined && chunk.usage !== null) usages += 1
      }
      await settleUpstream()
      const { promptTokens, candidatesTokens } = billedOf('gpt-sandbox')
      expect(text).toHaveLength(160)
      expect(usages).toBe(include_usage ? 1 : 0)
      expect((await lastCharge())?.cost_nano).toBe(promptTokens * 1000 + candidatesTokens * 4000)
      expect(fairgate.sandbox.counters().aborted).toBe(0)
    },
  )

  test.each([
    ['with an index', ''],
    ['without an index', '; noToolIndex'],
  ])('two tool calls of a stream are assembled, %s', async (_, more) => {
    const runner = client.chat.completions.stream({
      model: 'gpt-sandbox',
      messages: [{ role: 'user', content: `Hello [[sandbox: toolCalls=2${more}]]` }],
      tools: [weather],
    })
    const { choices } = await runner.finalChatCompletion()
    expect(choices[0]?.finish_reason).toBe('tool_calls')
    expect(choices[0]?.message.tool_calls).toHaveLength(2)
    for (const call of choices[0]?.message.tool_calls ?? []) {
      expect(call).toMatchObject({ type: 'function', function: { name: 'weather' } })
      expect(JSON.parse('function' in call ? call.function.arguments : '')).toHaveProperty('city')
    }
  })

  test('a tool call and its result go back', async () => {
    const first = await say('gpt-sandbox', 'Weather?', { tools: [weather] })
    const answer = first.choices[0]?.message
    const call = answer?.tool_calls?.[0]
    if (answer === undefined || call === undefined) throw new Error('No call came.')
    const second = await client.chat.completions.create({
      model: 'gpt-sandbox',
      messages: [
        { role: 'user', content: 'Weather?' },
        answer,
        { role: 'tool', tool_call_id: call.id, content: 'Sunny' },
      ],
    })
    expect(second.choices[0]?.message.content).toContain('The tool returned Sunny')
  })

  test('when the client leaves, the stream is stopped and charged by estimate', async () => {
    fairgate.sandbox.resetCounters()
    const before = (await readCharges(fairgate.place, 'mixed')).length
    const release = fairgate.holdUpstream()
    const stream = await client.chat.completions.create({
      model: 'gpt-sandbox',
      messages: [{ role: 'user', content: 'Hi [[sandbox: chunks=4; outputTokens=400; chunkDelayMs=1]]' }],
      stream: true,
    })
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break
    while ((await readCharges(fairgate.place, 'mixed')).length === before) await Bun.sleep(10)
    const charge = await lastCharge()
    expect(charge).toMatchObject({ outcome: 'client_closed', flag: 'estimated' })
    expect(charge?.cost_nano).toBeGreaterThan(0)
    release()
    while (fairgate.sandbox.counters().aborted === 0) await Bun.sleep(10)
    // The row is there before it counts in the limits: the next test compares spend.
    while ((await fairgate.manage.teamInfo('mixed')).team_info.held > 0) await Bun.sleep(10)
  })
})

describe('failures', () => {
  test.each([
    ['our key refused', 'wrong-key', 'Hi', 502, 'upstream_auth'],
    ['a key refused later', 'gpt-sandbox', '[[sandbox: error=403]]', 502, 'upstream_auth'],
    [
      'a limit of the upstream',
      'gpt-sandbox',
      '[[sandbox: error=429; retryDelay=7s]]',
      429,
      'upstream_rate_limited',
    ],
    ['a failure', 'gpt-sandbox', '[[sandbox: error=500]]', 502, 'upstream_error'],
    ['an overload', 'gpt-sandbox', '[[sandbox: error=503]]', 503, 'upstream_overloaded'],
    ['a refused request', 'gpt-sandbox', '[[sandbox: blockPrompt=1; error=400]]', 400, 'upstream_rejected'],
    ['a removed model', 'unknown-model', 'Hi', 404, 'model_not_found'],
    ['an unreachable upstream', 'nobody', 'Hi', 502, 'upstream_error'],
  ])('%s is not charged, and no one else is blamed', async (_, model, content, status, code) => {
    const before = await spendOf()
    for (const stream of [false, true]) {
      const failure = await say(model, content, { stream }).then(
        () => null,
        (error: unknown) => error,
      )
      if (!(failure instanceof OpenAI.APIError)) throw new Error(String(failure))
      expect([failure.status as number, failure.code as string]).toEqual([status, code])
      expect(failure.message).not.toContain(fairgate.sandbox.url)
      if (status === 429) expect(failure.headers?.get('retry-after')).toBe('7')
    }
    expect(await spendOf()).toBe(before)
  })

  test('a call that failed once is retried', async () => {
    fairgate.sandbox.resetCounters()
    await say('gpt-sandbox', 'Once [[sandbox: error=503; errorTimes=1]]')
    expect(fairgate.sandbox.counters().calls).toBe(2)
  })

  test.each(['cutStream=3', 'errorInStream=3'])(
    'a stream that ends badly (%s) is an error, charged for what was produced',
    async trouble => {
      const release = fairgate.holdUpstream()
      const stream = await client.chat.completions.create({
        model: 'gpt-sandbox',
        messages: [{ role: 'user', content: `Hi [[sandbox: chunkDelayMs=1; ${trouble}]]` }],
        stream: true,
      })
      const read = async () => {
        // Data in flight when a connection breaks may be lost.
        for await (const chunk of stream) if (chunk.choices[0]?.delta.content) release()
      }
      expect(await read().catch((error: unknown) => error)).toBeInstanceOf(Error)
      const charge = await lastCharge()
      expect(charge).toMatchObject({ outcome: 'failed', flag: 'estimated' })
      expect(charge?.cost_nano).toBeGreaterThan(0)
    },
  )

  test('a success without usage is charged at the hold', async () => {
    await say('gpt-sandbox', 'Hi [[sandbox: noUsage]]', { max_tokens: 10 })
    const charge = await lastCharge()
    expect(charge?.flag).toBe('usage_absent')
    expect(charge?.cost_nano).toBeGreaterThan(10 * 4000)
  })

  test('embeddings of more than 100 texts are asked for in batches', async () => {
    const input = Array.from({ length: 101 }, (_, index) => `text ${index}`)
    const { data, usage } = await client.embeddings.create({ model: 'embedder', input })
    const last = await client.embeddings.create({ model: 'embedder', input: 'text 100' })
    expect([data.length, data[100]?.embedding]).toEqual([101, last.data[0]?.embedding ?? []])
    expect(usage.prompt_tokens).toBeGreaterThan(101)
  })

  test('each endpoint has its own timeout', async () => {
    const input = 'Hi [[sandbox: hang]]'
    const failure = await client.embeddings.create({ model: 'hasty', input }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ status: 504, code: 'upstream_timeout' })
  })

  test('images in a chat are refused, because their tokens would count as text', async () => {
    const before = await spendOf()
    const failure = await say('gpt-image', 'A cat').catch((error: unknown) => error)
    expect(failure).toMatchObject({ status: 400, code: 'invalid_request', param: 'model' })
    expect(await spendOf()).toBe(before)
  })

  test('web search is refused, because it could not be charged', async () => {
    const failure = await say('gpt-sandbox', 'News?', { web_search_options: {} }).catch(
      (error: unknown) => error,
    )
    expect(failure).toMatchObject({ status: 400, param: 'web_search_options' })
  })
})

describe('media', () => {
  test('embeddings are charged by the tokens in the reply', async () => {
    fairgate.sandbox.resetCounters()
    const { data, response } = await client.embeddings
      .create({ model: 'embedder', input: ['one text', 'and another'], dimensions: 8 })
      .withResponse()
    expect(data.data.map(({ embedding }) => embedding.length)).toEqual([8, 8])
    expect(costOf(response)).toBe(billedOf('embedding-sandbox').promptTokens * 20)
    expect(fairgate.sandbox.counters()).toMatchObject({ calls: 1, counted: 0 })
  })

  test('images have a price per item', async () => {
    const { data, response } = await client.images
      .generate({ model: 'painter', prompt: 'A cat', n: 2, size: '1536x1024' })
      .withResponse()
    const png = Buffer.from(data.data?.[1]?.b64_json ?? '', 'base64')
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1536, 1024])
    expect(costOf(response)).toBe(80_000_000)
    expect((await lastCharge())?.units).toBe('{"image":2}')
  })

  test('images are charged by token, new and edited', async () => {
    fairgate.sandbox.resetCounters()
    const made = await client.images.generate({ model: 'gpt-image', prompt: 'A cat' }).withResponse()
    const { promptTokens, candidatesTokens } = billedOf('gpt-image')
    expect(costOf(made.response)).toBe(promptTokens * 5000 + candidatesTokens * 40_000)
    const image = await toFile(sampleFiles.image?.() ?? new File([], 'none'), 'pixel.png', {
      type: 'image/png',
    })
    const changed = await client.images.edit({ model: 'gpt-image', prompt: 'A cat', image }).withResponse()
    // 323 tokens of the image that was sent, at their own price.
    expect(costOf(changed.response)).toBe(costOf(made.response) + 323 * 10_000)
    expect(changed.data.usage).toMatchObject({
      input_tokens_details: { image_tokens: 323, text_tokens: promptTokens },
      output_tokens_details: { image_tokens: candidatesTokens, text_tokens: 0 },
    })
    expect((await lastCharge())?.flag).toBeNull()
  })

  test('speech is charged by character, with the voices of the catalog', async () => {
    const input = 'Good morning, everyone.'
    const { data, response } = await client.audio.speech
      .create({ model: 'speaker', voice: 'Nova', input, response_format: 'wav' })
      .withResponse()
    expect(Buffer.from(await data.arrayBuffer()).toString('latin1', 0, 4)).toBe('RIFF')
    expect(costOf(response)).toBe(input.length * 15_000)
    expect((await lastCharge())?.units).toBe(`{"inputCharacter":${input.length}}`)
    const mp3 = await client.audio.speech.create({ model: 'speaker', voice: 'alloy', input })
    expect(mp3.headers.get('content-type')).toBe('audio/mpeg')
    const failure = await client.audio.speech
      .create({ model: 'speaker', voice: 'Zephyr', input })
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ status: 400, param: 'voice' })
  })

  test('transcripts are charged by token or by second', async () => {
    fairgate.sandbox.resetCounters()
    const file = () =>
      toFile(sampleFiles.file?.() ?? new File([], 'none'), 'silence.wav', { type: 'audio/wav' })
    const json = await client.audio.transcriptions
      .create({ model: 'writer', file: await file() })
      .withResponse()
    const { inputAudioTokens = 0, candidatesTokens } = billedOf('whisper-sandbox')
    expect(costOf(json.response)).toBe(inputAudioTokens * 3000 + candidatesTokens * 10_000)
    expect(json.data.usage).toMatchObject({
      input_token_details: { audio_tokens: inputAudioTokens, text_tokens: 0 },
    })
    const timed = await client.audio.transcriptions
      .create({
        model: 'writer',
        file: await file(),
        response_format: 'verbose_json',
        timestamp_granularities: ['word'],
      })
      .withResponse()
    expect(timed.data.words?.length).toBeGreaterThan(0)
    // One second at 32 tokens.
    expect(costOf(timed.response)).toBe(32 * 3000)
    expect((await lastCharge())?.flag).toBeNull()
  })
})

test('a second gateway as upstream of the first: both charge the same', async () => {
  const outer = await startFairgate({
    models: `models:${chatModel('through-two', 'inner').replace('upstream_id: through-two', 'upstream_id: gpt-sandbox')}`,
    settings: `upstreams: { inner: { kind: openai, base_url: '${fairgate.gatewayUrl}/v1', api_key_env: INNER_KEY } }`,
    variables: { INNER_KEY: key },
  })
  try {
    const outerKey = await outer.manage.team('outer', { max_budget: 10 })
    const through = new OpenAI({ apiKey: outerKey, baseURL: `${outer.gatewayUrl}/v1`, maxRetries: 0 })
    const messages = [{ role: 'user', content: 'Hello' }] as const
    const { data, response } = await through.chat.completions
      .create({ model: 'through-two', messages: [...messages] })
      .withResponse()
    expect(data.choices[0]?.message.content).toStartWith('You said')
    expect(costOf(response)).toBe((await lastCharge())?.cost_nano ?? 0)
    const runner = through.chat.completions.stream({
      model: 'through-two',
      messages: [...messages],
      tools: [weather],
    })
    const final = await runner.finalChatCompletion()
    expect(final.choices[0]?.finish_reason).toBe('tool_calls')
    const charges = await readCharges(outer.place, 'outer')
    expect(charges.at(-1)?.cost_nano).toBe((await lastCharge())?.cost_nano ?? 0)
  } finally {
    await outer.stop()
  }
})
