// Tools, JSON, sources, log probabilities and media in prompts, as in the vendor's language models.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { writeSine } from './media/sine.ts'
import { writeWav } from './media/wav.ts'
import type { Sandbox } from './start-sandbox.ts'
import { generate, partsOf, post, type Reply, startTestSandbox } from './testing/call-sandbox.ts'

let sandbox: Sandbox
beforeAll(() => {
  sandbox = startTestSandbox()
})
afterAll(() => sandbox.stop())

const old = 'gemini-2.5-flash'
const signing = 'gemini-3-flash-preview'
const weather = {
  name: 'weather',
  parameters: {
    type: 'OBJECT',
    properties: { city: { type: 'STRING' }, days: { type: 'INTEGER', minimum: 3 } },
    required: ['city', 'days'],
  },
}
const clock = { name: 'clock', parametersJsonSchema: { type: 'object', properties: {} } }
const tools = [{ functionDeclarations: [weather, clock] }]

describe('function calls', () => {
  test('come in the requested number, with valid arguments; only new models sign and name them', async () => {
    const plain = partsOf(await generate(sandbox, old, 'Rain? [[sandbox: toolCalls=3]]', { tools }))
    expect(plain.map(part => part.functionCall?.name)).toEqual(['weather', 'clock', 'weather'])
    expect(plain[0]?.functionCall?.args).toEqual({ city: 'sandbox', days: 3 })
    expect(plain[0]).not.toHaveProperty('thoughtSignature')
    expect(plain[0]?.functionCall).not.toHaveProperty('id')
    const signed = partsOf(await generate(sandbox, signing, 'Rain? [[sandbox: toolCalls=2]]', { tools }))
    expect(signed.map(part => part.thoughtSignature !== undefined)).toEqual([true, false])
    expect(new Set(signed.map(part => part.functionCall?.id)).size).toBe(2)
  })

  const shell = {
    name: 'bash',
    parametersJsonSchema: {
      type: 'object',
      properties: { command: { type: 'string' } },
      required: ['command'],
    },
  }
  test.each([old, signing])('%s works as a coding model: one edit, then a sentence', async model => {
    const work = (contents: object[], verb: string) =>
      post(sandbox, `models/${model}:${verb}`, {
        contents,
        tools: [{ functionDeclarations: [weather, shell] }],
      })
    const readWhole = async (contents: object[]) =>
      (await (await work(contents, 'generateContent')).json()) as Reply
    const prompt = { role: 'user', parts: [{ text: 'Work. [[sandbox: editFile=a.txt]]' }] }
    const first = await readWhole([prompt])
    const [call] = partsOf(first)
    expect(call?.functionCall).toMatchObject({
      name: 'bash',
      args: { command: expect.stringContaining('a.txt') },
    })
    expect(call?.thoughtSignature !== undefined).toBe(model === signing)
    expect(first.usageMetadata?.candidatesTokenCount).toBeGreaterThan(0)
    const result = { functionResponse: { name: 'bash', response: { output: '' } } }
    const worked = [
      prompt,
      { role: 'model', parts: [call ?? {}] },
      { role: 'user', parts: [result] },
      // Agents add their own reminders.
      { role: 'user', parts: [{ text: 'Stay on the task.' }] },
    ]
    sandbox.setSwitches({ editFile: 'a.txt' })
    const last = await readWhole(worked)
    expect(partsOf(last)[0]?.text).toBe('The file a.txt is written.')
    const stream = await (await work(worked, 'streamGenerateContent?alt=sse')).text()
    const pieces = [...stream.matchAll(/"text":"([^"]*)"/g)].map(([, piece]) => piece)
    expect(pieces.join('')).toBe('The file a.txt is written.')
    // Another prompt is new work.
    const again = await readWhole([...worked, { role: 'model', parts: [{ text: 'Done.' }] }, prompt])
    expect(partsOf(again)[0]?.functionCall?.name).toBe('bash')
    sandbox.setSwitches({})
  })

  test('the mode and the allowed names apply', async () => {
    const config = (mode: string, names?: string[]) => ({
      tools,
      toolConfig: {
        functionCallingConfig: { mode, ...(names === undefined ? {} : { allowedFunctionNames: names }) },
      },
    })
    expect(partsOf(await generate(sandbox, old, 'Hi', config('NONE')))[0]?.text).toBeString()
    const allowed = partsOf(await generate(sandbox, old, 'Hi', config('ANY', ['clock'])))
    expect(allowed[0]?.functionCall?.name).toBe('clock')
    expect((await generate(sandbox, old, 'Hi', config('ANY', ['none']))).error?.code).toBe(400)
  })

  test('a result is answered with text about it; an unsigned or tampered call is refused', async () => {
    const [call] = partsOf(await generate(sandbox, signing, 'Rain?', { tools }))
    const conversation = (part: object | undefined, results = 1) => ({
      contents: [
        { role: 'user', parts: [{ text: 'Rain?' }] },
        { role: 'model', parts: [part] },
        {
          role: 'user',
          parts: Array.from({ length: results }, () => ({
            function_response: { name: 'weather', response: { sky: 'blue' } },
          })),
        },
      ],
      tools,
    })
    const ask = async (body: object) =>
      (await (await post(sandbox, `models/${signing}:generateContent`, body)).json()) as Reply
    const answer = await ask(conversation(call))
    expect(partsOf(answer)[0]?.text).toContain('weather returned {"sky":"blue"}')
    const { thoughtSignature: _, ...unsigned } = call ?? {}
    const refused = await ask(conversation(unsigned))
    expect(refused.error?.message).toStartWith(
      'Function call is missing a thought_signature in functionCall parts.',
    )
    expect((await ask(conversation({ ...unsigned, thoughtSignature: 'AAAA' }))).error?.code).toBe(400)
    const bypass = { ...unsigned, thought_signature: 'skip_thought_signature_validator' }
    expect((await ask(conversation(bypass))).error).toBeUndefined()
    expect((await ask(conversation(call, 2))).error?.message).toContain('number of function response parts')
  })

  describe('that come back', () => {
    const said = (text: string) => ({ role: 'user', parts: [{ text }] })
    const signature = (name: string) => Buffer.from(`sandbox-thought:${name}`).toString('base64')
    const called = (name: string, thoughtSignature?: string) => ({
      functionCall: { name, args: {} },
      ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
    })
    const model = (...parts: object[]) => ({ role: 'model', parts })
    const given = (...names: string[]) => ({
      role: 'user',
      parts: names.map(name => ({ functionResponse: { name, response: { ok: true } } })),
    })
    const errorOf = async (id: string, ...contents: object[]) => {
      const reply = await post(sandbox, `models/${id}:generateContent`, { contents })
      return ((await reply.json()) as Reply).error?.message ?? null
    }

    test('unsigned calls are refused after the last user turn, not before it', async () => {
      const old = [said('a'), model(called('f')), given('f'), model({ text: 'b' })]
      expect(await errorOf(signing, ...old, said('c'))).toBeNull()
      const steps = [
        said('c'),
        model(called('f', signature('f'))),
        given('f'),
        model(called('g')),
        given('g'),
      ]
      expect(await errorOf(signing, ...old, ...steps)).toContain('missing a thought_signature')
      expect(await errorOf('gemini-2.5-flash', ...old, ...steps)).toBeNull()
    })

    test('with the signature of another call are refused', async () => {
      const parts = [called('f', signature('f')), called('g', signature('f'))]
      expect(await errorOf(signing, said('a'), model(...parts), given('f', 'g'))).toBe(
        'Corrupted thought signature.',
      )
      const parallel = [called('f', signature('f')), called('g')]
      expect(await errorOf(signing, said('a'), model(...parallel), given('f', 'g'))).toBeNull()
    })

    test('need one result each, right after them', async () => {
      const wrong = 'number of function response parts'
      const call = model(called('f', signature('f')))
      expect(await errorOf(signing, said('a'), call, said('b'))).toContain(wrong)
      expect(await errorOf(signing, said('a'), call, said('b'), given('f'))).toContain(wrong)
      expect(await errorOf(signing, said('a'), call, given('f', 'f'))).toContain(wrong)
      expect(await errorOf(signing, said('a'), given('f'))).toContain(wrong)
      const late = { role: 'user', parts: [{ text: 'b' }, ...given('f').parts] }
      expect(await errorOf(signing, said('a'), call, late)).toContain(
        'immediately after a function call turn',
      )
    })

    test('images in results are counted as images', async () => {
      const data = Buffer.alloc(3000).toString('base64')
      const result = { name: 'f', response: {}, parts: [{ inlineData: { mimeType: 'image/png', data } }] }
      const contents = [
        said('a'),
        model(called('f', signature('f'))),
        { role: 'user', parts: [{ functionResponse: result }] },
      ]
      const reply = await post(sandbox, `models/${signing}:generateContent`, { contents })
      const { usageMetadata } = (await reply.json()) as Reply
      expect(usageMetadata?.promptTokensDetails).toContainEqual({ modality: 'IMAGE', tokenCount: 258 })
      expect(usageMetadata?.promptTokenCount).toBeLessThan(400)
    })
  })

  test.each<[string, object, string]>([
    ['a long name', { name: 'f'.repeat(65) }, 'Invalid function name'],
    [
      'a keyword of JSON Schema',
      { name: 'f', parameters: { type: 'OBJECT', $schema: 'x' } },
      'Unknown name "$schema" at \'tools[0].function_declarations[0].parameters\'',
    ],
    [
      'the same inside',
      { name: 'f', parameters: { type: 'OBJECT', properties: { x: { anyOf: [{ const: 1 }] } } } },
      'parameters.properties[x].any_of[0]',
    ],
    [
      'an unknown format',
      { name: 'f', parameters: { type: 'OBJECT', properties: { x: { type: 'STRING', format: 'uri' } } } },
      "only 'enum' and 'date-time'",
    ],
    [
      'an array without items',
      { name: 'f', parameters: { type: 'OBJECT', properties: { x: { type: 'ARRAY' } } } },
      'items: missing field',
    ],
    [
      'an undefined required property',
      { name: 'f', parameters: { type: 'OBJECT', properties: {}, required: ['x'] } },
      'property is not defined',
    ],
  ])('%s in a declaration is refused', async (_, declaration, message) => {
    const reply = await generate(sandbox, old, 'Hi', { tools: [{ functionDeclarations: [declaration] }] })
    expect(reply.error?.message).toContain(message)
  })

  test('a stream sends them whole in one chunk', async () => {
    const body = { contents: [{ parts: [{ text: 'Hi [[sandbox: toolCalls=2]]' }] }], tools }
    const chunks = (await (
      await post(sandbox, `models/${old}:streamGenerateContent`, body)
    ).json()) as Reply[]
    expect(chunks.map(chunk => partsOf(chunk).length)).toEqual([2])
    expect(chunks[0]?.candidates?.[0]?.finishReason).toBe('STOP')
  })
})

