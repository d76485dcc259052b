// suite: test on sqlite and postgres
// Chat beyond text with the official client: tools over two turns, parallel calls in a stream, JSON by schema, media, search.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { sampleFiles } from './testing/sample-files.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

let fairgate: Fairgate
let client: OpenAI
beforeAll(async () => {
  fairgate = await startFairgate()
  const key = await fairgate.manage.team('tools', { max_budget: 100 })
  client = new OpenAI({ apiKey: key, baseURL: fairgate.gatewayUrl, maxRetries: 0 })
})
afterAll(() => fairgate.stop())

const weather: OpenAI.ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather at a place',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    },
  },
}
const time: OpenAI.ChatCompletionTool = {
  type: 'function',
  function: { name: 'get_time', parameters: { type: 'object', properties: {} } },
}

const base64 = async (file = new File([], 'none')) => Buffer.from(await file.arrayBuffer()).toString('base64')
const functionCalls = (message: OpenAI.ChatCompletionMessage | undefined) =>
  (message?.tool_calls ?? []).flatMap(call => (call.type === 'function' ? [call] : []))

describe('spec 2.3: tools', () => {
  // The sandbox refuses a replayed call of this model without its thought signature, as the vendor does.
  test.each(['mm-2.5-flash', 'mm-3-pro-preview'])('%s: calls, results, answer', async model => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'What is the weather? [[sandbox: toolCalls=2]]' },
    ]
    const first = await client.chat.completions.create({ model, messages, tools: [weather, time] })
    const [choice] = first.choices
    expect(choice?.finish_reason).toBe('tool_calls')
    expect(choice?.message.content).toBeNull()
    const calls = functionCalls(choice?.message)
    expect(calls).toHaveLength(2)
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    for (const call of calls) expect(typeof JSON.parse(call.function.arguments)).toBe('object')
    if (choice === undefined) throw new Error('No choice.')
    const second = await client.chat.completions.create({
      model,
      tools: [weather, time],
      messages: [
        ...messages,
        choice.message,
        ...calls.map(
          ({ id }): OpenAI.ChatCompletionMessageParam => ({
            role: 'tool',
            tool_call_id: id,
            content: JSON.stringify({ temperature: 21 }),
          }),
        ),
      ],
    })
    expect(second.choices[0]?.finish_reason).toBe('stop')
    expect(second.choices[0]?.message.content?.length).toBeGreaterThan(0)
  })

  // Nano-dollars a token, from the catalog: text and images, output.
  test.each([
    ['mm-2.5-flash', 300, 2500],
    ['mm-3-pro-preview', 2000, 12_000],
  ])(
    '%s: an image as a result, a failure, and a schema with everything that agents send',
    async (model, input, output) => {
      const place = {
        type: 'object',
        properties: { near: { $ref: '#/$defs/place' }, name: { const: 'Cologne' } },
      }
      const parameters = {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        allOf: [{ properties: { place: { $ref: '#/$defs/place' } } }, { required: ['place'] }],
        propertyNames: { pattern: '^[a-z]+$' },
        additionalProperties: false,
        $defs: { place },
      }
      const look = { type: 'function', function: { name: 'look', parameters } } as const
      const user = { role: 'user', content: 'Look. [[sandbox: toolCalls=2]]' } as const
      const tool_choice = {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [look] },
      } as const
      const asked = { model, tools: [look, time] }
      const first = await client.chat.completions.create({
        ...asked,
        messages: [user],
        tool_choice: tool_choice as unknown as OpenAI.ChatCompletionToolChoiceOption,
      })
      const calls = functionCalls(first.choices[0]?.message)
      expect(calls.map(call => call.function.name)).toEqual(['look', 'look'])
      const bytes = await base64(sampleFiles.image?.())
      const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${bytes}` } }
      const second = await client.chat.completions.create({
        ...asked,
        messages: [
          user,
          { role: 'assistant', content: null, tool_calls: calls },
          // OpenAI's types know only text here.
          { role: 'tool', tool_call_id: calls[1]?.id ?? '', content: 'No light.', is_error: true } as never,
          { role: 'tool', tool_call_id: calls[0]?.id ?? '', content: [image] as never },
        ],
      })
      const text = second.choices[0]?.message.content
      expect(text).toContain('look returned {"error":"No light."}')
      const charge = (await readCharges(fairgate.place, 'tools')).at(-1)
      const units = JSON.parse(charge?.units ?? '{}') as Record<string, number>
      expect(units.inputImage).toBe(258)
      const { inputText = 0, outputText = 0, reasoning = 0 } = units
      expect(charge?.cost_nano).toBe(input * (inputText + 258) + output * (outputText + reasoning))
    },
  )

  test('in a stream, parallel calls have their own indexes', async () => {
    const stream = client.chat.completions.stream({
      model: 'mm-2.5-flash',
      messages: [{ role: 'user', content: 'Weather? [[sandbox: toolCalls=3]]' }],
      tools: [weather, time],
    })
    const final = await stream.finalChatCompletion()
    expect(functionCalls(final.choices[0]?.message)).toHaveLength(3)
    expect(final.choices[0]?.finish_reason).toBe('tool_calls')
  })

  test('a result for an unknown call is refused, and the error names it', async () => {
    const failure = await client.chat.completions
      .create({
        model: 'mm-2.5-flash',
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'tool', tool_call_id: 'call_unknown', content: '{}' },
        ],
      })
      .then(
        () => null,
        error => error as InstanceType<typeof OpenAI.APIError>,
      )
    expect([failure?.status, failure?.code, failure?.param]).toEqual([
      400,
      'invalid_request',
      'messages[1].tool_call_id',
    ])
  })
})

test('spec 4.1: JSON by schema', async () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name', 'age'],
    additionalProperties: false,
  }
  const reply = await client.chat.completions.create({
    model: 'mm-2.5-flash',
    messages: [{ role: 'user', content: 'Somebody' }],
    response_format: { type: 'json_schema', json_schema: { name: 'person', strict: true, schema } },
  })
  const person = JSON.parse(reply.choices[0]?.message.content ?? '') as { name: unknown; age: unknown }
  expect([typeof person.name, typeof person.age]).toEqual(['string', 'number'])
})

test('spec 4.1: images and audio are read and billed as such', async () => {
  await client.chat.completions.create({
    model: 'mm-2.5-flash',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          {
            type: 'image_url',
            image_url: { url: `data:image/png;base64,${await base64(sampleFiles.image?.())}` },
          },
          { type: 'input_audio', input_audio: { data: await base64(sampleFiles.file?.()), format: 'wav' } },
        ],
      },
    ],
  })
  const charge = (await readCharges(fairgate.place, 'tools')).at(-1)
  const units = JSON.parse(charge?.units ?? '{}') as Record<string, number>
  expect(units.inputImage).toBe(258)
  expect(units.inputAudio).toBe(32)
  // Text and images at 0.30 USD a million, audio at 1.00, output at 2.50.
  const { inputText = 0, outputText = 0, reasoning = 0 } = units
  expect(charge?.cost_nano).toBe(300 * (inputText + 258) + 1000 * 32 + 2500 * (outputText + reasoning))
})

test('spec 2.3: search has citations and is charged per query', async () => {
  const reply = await client.chat.completions.create({
    model: 'mm-2.5-flash',
    messages: [{ role: 'user', content: 'Who won?' }],
    web_search_options: {},
  })
  expect(reply.choices[0]?.message.annotations?.[0]?.type).toBe('url_citation')
  const charge = (await readCharges(fairgate.place, 'tools')).at(-1)
  const { search = 0 } = JSON.parse(charge?.units ?? '{}') as { search?: number }
  expect(search).toBeGreaterThan(0)
  expect(charge?.cost_nano).toBeGreaterThan(search * 35_000_000)
})

test('spec 2.3: thoughts are separate from the answer, whole and streamed', async () => {
  const ask = {
    model: 'mm-2.5-flash',
    messages: [{ role: 'user' as const, content: 'Think. [[sandbox: thinkingTokens=20]]' }],
    reasoning_effort: 'high' as const,
  }
  const whole = await client.chat.completions.create(ask)
  const message = whole.choices[0]?.message as unknown as {
    content: string
    reasoning_content: string
    thinking_blocks: { type: string }[]
  }
  expect(message.reasoning_content.length).toBeGreaterThan(0)
  expect(message.thinking_blocks[0]?.type).toBe('thinking')
  let reasoning = ''
  for await (const chunk of await client.chat.completions.create({ ...ask, stream: true })) {
    const delta = chunk.choices[0]?.delta as { reasoning_content?: string } | undefined
    reasoning += delta?.reasoning_content ?? ''
  }
  expect(reasoning).toBe(message.reasoning_content)
})
