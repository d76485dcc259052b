// The OpenAI-compatible side, the models and the vectors, over real HTTP.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readWavSeconds } from '../media/wav.ts'
import type { Sandbox } from '../start-sandbox.ts'
import { get, post, readMp3Seconds, readPngSize, startTestSandbox } from '../testing/call-sandbox.ts'

let sandbox: Sandbox
beforeAll(() => {
  sandbox = startTestSandbox()
})
afterAll(() => sandbox.stop())

const authorization = 'Bearer right'
const call = (path: string, body: object, headers: Record<string, string> = { authorization }) =>
  fetch(`${sandbox.url}/openai/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
const chat = async (content: string, more: object = {}) =>
  (await call('chat/completions', {
    model: 'gpt-sandbox',
    messages: [{ role: 'user', content }],
    ...more,
  })) as Response
const tools = [
  {
    type: 'function',
    function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
]

type Chunk = {
  choices: {
    delta: { content?: string; tool_calls?: { index?: number; function: { arguments: string } }[] }
    finish_reason: string | null
  }[]
  usage?: { total_tokens: number } | null
}
const readEvents = async (response: Response) => {
  const events = (await response.text()).split('\n\n').filter(event => event !== '')
  expect(events.at(-1)).toBe('data: [DONE]')
  return events.slice(0, -1).map(event => JSON.parse(event.slice('data: '.length)) as Chunk)
}

describe('chat', () => {
  test('answers whole with usage, cuts at the cap, and is billed', async () => {
    const reply = await (await chat('Hello', { max_tokens: 16 })).json()
    expect(reply).toMatchObject({
      object: 'chat.completion',
      choices: [{ finish_reason: 'length', message: { role: 'assistant' } }],
      usage: { prompt_tokens: 2, completion_tokens: 16, total_tokens: 18 },
    })
    expect(sandbox.counters().billed['gpt-sandbox']).toMatchObject({ calls: 1, candidatesTokens: 16 })
  })

  test('streams, with usage in a separate chunk on request', async () => {
    const stream_options = { include_usage: true }
    const chunks = await readEvents(await chat('Hello', { stream: true, stream_options }))
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 42 } })
    const text = chunks.map(chunk => chunk.choices[0]?.delta.content ?? '').join('')
    expect(text).toHaveLength(160)
    const plain = await readEvents(await chat('Hello', { stream: true }))
    expect(plain.every(chunk => chunk.usage === undefined)).toBe(true)
    expect(plain.at(-1)?.choices[0]?.finish_reason).toBe('stop')
    expect(sandbox.counters().running).toBe(0)
  })

  test('calls tools, whole and in pieces, and answers their results', async () => {
    const whole = await (await chat('Rain?', { tools })).json()
    expect(whole).toMatchObject({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: { content: null, tool_calls: [{ function: { name: 'weather' } }] },
        },
      ],
    })
    const chunks = await readEvents(await chat('Rain? [[sandbox: toolCalls=2]]', { tools, stream: true }))
    const calls = chunks.flatMap(chunk => chunk.choices[0]?.delta.tool_calls ?? [])
    for (const index of [0, 1]) {
      const text = calls.filter(one => one.index === index).map(one => one.function.arguments)
      expect(JSON.parse(text.join(''))).toEqual({ city: 'sandbox' })
    }
    const messages = [{ role: 'tool', tool_call_id: 'call_1', content: 'blue sky' }]
    const answer = await (await chat('', { tools, messages })).text()
    expect(answer).toContain('The tool returned blue sky')
  })

  test('keys, models and troubles', async () => {
    expect((await call('chat/completions', {}, {})).status).toBe(401)
    expect((await call('chat/completions', {}, { authorization: 'Bearer wrong' })).status).toBe(401)
    expect((await chat('Hi', { model: 'unknown-model' })).status).toBe(404)
    const limited = await chat('[[sandbox: error=429]]')
    expect(await limited.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } })
    const models = await fetch(`${sandbox.url}/openai/v1/models`, { headers: { authorization } })
    expect(await models.json()).toMatchObject({ object: 'list' })
  })
})

describe('other endpoints', () => {
  test('vectors as numbers and as Base64 are the same', async () => {
    const ask = async (more: object) =>
      (await (
        await call('embeddings', { model: 'e', input: ['a', 'b'], dimensions: 8, ...more })
      ).json()) as {
        data: { embedding: number[] | string }[]
        usage: object
      }
    const plain = await ask({})
    const packed = await ask({ encoding_format: 'base64' })
    const bytes = Buffer.from(String(packed.data[1]?.embedding), 'base64')
    const first = plain.data[1]?.embedding
    expect(bytes.readFloatLE(0)).toBeCloseTo(typeof first === 'object' ? (first[0] ?? 9) : 9, 5)
    expect(plain.usage).toEqual({ prompt_tokens: 2, total_tokens: 2 })
  })

  test('images, speech and transcripts', async () => {
    const images = (await (
      await call('images/generations', { model: 'i', prompt: 'A cat', n: 2, size: '1536x1024' })
    ).json()) as { data: { b64_json: string }[] }
    expect(images.data.map(({ b64_json }) => readPngSize(Buffer.from(b64_json, 'base64')))).toEqual([
      '1536x1024',
      '1536x1024',
    ])
    const speech = async (response_format: string) =>
      Buffer.from(
        await (
          await call('audio/speech', { model: 's', voice: 'v', input: 'x'.repeat(45), response_format })
        ).arrayBuffer(),
      )
    expect(readMp3Seconds(await speech('mp3'))).toBeCloseTo(3, 1)
    const wav = await speech('wav')
    expect(readWavSeconds(wav)).toBe(3)
    for (const [format, expected] of [
      ['json', { usage: { type: 'tokens', input_tokens: 96 } }],
      ['verbose_json', { duration: 3, usage: { type: 'duration', seconds: 3 } }],
    ] as const) {
      const form = new FormData()
      form.set('model', 't')
      form.set('response_format', format)
      form.set('file', new File([new Uint8Array(wav)], 'a.wav', { type: 'audio/wav' }))
      const reply = await fetch(`${sandbox.url}/openai/v1/audio/transcriptions`, {
        method: 'POST',
        headers: { authorization },
        body: form,
      })
      expect(await reply.json()).toMatchObject(expected)
    }
  })
})

describe("the vendor's models and vectors", () => {
  test('pages cover the whole list, and a single model lists its methods', async () => {
    const names: string[] = []
    for (let token: string | undefined = ''; token !== undefined; ) {
      const page = (await (await get(sandbox, `models?pageSize=7&pageToken=${token}`)).json()) as {
        models: { name: string }[]
        nextPageToken?: string
      }
      expect(page.models.length).toBeLessThanOrEqual(7)
      names.push(...page.models.map(({ name }) => name))
      token = page.nextPageToken
    }
    expect(new Set(names).size).toBe(names.length)
    expect(names).toContain('models/veo-3.1-generate-001')
    expect((await get(sandbox, 'models?pageToken=none')).status).toBe(400)
    expect(await (await get(sandbox, 'models/veo-2.0-generate-001')).json()).toMatchObject({
      supportedGenerationMethods: ['predictLongRunning'],
    })
    const contents = [{ parts: [{ text: 'Hi' }] }]
    expect((await post(sandbox, 'models/veo-2.0-generate-001:generateContent', { contents })).status).toBe(
      404,
    )
  })

  test('vectors of length 1, alone and in a batch', async () => {
    const model = 'models/gemini-embedding-001'
    const content = { parts: [{ text: 'Hello' }] }
    const one = (await (
      await post(sandbox, `${model}:embedContent`, { content, output_dimensionality: 64 })
    ).json()) as { embedding: { values: number[] } }
    expect(one.embedding.values).toHaveLength(64)
    expect(Math.hypot(...one.embedding.values)).toBeCloseTo(1, 9)
    const requests = [
      { model, content, outputDimensionality: 64 },
      { model, content: { parts: [{ text: 'Bye' }] } },
    ]
    const many = (await (await post(sandbox, `${model}:batchEmbedContents`, { requests })).json()) as {
      embeddings: { values: number[] }[]
    }
    expect(many.embeddings[0]).toEqual(one.embedding)
    expect(many.embeddings[1]?.values).toHaveLength(3_072)
    expect((await post(sandbox, `${model}:embedContent`, { content, outputDimensionality: 0 })).status).toBe(
      400,
    )
  })
})

test('an edit counts the sent image, and is refused without one', async () => {
  const edit = (form: FormData) =>
    fetch(`${sandbox.url}/openai/v1/images/edits`, { method: 'POST', headers: { authorization }, body: form })
  const form = new FormData()
  form.append('model', 'image-sandbox')
  form.append('prompt', 'Night')
  expect((await edit(form)).status).toBe(400)
  form.append('image', new File(['png'], 'a.png'))
  const reply = (await (await edit(form)).json()) as { data: { b64_json: string }[]; usage: object }
  expect(readPngSize(Buffer.from(reply.data[0]?.b64_json ?? '', 'base64'))).toBe('1024x1024')
  expect(reply.usage).toMatchObject({ input_tokens_details: { text_tokens: 2, image_tokens: 323 } })
})

test('a 429 has a retry-after header', async () => {
  const reply = await chat('Hi [[sandbox: error=429; retryDelay=3s]]')
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, '3'])
})

test('a coding model writes one file with the declared shell, then reports it', async () => {
  const parameters = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] }
  const tools = [{ type: 'function', function: { name: 'bash', parameters } }]
  const prompt = { role: 'user', content: 'Work. [[sandbox: editFile=a.txt]]' }
  const ask = async (messages: object[]) => {
    const reply = await fetch(`${sandbox.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-sandbox', messages, tools }),
    })
    type Message = {
      content: string | null
      tool_calls?: { function: { name: string; arguments: string } }[]
    }
    return ((await reply.json()) as { choices: { message: Message }[] }).choices[0]?.message
  }
  const asked = await ask([prompt])
  expect(asked?.tool_calls?.[0]?.function.name).toBe('bash')
  expect(JSON.parse(asked?.tool_calls?.[0]?.function.arguments ?? '').command).toContain("> 'a.txt'")
  sandbox.setSwitches({ editFile: 'a.txt' })
  const result = { role: 'tool', tool_call_id: 'call_sandbox_1', content: '' }
  const answered = await ask([prompt, { role: 'assistant', ...asked }, result])
  expect(answered?.content).toBe('The file a.txt is written.')
  sandbox.setSwitches({})
})
