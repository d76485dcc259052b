// Calls, media, citations, log probabilities and signatures in the vendor's replies, whole and streamed.
import { describe, expect, test } from 'bun:test'
import { ChatEventReader } from '../../chat-events.ts'
import type { ChatEvent } from '../../port.ts'
import { openStream } from '../../testing/open-stream.ts'
import { writeToolCallId } from '../../tool-call-id.ts'
import { mapChatResponse } from './map-chat-response.ts'
import { GeminiAnswer } from './streamed-answer.ts'

/** Ids in order: 1, 2, … */
function counter() {
  let count = 0
  return () => String(++count)
}

const reply = (parts: unknown[], more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0, ...more }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
})
const choiceOf = (parts: unknown[], more: object = {}) =>
  mapChatResponse(reply(parts, more), counter()).choices[0]

const png = { inlineData: { mimeType: 'image/png', data: 'UE5H' } }
const sun = { functionCall: { name: 'sun', args: { at: 'Köln' }, id: 'v1' }, thoughtSignature: 'c2ln' }
const rain = { functionCall: { name: 'rain' } }
const sunCall = {
  id: writeToolCallId('1', 'c2ln'),
  type: 'function',
  function: { name: 'sun', arguments: '{"at":"Köln"}' },
}
const rainCall = { id: 'call_2', type: 'function', function: { name: 'rain', arguments: '{}' } }
const grounding = {
  groundingChunks: [
    { web: { uri: 'https://a.example', title: 'A' } },
    { web: { uri: 'https://b.example' } },
    {},
  ],
  groundingSupports: [
    { segment: { endIndex: 5, text: 'Köln' }, groundingChunkIndices: [0, 1, 2, 7] },
    { segment: { startIndex: 6, endIndex: 99 }, groundingChunkIndices: [0] },
    { groundingChunkIndices: [0] },
  ],
}
const cited = (start_index: number, end_index: number, url: string, title: string) => ({
  type: 'url_citation',
  url_citation: { start_index, end_index, url, title },
})
const annotations = [
  cited(0, 4, 'https://a.example', 'A'),
  cited(0, 4, 'https://b.example', ''),
  cited(5, 9, 'https://a.example', 'A'),
]

describe('a whole reply', () => {
  const rows: readonly [string, unknown[], object, object][] = [
    [
      'a call with the namespace of the model before its name',
      [{ functionCall: { name: 'default_api:rain' } }, { functionCall: { name: 'default_api.' } }],
      {},
      {
        toolCalls: [
          { ...rainCall, id: 'call_1' },
          { ...rainCall, function: { name: 'default_api.', arguments: '{}' } },
        ],
      },
    ],
    [
      'calls alone',
      [sun, rain],
      {},
      { text: null, finishReason: 'tool_calls', toolCalls: [sunCall, rainCall], thinkingBlocks: [] },
    ],
    ['text and a call', [{ text: 'Let me see.' }, sun], {}, { text: 'Let me see.', toolCalls: [sunCall] }],
    [
      'a call in snake case',
      [{ function_call: { name: 'rain', args: null }, thought_signature: 'c2ln' }],
      {},
      { toolCalls: [{ ...rainCall, id: writeToolCallId('1', 'c2ln') }] },
    ],
    ['a call without a name does not count', [{ functionCall: {} }], {}, { text: '', finishReason: 'stop' }],
    [
      'images, those of the reasoning left out',
      [{ ...png, thought: true }, png, { inline_data: { mime_type: 'image/jpeg', data: 'SlBH' } }],
      {},
      {
        text: null,
        images: [
          { mimeType: 'image/png', base64: 'UE5H' },
          { mimeType: 'image/jpeg', base64: 'SlBH' },
        ],
      },
    ],
    [
      'a signed image: the signature is not for the client',
      [{ ...png, thoughtSignature: 'c2ln' }],
      {},
      { images: [{ base64: 'UE5H' }], thinkingBlocks: [] },
    ],
    ['text and an image', [{ text: 'Here.' }, png], {}, { text: 'Here.', images: [{ base64: 'UE5H' }] }],
    [
      'an image that was refused',
      [],
      { finishReason: 'NO_IMAGE' },
      { text: null, finishReason: 'content_filter' },
    ],
    [
      'audio in pieces',
      ['AAA=', 'AQE='].map(data => ({ inlineData: { mimeType: 'audio/L16;rate=24000', data } })),
      {},
      { text: null, audio: { mimeType: 'audio/L16;rate=24000', base64: 'AAABAQ==' } },
    ],
    [
      'a signed thought',
      [
        { text: 'Hm.', thought: true },
        { text: '42', thoughtSignature: 'c2ln' },
      ],
      {},
      { text: '42', thinkingBlocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }] },
    ],
    [
      'a signature without a thought',
      [{ text: '42' }, { text: '', thoughtSignature: 'c2ln' }],
      {},
      { text: '42', thinkingBlocks: [{ type: 'thinking', thinking: '', signature: 'c2ln' }] },
    ],
    [
      'citations, counted in characters',
      [{ text: 'Köln rain' }],
      { groundingMetadata: grounding },
      { annotations, groundingMetadata: grounding },
    ],
    [
      'log probabilities',
      [{ text: 'é' }],
      {
        logprobsResult: {
          chosenCandidates: [{ token: 'é', logProbability: -0.5 }, { token: '' }, {}],
          topCandidates: [{ candidates: [{ token: 'é', logProbability: -0.5 }] }],
        },
      },
      {
        logprobs: [
          {
            token: 'é',
            logprob: -0.5,
            bytes: [195, 169],
            top_logprobs: [{ token: 'é', logprob: -0.5, bytes: [195, 169] }],
          },
          { token: '', logprob: 0, bytes: [], top_logprobs: [] },
        ],
      },
    ],
  ]
  test.each(rows)('%s', (_name, parts, more, expected) => {
    expect<unknown>(choiceOf(parts, more)).toMatchObject(expected)
  })
})

