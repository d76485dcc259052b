// Tools, media, formats and thought signatures: public requests become bodies for the vendor.
import { describe, expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Conversation } from '../../port.ts'
import { buildChatCall } from '../../testing/build-chat-call.ts'
import { writeToolCallId } from '../../tool-call-id.ts'
import { convertChatRequest } from './convert-chat-request.ts'

type Messages = Conversation['messages']
const convert = (request: Partial<Conversation>) => convertChatRequest(buildChatCall(request))
const call = (id: string, name: string, args: string) =>
  ({ id, type: 'function', function: { name, arguments: args } }) as const
const calls = (...list: ReturnType<typeof call>[]) =>
  ({ role: 'assistant', content: null, tool_calls: list }) as const
const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content }) as const
const hello = { role: 'user', content: 'Hello' } as const

describe('turns', () => {
  const rows: readonly [string, Messages, unknown][] = [
    [
      'a call after text, and its result',
      [
        hello,
        { ...calls(call('a', 'add', '{"x":1}')), content: 'I add.' },
        result('a', '{"sum":2}'),
        { role: 'user', content: 'And?' },
      ],
      [
        { role: 'user', parts: [{ text: 'Hello' }] },
        { role: 'model', parts: [{ text: 'I add.' }, { functionCall: { name: 'add', args: { x: 1 } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'add', response: { sum: 2 } } }] },
        { role: 'user', parts: [{ text: 'And?' }] },
      ],
    ],
    [
      'results of parallel calls: one turn, in the order of the calls',
      [calls(call('a', 'f', '{"n":1}'), call('b', 'f', '')), result('b', 'two'), result('a', '[1]')],
      [
        {
          role: 'model',
          parts: [{ functionCall: { name: 'f', args: { n: 1 } } }, { functionCall: { name: 'f', args: {} } }],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { name: 'f', response: { output: '[1]' } } },
            { functionResponse: { name: 'f', response: { output: 'two' } } },
          ],
        },
      ],
    ],
    [
      'an id used again means the latest call',
      [calls(call('a', 'f', '{}')), result('a', ''), calls(call('a', 'g', '{}')), result('a', '')],
      [
        { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: '' } } }] },
        { role: 'model', parts: [{ functionCall: { name: 'g', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'g', response: { output: '' } } }] },
      ],
    ],
    [
      'a refusal is text; an empty answer is blank',
      [{ role: 'assistant', content: null, refusal: 'No.' }, hello, { role: 'assistant', content: null }],
      [
        { role: 'model', parts: [{ text: 'No.' }] },
        { role: 'user', parts: [{ text: 'Hello' }] },
        { role: 'model', parts: [{ text: ' ' }] },
      ],
    ],
    [
      'media between texts',
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
            { type: 'image_url', image_url: { url: 'data:image/jpg;base64,/9j/' } },
            { type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } },
            { type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
            { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' } },
            { type: 'text', text: 'c' },
          ],
        },
      ],
      [
        {
          role: 'user',
          parts: [
            { text: 'ab' },
            { inlineData: { mimeType: 'image/jpeg', data: '/9j/' } },
            { inlineData: { mimeType: 'audio/wav', data: 'UklG' } },
            { inlineData: { mimeType: 'audio/mp3', data: 'SUQz' } },
            { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } },
            { text: 'c' },
          ],
        },
      ],
    ],
  ]
  test.each(rows)('%s', (_name, messages, contents) => {
    expect<unknown>(convert({ messages }).contents).toEqual(contents)
  })
})

