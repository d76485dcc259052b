// Results of upstream calls become the body of a reply: calls, media, thinking, and the vendor's own arrays.
import { describe, expect, test } from 'bun:test'
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import { chatCompletionSchema } from '@fairgate/contracts/chat/response.ts'
import { Compile } from 'typebox/compile'
import type { ChatChoice, ChatResult } from '../../../upstream/port.ts'
import { buildCompletion, leaveOutEmptyImages } from './build-completion.ts'

const plain: ChatChoice = {
  index: 0,
  text: 'Hi',
  reasoning: null,
  thinkingBlocks: [],
  toolCalls: [],
  images: [],
  audio: null,
  annotations: [],
  logprobs: null,
  finishReason: 'stop',
  safetyRatings: null,
  citationMetadata: null,
  groundingMetadata: null,
  urlContextMetadata: null,
}
const usage = {
  kind: 'reported',
  usage: { inputTokens: 1, cachedTokens: 0, outputTokens: 1, reasoningTokens: 0 },
} as const
const compiled = Compile(chatCompletionSchema)

function complete(choices: readonly Partial<ChatChoice>[], request: Partial<ChatRequest> = {}) {
  const results = choices.map(
    (choice): ChatResult => ({ responseId: 'r', choices: [{ ...plain, ...choice }], usage }),
  )
  const body = buildCompletion({
    results,
    request: { model: 'm', messages: [{ role: 'user', content: '' }], ...request },
    callId: 'c1',
    created: 1000,
  })
  expect(compiled.Errors(body)).toEqual([])
  return body
}
const toolCall = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } }) as const

test('plain text has no members of other kinds', () => {
  const [choice] = complete([{}]).choices
  expect(choice).toEqual({
    finish_reason: 'stop',
    index: 0,
    message: { role: 'assistant', content: 'Hi', refusal: null, images: [], thinking_blocks: [] },
    logprobs: null,
  })
})

test('without an empty array of images, for clients that break on it', () => {
  const images = [{ mimeType: 'image/png', base64: 'UE5H' }]
  const { choices } = Object(leaveOutEmptyImages(complete([{}, { images }])))
  expect(choices[0].message).toEqual({
    role: 'assistant',
    content: 'Hi',
    refusal: null,
    thinking_blocks: [],
  })
  expect(choices[1]).toEqual(complete([{}, { images }]).choices[1])
})

describe('a message', () => {
  const rows: readonly [string, Partial<ChatChoice>, object][] = [
    [
      'of calls',
      { text: null, toolCalls: [toolCall('call_1'), toolCall('call_2')] },
      { content: null, tool_calls: [toolCall('call_1'), toolCall('call_2')] },
    ],
    [
      'of images',
      {
        text: null,
        images: ['UE5H', 'UE5J'].map(base64 => ({ mimeType: 'image/png', base64 })),
      },
      {
        content: null,
        images: [
          {
            type: 'image_url',
            index: 0,
            image_url: { url: 'data:image/png;base64,UE5H', detail: 'auto' },
          },
          { index: 1, image_url: { url: 'data:image/png;base64,UE5J' } },
        ],
      },
    ],
    [
      'with thinking',
      { reasoning: 't', thinkingBlocks: [{ type: 'thinking', thinking: 't', signature: 's' }] },
      { reasoning_content: 't', thinking_blocks: [{ type: 'thinking', thinking: 't', signature: 's' }] },
    ],
    [
      'of audio',
      { text: null, audio: { mimeType: 'audio/L16;rate=24000', base64: 'AAAB' } },
      { content: null, audio: { id: 'audio_c1_0', data: 'AAAB', expires_at: 1000, transcript: '' } },
    ],
  ]
  test.each(rows)('%s', (_name, choice, expected) => {
    expect(complete([choice]).choices[0]?.message).toMatchObject(expected)
  })
})

test('audio as a WAV file', () => {
  const audio = { mimeType: 'audio/L16;codec=pcm;rate=16000', base64: 'AAEC' }
  const { choices } = complete([{ audio }], { audio: { voice: 'v', format: 'wav' } })
  const file = Buffer.from(choices[0]?.message.audio?.data ?? '', 'base64')
  expect([file.length, file.toString('latin1', 0, 4), file.readUInt32LE(24)]).toEqual([47, 'RIFF', 16_000])
})

test('one call at a time, if requested', () => {
  const { choices } = complete([{ toolCalls: [toolCall('call_1'), toolCall('call_2')] }], {
    parallel_tool_calls: false,
  })
  expect(choices[0]?.message.tool_calls).toEqual([toolCall('call_1')])
})

test('log probabilities and annotations', () => {
  const token = { token: 'H', logprob: -1, bytes: [72], top_logprobs: [] }
  const citation = { start_index: 0, end_index: 1, url: 'https://a.example', title: 'A' }
  const annotation = { type: 'url_citation', url_citation: citation } as const
  const [choice] = complete([{ logprobs: [token], annotations: [annotation] }]).choices
  expect(choice?.logprobs).toEqual({ content: [token], refusal: null })
  expect(choice?.message.annotations).toEqual([annotation])
})

test("the vendor's arrays have one item per choice that has any", () => {
  const rating = { category: 'X', probability: 'LOW' }
  const body = complete([
    { safetyRatings: [rating], groundingMetadata: { a: 1 } },
    {},
    { safetyRatings: [], citationMetadata: { b: 1 }, urlContextMetadata: { c: 1 } },
  ])
  expect(body.vendor_safety_results).toEqual([[rating], []])
  expect(body.vendor_grounding_metadata).toEqual([{ a: 1 }])
  expect(body.vendor_citation_metadata).toEqual([{ b: 1 }])
  expect(body.vendor_url_context_metadata).toEqual([{ c: 1 }])
  expect(body.choices.map(choice => choice.index)).toEqual([0, 1, 2])
})