describe('the fault of a whole reply', () => {
  const faultOf = (parts: unknown[], more: object = {}) => choiceOf(parts, more)?.fault
  test('a call that cannot be read', () => {
    expect(faultOf([{ text: 'x' }], { finishReason: 'MALFORMED_FUNCTION_CALL' })).toBe('malformed_call')
  })

  test('an empty answer that is complete', () => {
    expect(faultOf([])).toBe('empty')
    expect(
      faultOf([
        { text: 'x', thought: true },
        { text: '', thoughtSignature: 'c2ln' },
      ]),
    ).toBe('empty')
    const { usageMetadata } = reply([])
    expect(mapChatResponse({ usageMetadata }, counter()).choices[0]?.fault).toBe('empty')
  })

  test('none if there is an answer, or a reason for its absence', () => {
    for (const parts of [[{ text: 'x' }], [rain], [png]]) expect(faultOf(parts)).toBeUndefined()
    for (const finishReason of ['MAX_TOKENS', 'SAFETY']) expect(faultOf([], { finishReason })).toBeUndefined()
    const blocked = mapChatResponse({ promptFeedback: { blockReason: 'SAFETY' } }, counter())
    expect(blocked.choices[0]?.fault).toBeUndefined()
  })
})

describe('a stream', () => {
  async function eventsOf(...chunks: object[]): Promise<ChatEvent[]> {
    const text = chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join('')
    const events: ChatEvent[] = []
    const stream = openStream(text)
    const reader = new ChatEventReader(stream, new GeminiAnswer(stream, counter()))
    for (let batch = await reader.read(); batch !== null; batch = await reader.read()) events.push(...batch)
    return events.filter(({ type }) => type !== 'usage')
  }
  const chunk = (parts: unknown[], more: object = {}) => reply(parts, { finishReason: undefined, ...more })

  test('that has calls in multiple chunks ends with tool_calls', async () => {
    const end = chunk([{ text: '' }], { finishReason: 'STOP' })
    expect<unknown>(await eventsOf(chunk([{ text: 'x' }, sun]), chunk([rain]), end)).toEqual([
      { type: 'text-delta', text: 'x' },
      { type: 'tool-call', call: sunCall },
      { type: 'tool-call', call: rainCall },
      { type: 'finish', reason: 'tool_calls' },
    ])
  })

  test.each<[string, object[], object]>([
    [
      'a call that cannot be read',
      [chunk([], { finishReason: 'MALFORMED_FUNCTION_CALL' })],
      { fault: 'malformed_call' },
    ],
    [
      'the same after a text',
      [chunk([{ text: 'x' }]), chunk([], { finishReason: 'UNEXPECTED_TOOL_CALL' })],
      { fault: 'malformed_call' },
    ],
    ['thoughts alone', [chunk([{ text: 'x', thought: true }], { finishReason: 'STOP' })], { fault: 'empty' }],
    ['nothing', [chunk([], { finishReason: 'STOP' })], { fault: 'empty' }],
    ['a text', [chunk([{ text: 'x' }]), chunk([], { finishReason: 'STOP' })], {}],
  ])('that ends with %s', async (_, chunks, fault) => {
    const events = await eventsOf(...chunks)
    expect<unknown>(events.at(-1)).toEqual({ type: 'finish', reason: 'stop', ...fault })
  })

  test('that is empty for a reason has no fault', async () => {
    for (const [finishReason, reason] of [
      ['MAX_TOKENS', 'length'],
      ['SAFETY', 'content_filter'],
    ] as const)
      expect(await eventsOf(chunk([], { finishReason }))).toEqual([{ type: 'finish', reason }])
  })

  test('returns images, audio and signatures as they come', async () => {
    const audio = { inlineData: { mimeType: 'audio/L16', data: 'AAA=' } }
    const end = chunk([{ text: '', thoughtSignature: 'c2ln' }], { finishReason: 'STOP' })
    expect<unknown>(await eventsOf(chunk([{ ...png, thought: true }, png]), chunk([audio]), end)).toEqual([
      { type: 'image', image: { mimeType: 'image/png', base64: 'UE5H' } },
      { type: 'audio-delta', audio: { mimeType: 'audio/L16', base64: 'AAA=' } },
      { type: 'signature', signature: 'c2ln' },
      { type: 'finish', reason: 'stop' },
    ])
  })

  test('returns citations once, before the finish, counted over the whole answer', async () => {
    const citationMetadata = { citationSources: [] }
    const events = await eventsOf(
      chunk([{ text: 'Köl' }], { groundingMetadata: {}, citationMetadata }),
      chunk([{ text: 'n rain' }], { groundingMetadata: grounding, finishReason: 'STOP' }),
    )
    expect<unknown>(events.slice(2)).toEqual([
      {
        type: 'metadata',
        annotations,
        groundingMetadata: grounding,
        citationMetadata,
        urlContextMetadata: null,
      },
      { type: 'finish', reason: 'stop' },
    ])
  })

  test('log probabilities go with their text', async () => {
    const logprobsResult = { chosenCandidates: [{ token: 'x', logProbability: -1 }] }
    const [first] = await eventsOf(chunk([{ text: 'x' }], { logprobsResult, finishReason: 'STOP' }))
    expect<unknown>(first).toEqual({
      type: 'text-delta',
      text: 'x',
      logprobs: [{ token: 'x', logprob: -1, bytes: [120], top_logprobs: [] }],
    })
  })
})