describe('thought signatures', () => {
  const signed = writeToolCallId('ab12', 'c2lnbmF0dXJl')
  const block = { type: 'thinking', thinking: 't', signature: 'YmxvY2s=' } as const
  const partsOf = (message: Messages[number], reasoning: 'budget' | 'level' = 'budget') =>
    convertChatRequest(buildChatCall({ messages: [message] }, { reasoning })).contents[0]?.parts
  const f = { functionCall: { name: 'f', args: {} } }

  test('are restored from the ids of calls', () => {
    expect<unknown>(partsOf(calls(call(signed, 'f', '{}'), call('b', 'f', '{}')), 'level')).toEqual([
      { ...f, thoughtSignature: 'c2lnbmF0dXJl' },
      f,
    ])
  })

  test('a result finds its call by such an id', () => {
    const { contents } = convert({ messages: [calls(call(signed, 'f', '{}')), result(signed, 'x')] })
    expect(contents[1]?.parts).toEqual([{ functionResponse: { name: 'f', response: { output: 'x' } } }])
  })

  const rows: readonly [string, Messages[number], unknown][] = [
    [
      'on the text',
      { role: 'assistant', content: 'x', thinking_blocks: [block] },
      [{ text: 'x', thoughtSignature: 'YmxvY2s=' }],
    ],
    [
      'on an empty text',
      { role: 'assistant', content: null, thinking_blocks: [block] },
      [{ text: '', thoughtSignature: 'YmxvY2s=' }],
    ],
    [
      'on the first call, if there is no text',
      { ...calls(call('a', 'f', '{}')), thinking_blocks: [block] },
      [{ ...f, thoughtSignature: 'YmxvY2s=' }],
    ],
    [
      'next to signed calls',
      { ...calls(call(signed, 'f', '{}')), content: 'x', thinking_blocks: [block] },
      [
        { text: 'x', thoughtSignature: 'YmxvY2s=' },
        { ...f, thoughtSignature: 'c2lnbmF0dXJl' },
      ],
    ],
    [
      'a block without one changes nothing',
      { role: 'assistant', content: 'x', thinking_blocks: [{ type: 'thinking', thinking: 't' }] },
      [{ text: 'x' }],
    ],
  ]
  test.each(rows)('of thinking blocks: %s', (_name, message, parts) => {
    expect<unknown>(partsOf(message)).toEqual(parts)
  })

  test('calls of other models pass the check of models that require a signature', () => {
    const foreign = calls(call('toolu_1', 'f', '{}'), call('toolu_2', 'f', '{}'))
    expect<unknown>(partsOf(foreign, 'level')).toEqual([
      { ...f, thoughtSignature: 'skip_thought_signature_validator' },
      f,
    ])
    expect<unknown>(partsOf(foreign)).toEqual([f, f])
  })

  test('calls of one step in multiple messages are one turn with a signed first call', () => {
    const messages = [calls(call(signed, 'f', '{}')), calls(call('b', 'f', '{}')), result('b', 'x')]
    const { contents } = convertChatRequest(buildChatCall({ messages }, { reasoning: 'level' }))
    expect<unknown>(contents[0]?.parts).toEqual([{ ...f, thoughtSignature: 'c2lnbmF0dXJl' }, f])
  })
})

describe('tools', () => {
  const tool = (name: string, more: object = {}) =>
    ({ type: 'function', function: { name, ...more } }) as const
  const parameters = { type: 'object', properties: { x: { $ref: '#/$defs/x' } }, $defs: { x: {} } }

  test('are declared unchanged with a schema that the vendor accepts', () => {
    const { tools, toolConfig } = convert({
      tools: [tool('f', { description: 'd', parameters }), tool('g', { description: null })],
    })
    expect(tools).toEqual([
      {
        functionDeclarations: [
          { name: 'f', description: 'd', parametersJsonSchema: parameters },
          { name: 'g' },
        ],
      },
    ])
    expect(toolConfig).toBeUndefined()
  })

  const modes: readonly [string, Partial<Conversation>, unknown][] = [
    ['none', { tool_choice: 'none' }, { mode: 'NONE' }],
    ['auto', { tool_choice: 'auto' }, { mode: 'AUTO' }],
    ['required', { tool_choice: 'required' }, { mode: 'ANY' }],
    ['one', { tool_choice: tool('f') }, { mode: 'ANY', allowedFunctionNames: ['f'] }],
    [
      'some, one of which must be called',
      { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tool('f')] } } },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
    [
      'some, or none',
      {
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [tool('f'), tool('f')] },
        },
      },
      { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
    ],
    ['strict', { tools: [tool('f', { strict: true })] }, { mode: 'VALIDATED' }],
    [
      'strict and required',
      { tools: [tool('f', { strict: true })], tool_choice: 'required' },
      { mode: 'ANY' },
    ],
  ]
  test.each(modes)('the choice: %s', (_name, request, config) => {
    expect<unknown>(convert({ tools: [tool('f')], ...request }).toolConfig).toEqual({
      functionCallingConfig: config,
    })
  })

  test('nothing without tools', () => {
    expect(Object.keys(convert({ tools: [], tool_choice: 'auto', web_search_options: null }))).toEqual([
      'contents',
      'generationConfig',
    ])
  })

  test('a search of the web is a tool of the vendor', () => {
    expect(convert({ web_search_options: {} }).tools).toEqual([{ googleSearch: {} }])
    expect(convert({ web_search_options: {}, tools: [tool('f')] }).tools).toHaveLength(2)
  })
})

