// Public requests become bodies for the vendor (spec 4.1).
import { describe, expect, test } from 'bun:test'
import type { Conversation } from '../../port.ts'
import { buildChatCall } from '../../testing/build-chat-call.ts'
import { convertChatRequest } from './convert-chat-request.ts'

const turns = (...messages: [Exclude<Conversation['messages'][number]['role'], 'tool'>, string][]) =>
  convertChatRequest(buildChatCall({ messages: messages.map(([role, content]) => ({ role, content })) }))

test('the minimum: one turn and the output cap', () => {
  expect(convertChatRequest(buildChatCall({}, { outputCap: 77 }))).toEqual({
    contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
    generationConfig: { maxOutputTokens: 77 },
  })
})

describe('turns', () => {
  test('system and developer messages join into the instruction, wherever they are', () => {
    expect(turns(['system', 'A'], ['user', 'u'], ['developer', 'B'], ['system', ''])).toMatchObject({
      systemInstruction: { parts: [{ text: 'A\n\nB' }] },
      contents: [{ role: 'user', parts: [{ text: 'u' }] }],
    })
  })

  test('consecutive turns of one role are merged, also around an instruction', () => {
    const { contents } = turns(
      ['user', '1'],
      ['system', 's'],
      ['user', '2'],
      ['assistant', '3'],
      ['assistant', '4'],
      ['user', '5'],
    )
    expect(contents).toEqual([
      { role: 'user', parts: [{ text: '1' }, { text: '2' }] },
      { role: 'model', parts: [{ text: '3' }, { text: '4' }] },
      { role: 'user', parts: [{ text: '5' }] },
    ])
  })

  test('only instructions: a blank user turn', () => {
    expect(turns(['system', 'A']).contents).toEqual([{ role: 'user', parts: [{ text: ' ' }] }])
  })

  test('an empty turn is blank, never empty', () => {
    expect(turns(['user', '']).contents).toEqual([{ role: 'user', parts: [{ text: ' ' }] }])
  })

  test('the parts of a message are one text', () => {
    const content = [{ type: 'text', text: 'a' } as const, { type: 'text', text: 'b' } as const]
    const { contents } = convertChatRequest(buildChatCall({ messages: [{ role: 'user', content }] }))
    expect(contents).toEqual([{ role: 'user', parts: [{ text: 'ab' }] }])
  })
})

describe('generation config', () => {
  const config = (request: Partial<Conversation>) => {
    const { maxOutputTokens, ...rest } = convertChatRequest(buildChatCall(request)).generationConfig
    expect(maxOutputTokens).toBe(8192)
    return rest
  }

  test.each([
    [
      { temperature: 0, top_p: 0, seed: 0 },
      { temperature: 0, topP: 0, seed: 0 },
    ],
    [
      { presence_penalty: -1, frequency_penalty: 2 },
      { presencePenalty: -1, frequencyPenalty: 2 },
    ],
    [{ stop: 'END' }, { stopSequences: ['END'] }],
    [{ stop: ['A', 'B'] }, { stopSequences: ['A', 'B'] }],
    [{ temperature: null, top_p: null, seed: null, stop: null, reasoning_effort: null }, {}],
    // The cap is decided at admission; candidateCount is never sent: each choice is a call of its own.
    [{ max_tokens: 5, max_completion_tokens: 6, n: 3 }, {}],
    // Seeds of later choices continue past the largest int32.
    [{ seed: 2147483649 }, { seed: -2147483647 }],
  ])('%j → %j', (request, expected) => {
    expect(config(request)).toEqual(expected)
  })
})
