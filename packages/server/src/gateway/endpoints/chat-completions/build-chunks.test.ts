// Chat events become chunks of a stream, each in the published format.
import { expect, test } from 'bun:test'
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import { chatChunkSchema } from '@fairgate/contracts/chat/response.ts'
import { Compile } from 'typebox/compile'
import type { ChatEvent } from '../../../upstream/port.ts'
import { ChunkWriter } from './build-chunks.ts'

const compiled = Compile(chatChunkSchema)

function write(events: readonly [index: number, event: ChatEvent][], request: Partial<ChatRequest> = {}) {
  const writer = new ChunkWriter({ model: 'm', ...request }, 'c1')
  writer.begin(1000)
  const text = events.map(([index, event]) => writer.write(index, event)).join('')
  return text
    .split('\n\n')
    .filter(block => block !== '')
    .map(block => {
      const chunk: unknown = JSON.parse(block.replace(/^data: /, ''))
      expect(compiled.Errors(chunk)).toEqual([])
      return compiled.Parse(chunk)
    })
}

/** index, delta and finish of each chunk. */
const shown = (...parameters: Parameters<typeof write>) =>
  write(...parameters).map(({ choices: [choice] }) => [choice?.index, choice?.delta, choice?.finish_reason])

const call = (id: string) =>
  ({ id, type: 'function', function: { name: 'f', arguments: '{"a":"ü"}' } }) as const
const toolCall = (id: string): ChatEvent => ({ type: 'tool-call', call: call(id) })
const png = { mimeType: 'image/png', base64: 'UE5H' }
const finish: ChatEvent = { type: 'finish', reason: 'tool_calls' }

test('call indexes continue through the stream, separately in each choice', () => {
  expect<unknown>(
    shown([
      [0, toolCall('call_1')],
      [1, toolCall('call_2')],
      [0, { type: 'text-delta', text: 'x' }],
      [0, toolCall('call_3')],
      [0, finish],
      [1, finish],
    ]),
  ).toEqual([
    [0, { role: 'assistant', tool_calls: [{ index: 0, ...call('call_1') }] }, null],
    [1, { role: 'assistant', tool_calls: [{ index: 0, ...call('call_2') }] }, null],
    [0, { content: 'x' }, null],
    [0, { tool_calls: [{ index: 1, ...call('call_3') }] }, null],
    [0, {}, 'tool_calls'],
    [1, {}, 'tool_calls'],
  ])
})

test('one call at a time, if requested', () => {
  const events: [number, ChatEvent][] = [
    [0, toolCall('call_1')],
    [0, toolCall('call_2')],
    [1, toolCall('call_3')],
  ]
  const chunks = write(events, { parallel_tool_calls: false })
  expect(chunks.map(({ choices }) => choices[0]?.delta.tool_calls?.[0]?.id)).toEqual(['call_1', 'call_3'])
})

test('images, audio, signatures', () => {
  const record = (index: number) => ({
    type: 'image_url',
    index,
    image_url: { url: 'data:image/png;base64,UE5H', detail: 'auto' },
  })
  expect<unknown>(
    shown([
      [0, { type: 'image', image: png }],
      [0, { type: 'image', image: png }],
      [0, { type: 'audio-delta', audio: { mimeType: 'audio/L16', base64: 'AAA=' } }],
      [0, { type: 'signature', signature: 'c2ln' }],
    ]),
  ).toEqual([
    [0, { role: 'assistant', images: [record(0)] }, null],
    [0, { images: [record(1)] }, null],
    [0, { audio: { id: 'audio_c1_0', data: 'AAA=', expires_at: 1000 } }, null],
    [0, { thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'c2ln' }] }, null],
  ])
})

test('log probabilities come with their text', () => {
  const logprobs = [{ token: 'x', logprob: -1, bytes: [120], top_logprobs: [] }]
  const [chunk] = write([[0, { type: 'text-delta', text: 'x', logprobs }]])
  expect(chunk?.choices[0]?.logprobs).toEqual({ content: logprobs, refusal: null })
})

test('the vendor’s data about the whole answer', () => {
  const metadata = { citationMetadata: null, groundingMetadata: { a: 1 }, urlContextMetadata: null }
  const citation = { start_index: 0, end_index: 1, url: 'https://a.example', title: 'A' }
  const annotations = [{ type: 'url_citation', url_citation: citation } as const]
  const [first, second] = write([
    [0, { type: 'metadata', annotations, ...metadata }],
    [0, { type: 'metadata', annotations: [], ...metadata }],
  ])
  expect(first).toMatchObject({
    choices: [{ delta: { role: 'assistant', annotations } }],
    vendor_grounding_metadata: [{ a: 1 }],
  })
  expect(first).not.toHaveProperty('vendor_citation_metadata')
  expect(second?.choices[0]?.delta).toEqual({})
})