describe('generation config', () => {
  const rows: readonly [Partial<Conversation>, unknown][] = [
    [{ top_k: 40 }, { topK: 40 }],
    [
      { logprobs: true, top_logprobs: 3 },
      { responseLogprobs: true, logprobs: 3 },
    ],
    [{ logprobs: true, top_logprobs: 0 }, { responseLogprobs: true }],
    [{ logprobs: false, top_logprobs: null }, {}],
    [{ response_format: { type: 'text' } }, {}],
    [{ response_format: { type: 'json_object' } }, { responseMimeType: 'application/json' }],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'array' } } } },
      { responseMimeType: 'application/json', responseJsonSchema: { type: 'array' } },
    ],
    [{ modalities: ['image'] }, { responseModalities: ['IMAGE'] }],
    [{ modalities: ['text', 'image'] }, { responseModalities: ['TEXT', 'IMAGE'] }],
    [
      { image_config: { aspect_ratio: '16:9', image_size: '2K' } },
      { imageConfig: { aspectRatio: '16:9', imageSize: '2K' } },
    ],
    [
      { modalities: ['audio'], audio: { voice: 'Kore', format: 'wav' } },
      {
        responseModalities: ['AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
      },
    ],
  ]
  test.each(rows)('%j', (request, expected) => {
    const { maxOutputTokens, ...rest } = convert(request).generationConfig
    expect(maxOutputTokens).toBe(8192)
    expect<unknown>(rest).toEqual(expected)
  })
})

describe('JSON next to functions', () => {
  const tools: Conversation['tools'] = [{ type: 'function', function: { name: 'f' } }]
  const schema = { $schema: 's', type: 'object', properties: { ok: { type: 'boolean' } } }
  const json: Partial<Conversation> = { response_format: { type: 'json_schema', json_schema: { schema } } }
  const formatOf = ({ systemInstruction, generationConfig }: ReturnType<typeof convertChatRequest>) => [
    systemInstruction?.parts[0]?.text,
    generationConfig,
  ]

  test('is requested in words after the client’s instructions if a model has no reasoning levels', () => {
    const [reported, config] = formatOf(
      convert({ ...json, tools, messages: [{ role: 'system', content: 'Be brief.' }, hello] }),
    )
    expect(reported).toStartWith('Be brief.\n\nYour final answer must be JSON')
    expect(reported).toEndWith(`\n${JSON.stringify(schema)}`)
    expect(config).toEqual({ maxOutputTokens: 8192 })
  })

  test('without a schema too', () => {
    const [reported, config] = formatOf(convert({ response_format: { type: 'json_object' }, tools }))
    expect(reported).toBe('Your final answer must be a JSON object and nothing else, without Markdown.')
    expect(config).toEqual({ maxOutputTokens: 8192 })
  })

  const { $schema: _, ...cleaned } = schema
  const members = {
    maxOutputTokens: 8192,
    responseMimeType: 'application/json',
    responseJsonSchema: cleaned,
  }
  test.each<[string, Partial<Conversation>, 'budget' | 'level']>([
    ['a model with levels', { ...json, tools }, 'level'],
    ['no functions', json, 'budget'],
    ['an empty list of them', { ...json, tools: [] }, 'budget'],
  ])('is a member of the configuration with %s', (_, request, reasoning) => {
    const [reported, config] = formatOf(convertChatRequest(buildChatCall(request, { reasoning })))
    expect(reported).toBeUndefined()
    expect(config).toEqual(members)
  })

  test('is left out silently for text', () => {
    expect(formatOf(convert({ response_format: { type: 'text' }, tools }))).toEqual([
      undefined,
      { maxOutputTokens: 8192 },
    ])
  })
})

describe('contradictions', () => {
  const named = { type: 'function', function: { name: 'g' } } as const
  const rows: readonly [string, Partial<Conversation>, string][] = [
    ['a result without a call', { messages: [hello, result('x', '')] }, 'messages[1].tool_call_id'],
    [
      'a result before its call',
      { messages: [result('a', ''), calls(call('a', 'f', '{}'))] },
      'messages[0].tool_call_id',
    ],
    [
      'arguments that are not JSON',
      { messages: [hello, calls(call('a', 'f', '{}'), call('b', 'f', 'x'))] },
      'messages[1].tool_calls[1].function.arguments',
    ],
    ['a choice without tools', { tool_choice: 'required' }, 'tool_choice'],
    [
      'a choice of another function',
      { tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: named },
      'tool_choice.function.name',
    ],
    ['alternatives without log probabilities', { top_logprobs: 2 }, 'top_logprobs'],
    ['a WAV file in a stream', { stream: true, audio: { voice: 'v', format: 'wav' } }, 'audio.format'],
    [
      'a URL that has not been fetched',
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/' } }] },
        ],
      },
      'messages[0].content[0].image_url.url',
    ],
  ]
  test.each(rows)('%s', (_name, request, param) => {
    try {
      convert(request)
    } catch (error) {
      expect(error instanceof ApiError && [error.code, error.param]).toEqual(['invalid_request', param])
      return
    }
    throw new Error('It was taken.')
  })
})
