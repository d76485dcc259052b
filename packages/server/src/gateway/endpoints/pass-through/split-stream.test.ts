// Whatever the pieces in which a stream arrives, its bytes go on unchanged and its events are the same.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createArraySplitter } from './split-array.ts'
import { createEventSplitter } from './split-events.ts'
import type { StreamSplitter } from './split-stream.ts'

function split(splitter: StreamSplitter, bytes: Uint8Array, sizes: readonly number[]) {
  const pieces = []
  let from = 0
  for (const size of sizes) {
    pieces.push(...splitter.push(bytes.subarray(from, from + size)))
    from += size
  }
  pieces.push(...splitter.push(bytes.subarray(from)), ...splitter.end())
  return {
    whole: Buffer.concat(pieces.map(({ raw }) => raw)).toString(),
    payloads: pieces.flatMap(({ payload }) =>
      payload === null ? [] : [Buffer.from(payload).toString().trim()],
    ),
  }
}

const objects = fc.array(
  fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
  { minLength: 1, maxLength: 6 },
)
const sizes = fc.array(fc.nat({ max: 30 }), { maxLength: 40 })

test('events, with every way to end a line', () => {
  const ends = fc.constantFrom('\n\n', '\r\n\r\n', '\r\r')
  const property = fc.property(objects, ends, sizes, (values, end, cuts) => {
    const texts = values.map(value => JSON.stringify(value))
    const stream = texts.map(text => `data: ${text}${end}`).join('')
    const { whole, payloads } = split(createEventSplitter(), Buffer.from(stream), cuts)
    expect(whole).toBe(stream)
    expect(payloads).toEqual(texts)
  })
  fc.assert(property, { numRuns: 500 })
})

test('an array, with every layout between its elements', () => {
  const marks = fc.constantFrom(',', ',\n', '\n,\r\n')
  const property = fc.property(objects, marks, sizes, (values, mark, cuts) => {
    const texts = values.map(value => JSON.stringify(value))
    const stream = `[${texts.join(mark)}\n]\n`
    const { whole, payloads } = split(createArraySplitter(), Buffer.from(stream), cuts)
    expect(whole).toBe(stream)
    expect(payloads).toEqual(texts)
  })
  fc.assert(property, { numRuns: 500 })
})

describe('a piece leaves as soon as it is whole', () => {
  test('events', () => {
    const splitter = createEventSplitter()
    expect(splitter.push(Buffer.from('data: {}\r\n\r'))).toHaveLength(0)
    expect(splitter.push(Buffer.from('\n'))).toHaveLength(1)
    expect(splitter.push(Buffer.from('data: {}\n\nda'))).toHaveLength(1)
  })
  test('elements', () => {
    const splitter = createArraySplitter()
    expect(splitter.push(Buffer.from('[{"a":"}]"'))).toHaveLength(0)
    expect(splitter.push(Buffer.from('}'))).toHaveLength(1)
    expect(splitter.push(Buffer.from(']'))).toHaveLength(0)
    expect(splitter.end()).toHaveLength(1)
  })
})

test.each([
  ['data: {"a":1}\n\n', '{"a":1}'],
  ['data:{"a":\ndata:1}\n\n', '{"a":\n1}'],
  [': comment\ndata: {}\n\n', '{}'],
  ['event: x\nid: 1\ndata: {}\n\n', '{}'],
  ['{"error":{}}', '{"error":{}}'],
])('%j holds %s', (event, payload) => {
  expect(split(createEventSplitter(), Buffer.from(event), []).payloads).toEqual([payload])
})

test('comments alone hold nothing, and go on', () => {
  expect(split(createEventSplitter(), Buffer.from(': ping\n\n'), [])).toEqual({
    whole: ': ping\n\n',
    payloads: [],
  })
})

test('a piece without an end is bounded', () => {
  const splitter = createEventSplitter()
  const megabyte = new Uint8Array(1024 * 1024).fill(0x61)
  expect(() => {
    for (let count = 0; count < 70; count += 1) splitter.push(megabyte)
  }).toThrow('too large')
})