describe('JSON', () => {
  const schemas: readonly object[] = [
    { type: 'object', properties: { a: { type: 'integer', minimum: 7, maximum: 9 } }, required: ['a'] },
    { type: 'array', items: { enum: ['red', 'blue'] }, minItems: 3 },
    { type: 'object', properties: { x: { anyOf: [{ type: 'null' }, { type: 'string' }] } } },
    { type: 'number', exclusiveMinimum: 0, maximum: 0.5 },
    { type: 'string', minLength: 20, maxLength: 22 },
    { allOf: [{ type: 'object', properties: { a: { const: 1 } }, required: ['a'] }, { required: ['a'] }] },
    {
      type: 'object',
      properties: { kids: { type: 'array', items: { $ref: '#' } }, next: { $ref: '#/$defs/node' } },
      required: ['kids'],
      $defs: { node: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } },
    },
  ]

  test.each(schemas.map(schema => [JSON.stringify(schema), schema] as const))(
    'satisfies %s',
    async (_, schema) => {
      const generationConfig = { responseMimeType: 'application/json', responseJsonSchema: schema }
      const reply = await generate(sandbox, old, 'Hi', { generationConfig })
      expect(reply.candidates?.[0]?.finishReason).toBe('STOP')
      const value: unknown = JSON.parse(partsOf(reply)[0]?.text ?? '')
      expect(Value.Check(Type.Unsafe(schema), value)).toBe(true)
    },
  )

  test("the vendor's own schema, a choice, or no schema; two schemas are too many", async () => {
    const ask = async (generationConfig: object) => generate(sandbox, old, 'Hi', { generationConfig })
    const json = await ask({ response_mime_type: 'application/json', response_schema: weather.parameters })
    expect(JSON.parse(partsOf(json)[0]?.text ?? '')).toEqual({ city: 'sandbox', days: 3 })
    const choice = {
      responseMimeType: 'text/x.enum',
      responseSchema: { type: 'STRING', enum: ['yes', 'no'] },
    }
    expect(partsOf(await ask(choice))[0]?.text).toBe('yes')
    const free = await ask({ responseMimeType: 'application/json' })
    expect(JSON.parse(partsOf(free)[0]?.text ?? '')).toEqual({ answer: 'Hi' })
    const both = { responseMimeType: 'application/json', responseSchema: {}, responseJsonSchema: {} }
    expect((await ask(both)).error?.code).toBe(400)
  })
})

