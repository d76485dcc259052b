// One chunk of the vendor's stream becomes its deltas, its usage, its finish.
import { expect, test } from 'bun:test'
import type { JsonRecord } from '../../narrow-json.ts'
import blockedPrompt from './__fixtures__/blocked-prompt.json'
import { mapStreamChunk as mapChunk } from './streamed-answer.ts'

const mapStreamChunk = (chunk: JsonRecord) => mapChunk(chunk, () => 'id1')
const content = (...parts: object[]) => ({ content: { parts } })

test('text with usage', () => {
  expect(
    mapStreamChunk({
      candidates: [content({ text: 'a' }, { text: 'b' })],
      usageMetadata: { promptTokenCount: 1 },
    }),
  ).toEqual({
    events: [{ type: 'text-delta', text: 'ab' }, { type: 'usage' }],
    usage: { promptTokenCount: 1 },
    finish: null,
    metadata: null,
  })
})

test('reasoning comes before text', () => {
  const { events } = mapStreamChunk({ candidates: [content({ text: 'a' }, { text: 't', thought: true })] })
  expect(events.map(event => event.type)).toEqual(['reasoning-delta', 'text-delta'])
})

test('an empty part gives only its signature; empty usage gives no event', () => {
  const chunk = { candidates: [content({ text: '', thoughtSignature: 'c2ln' })], usageMetadata: {} }
  const events = [{ type: 'signature', signature: 'c2ln' } as const]
  expect(mapStreamChunk(chunk)).toEqual({ events, usage: null, finish: null, metadata: null })
})

test('empty usage gives no event, absurd usage is reported', () => {
  const rows = [
    [{}, null],
    [{ totalTokenCount: 0 }, null],
    [{ promptTokenCount: 0 }, 'same'],
    [{ prompt_token_count: 3 }, 'same'],
    [{ candidatesTokenCount: 2 }, 'same'],
    [{ totalTokenCount: 7 }, 'same'],
    [{ promptTokenCount: -5 }, 'same'],
    [{ candidatesTokenCount: 'many' }, 'same'],
  ] as const
  for (const [usageMetadata, reported] of rows)
    expect(mapStreamChunk({ usageMetadata }).usage).toEqual(reported === null ? null : usageMetadata)
})

test('a finish reason is separate from the text', () => {
  expect(mapStreamChunk({ candidates: [{ ...content({ text: 'a' }), finishReason: 'MAX_TOKENS' }] })).toEqual(
    {
      events: [{ type: 'text-delta', text: 'a' }],
      usage: null,
      finish: 'MAX_TOKENS',
      metadata: null,
    },
  )
})

test('a blocked prompt is a finish', () => {
  const { events, finish } = mapStreamChunk(blockedPrompt)
  expect(finish).toBe('SAFETY')
  expect(events.map(event => event.type)).toEqual(['usage'])
})

test('chunks of other shapes pass without an event', () => {
  for (const chunk of [
    {},
    { candidates: 5 },
    { candidates: [null] },
    { candidates: [], promptFeedback: {} },
  ]) {
    expect(mapStreamChunk(chunk)).toEqual({ events: [], usage: null, finish: null, metadata: null })
  }
})
