// Whole replies of the vendor, complete and with members missing, become chat results; and its finish reasons.
import { describe, expect, test } from 'bun:test'
import answer from './__fixtures__/answer.json'
import blockedPrompt from './__fixtures__/blocked-prompt.json'
import reasoningTookAll from './__fixtures__/reasoning-took-all.json'
import refusedAnswer from './__fixtures__/refused-answer.json'
import thinking from './__fixtures__/thinking.json'
import { mapFinishReason, mapChatResponse as mapReply } from './map-chat-response.ts'

const mapChatResponse = (reply: unknown) => mapReply(reply, () => 'id1')

test('a plain answer', () => {
  const [candidate] = answer.candidates
  expect(mapChatResponse(answer)).toEqual({
    responseId: 'x7Q3aKvHNpOJkdUP2aLFoQg',
    choices: [
      {
        index: 0,
        text: 'Hello – 你好 🙂',
        reasoning: null,
        thinkingBlocks: [],
        toolCalls: [],
        images: [],
        audio: null,
        annotations: [],
        logprobs: null,
        finishReason: 'stop',
        safetyRatings: candidate?.safetyRatings ?? null,
        citationMetadata: candidate?.citationMetadata,
        groundingMetadata: candidate?.groundingMetadata,
        urlContextMetadata: candidate?.urlContextMetadata,
      },
    ],
    upstreamKey: null,
    usage: {
      kind: 'reported',
      usage: { inputTokens: 83, cachedTokens: 20, outputTokens: 118, reasoningTokens: 104, searches: 1 },
    },
  })
})

describe('text, reasoning and finish reason', () => {
  const rows: readonly [string, unknown, string | null, string | null, string][] = [
    ['thoughts apart from text', thinking, '42', 'First I add. Then I check.', 'stop'],
    ['no parts: reasoning took the whole cap', reasoningTookAll, '', null, 'length'],
    ['no candidates: the prompt was blocked', blockedPrompt, null, null, 'content_filter'],
    ['no content: the answer was refused', refusedAnswer, null, null, 'content_filter'],
    ['usage and nothing else', { usageMetadata: { promptTokenCount: 3 } }, null, null, 'content_filter'],
    [
      'odd members',
      { candidates: [{ content: { parts: [5, { text: 7 }, { inlineData: {} }] } }] },
      '',
      null,
      'stop',
    ],
    [
      'a candidate of another shape',
      { candidates: ['x'], usageMetadata: { promptTokenCount: 3 } },
      '',
      null,
      'stop',
    ],
  ]
  test.each(rows)('%s', (_name, reply, text, reasoning, finishReason) => {
    expect(mapChatResponse(reply).choices).toMatchObject([{ index: 0, text, reasoning, finishReason }])
  })
})

test('the ratings of a blocked prompt are kept', () => {
  expect(mapChatResponse(blockedPrompt).choices[0]?.safetyRatings).toEqual(
    blockedPrompt.promptFeedback.safetyRatings,
  )
})

const error = { code: 500, message: 'Internal', status: 'INTERNAL' }

test.each([
  [{}],
  [null],
  [[]],
  ['text'],
  [{ candidates: [] }],
  [{ candidates: [{}, null, { index: 1 }] }],
  [{ error }],
  [[{ error }]],
])('%j is not an answer', reply => {
  expect(() => mapChatResponse(reply)).toThrow('The model provider sent an empty answer.')
})

describe('finish reasons', () => {
  test.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['LANGUAGE', 'content_filter'],
    ['OTHER', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['NO_IMAGE', 'content_filter'],
    ['ESCALATION', 'content_filter'],
    ['FINISH_REASON_UNSPECIFIED', 'stop'],
    ['MALFORMED_FUNCTION_CALL', 'stop'],
    ['UNEXPECTED_TOOL_CALL', 'stop'],
    ['MALFORMED_RESPONSE', 'stop'],
    ['REASON_OF_NEXT_WEEK', 'stop'],
    ['constructor', 'stop'],
  ])('%s → %s', (vendor, ours) => {
    expect<string>(mapFinishReason(vendor)).toBe(ours)
  })
})