describe('JSON together with functions', () => {
  const body = {
    tools: [{ functionDeclarations: [clock] }],
    generationConfig: { responseMimeType: 'application/json', responseJsonSchema: { type: 'object' } },
  }

  test('is refused by models before the third generation', async () => {
    const { error } = await generate(sandbox, old, 'Hi', body)
    expect([error?.code, error?.status]).toEqual([400, 'INVALID_ARGUMENT'])
    expect(error?.message).toContain('Function calling with a response mime type')
  })

  test('is accepted by later ones', async () => {
    const reply = await generate(sandbox, 'gemini-3-flash-preview', 'Hi', body)
    expect(reply.error).toBeUndefined()
  })
})

describe('more members', () => {
  test('search returns sources with segments from the text', async () => {
    const reply = await generate(sandbox, old, 'News, please', { tools: [{ google_search: {} }] })
    const found = reply.candidates?.[0]?.groundingMetadata
    expect(found?.webSearchQueries).toEqual(['News, please'])
    expect(found?.groundingChunks).toHaveLength(2)
    const bytes = Buffer.from(partsOf(reply)[0]?.text ?? '')
    for (const { segment } of (found?.groundingSupports ?? []) as {
      segment: { startIndex?: number; endIndex: number; text: string }
    }[]) {
      expect(bytes.toString('utf8', segment.startIndex ?? 0, segment.endIndex)).toBe(segment.text)
    }
  })

  test('log probabilities spell the text, whole and as a stream', async () => {
    const generationConfig = { responseLogprobs: true, logprobs: 3 }
    const reply = await generate(sandbox, old, 'Hi', { generationConfig })
    const found = reply.candidates?.[0]?.logprobsResult
    expect(found?.chosenCandidates.map(({ token }) => token).join('')).toBe(partsOf(reply)[0]?.text ?? '')
    expect(found?.topCandidates).toHaveLength(found?.chosenCandidates.length ?? -1)
  })

  test('more than one candidate, unknown names and impossible modalities are refused', async () => {
    for (const more of [
      { generationConfig: { candidateCount: 2 } },
      { generationConfig: { responseModalities: ['IMAGE'] } },
      { generationConfig: { logprobs: 2 } },
      { contents: [{ role: 'system', parts: [{ text: 'Hi' }] }] },
      { contents: [{ parts: [{ type: 'text', text: 'Hi' }] }] },
      { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: '%%%' } }] }] },
    ]) {
      expect((await generate(sandbox, old, 'Hi', more)).error?.status).toBe('INVALID_ARGUMENT')
    }
  })

  test('media in the prompt are counted by modality, in a call and in a token count', async () => {
    const wav = Buffer.from(writeWav(writeSine(2.5, 100), { rate: 24_000, channels: 1 })).toString('base64')
    const contents = [
      {
        parts: [
          { text: 'What is it?' },
          { inline_data: { mime_type: 'image/png', data: 'AAAA' } },
          { inlineData: { mimeType: 'audio/wav', data: wav } },
          { inlineData: { mimeType: 'application/pdf', data: 'JVBERg==' } },
        ],
      },
    ]
    const promptTokensDetails = [
      { modality: 'TEXT', tokenCount: 3 },
      { modality: 'IMAGE', tokenCount: 258 },
      { modality: 'AUDIO', tokenCount: 80 },
      { modality: 'DOCUMENT', tokenCount: 258 },
    ]
    const reply = await generate(sandbox, old, '', { contents })
    expect(reply.usageMetadata).toMatchObject({ promptTokenCount: 599, promptTokensDetails })
    const counted = await (await post(sandbox, `models/${old}:countTokens`, { contents })).json()
    expect(counted).toEqual({ totalTokens: 599, promptTokensDetails })
    expect(sandbox.counters().billed[old]?.inputAudioTokens).toBe(80)
  })
})
