// Events from one upstream read are delivered together, in order, and a failure only after them.
import { expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { failureOf } from '../store/testing/failure-of.ts'
import { ChatEventReader } from './chat-events.ts'
import { GeminiAnswer } from './gemini/chat/streamed-answer.ts'
import { openStream } from './testing/open-stream.ts'

const chunk = (text: string, more: object = {}) =>
  `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text }] }, ...more }] })}\r\n\r\n`
const usage = (candidatesTokenCount: number, more: object = {}) =>
  `data: ${JSON.stringify({ usageMetadata: { promptTokenCount: 5, candidatesTokenCount }, ...more })}\r\n\r\n`

/** `reads`: the bytes of each read. */
function open(...reads: string[]) {
  let closes = 0
  const stream = openStream('', 0, {
    read: async () => {
      const text = reads.shift()
      return text === undefined ? { done: true } : { done: false, value: Buffer.from(text) }
    },
    close: () => {
      closes += 1
    },
  })
  return { reader: new ChatEventReader(stream, new GeminiAnswer(stream, () => 'id')), closes: () => closes }
}

test('returns one batch per read that completes an event, and none before', async () => {
  const [begin, rest] = [chunk('c').slice(0, 9), chunk('c').slice(9)]
  const { reader, closes } = open(
    chunk('a') + chunk('b') + begin,
    rest.slice(0, 5),
    rest.slice(5),
    chunk('', { finishReason: 'STOP' }),
  )
  expect(await reader.read()).toEqual([
    { type: 'text-delta', text: 'a' },
    { type: 'text-delta', text: 'b' },
  ])
  expect(await reader.read()).toEqual([{ type: 'text-delta', text: 'c' }])
  expect([await reader.read(), closes()]).toEqual([[{ type: 'finish', reason: 'stop' }], 1])
  reader.close()
  expect([await reader.read(), closes()]).toEqual([null, 1])
})

test('events before a failure come first, with their usage', async () => {
  const { reader, closes } = open(`${chunk('a')}${usage(2)}data: {"error":{"code":503}}\r\n\r\n${chunk('b')}`)
  expect(reader.usage()).toBeNull()
  expect(await reader.read()).toEqual([{ type: 'text-delta', text: 'a' }, { type: 'usage' }])
  expect(reader.usage()).toMatchObject({ kind: 'reported', usage: { inputTokens: 5, outputTokens: 2 } })
  expect(await failureOf(reader.read())).toBeInstanceOf(ApiError)
  expect([await reader.read(), closes()]).toEqual([null, 1])
})

test('the last usage counts, with the highest reported number of searches', async () => {
  const cites = (...webSearchQueries: string[]) => ({
    candidates: [{ groundingMetadata: { webSearchQueries } }],
  })
  const { reader } = open(
    usage(1, cites('x', 'y')) + usage(2, cites('x')),
    usage(-1, cites('x', 'y', 'z')),
    usage(3) + chunk('', { finishReason: 'STOP' }),
  )
  await reader.read()
  expect(reader.usage()).toMatchObject({ usage: { outputTokens: 2, searches: 2 } })
  await reader.read()
  expect(reader.usage()).toMatchObject({ kind: 'invalid' })
  await reader.read()
  expect(reader.usage()).toMatchObject({ usage: { outputTokens: 3, searches: 2 } })
})
