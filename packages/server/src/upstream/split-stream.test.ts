// However a stream is cut into pieces, its bytes are passed on unchanged and its events are the same.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ArraySplitter, EventDecoder, EventSplitter, type StreamSplitter } from './split-stream.ts'

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
    const { whole, payloads } = split(new EventSplitter(), Buffer.from(stream), cuts)
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
    const { whole, payloads } = split(new ArraySplitter(), Buffer.from(stream), cuts)
    expect(whole).toBe(stream)
    expect(payloads).toEqual(texts)
  })
  fc.assert(property, { numRuns: 500 })
})

describe('a piece leaves as soon as it is whole', () => {
  test('events', () => {
    const splitter = new EventSplitter()
    expect(splitter.push(Buffer.from('data: {}\r\n\r'))).toHaveLength(0)
    expect(splitter.push(Buffer.from('\n'))).toHaveLength(1)
    expect(splitter.push(Buffer.from('data: {}\n\nda'))).toHaveLength(1)
  })
  test('elements', () => {
    const splitter = new ArraySplitter()
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
  expect(split(new EventSplitter(), Buffer.from(event), []).payloads).toEqual([payload])
})

test('comments alone hold nothing, and the stream goes on', () => {
  expect(split(new EventSplitter(), Buffer.from(': ping\n\n'), [])).toEqual({
    whole: ': ping\n\n',
    payloads: [],
  })
})

test('a piece without an end is bounded', () => {
  const splitter = new EventSplitter()
  const megabyte = new Uint8Array(1024 * 1024).fill(0x61)
  expect(() => {
    for (let count = 0; count < 70; count += 1) splitter.push(megabyte)
  }).toThrow('too large')
})

/** The payloads as an adapter reads them. */
function decode(pieces: readonly Uint8Array[]): string[] {
  const decoder = new EventDecoder()
  return [...pieces.flatMap(piece => decoder.push(piece)), ...decoder.push(null)]
}

const encode = (text: string) => new TextEncoder().encode(text)
const lineEnds = ['\n', '\r', '\r\n'] as const

describe.each(lineEnds)('with line end %j', lineEnd => {
  const text = [
    'data: {"a":"é你🙂"}',
    '',
    ': ping',
    '',
    'data:{"b":1}',
    '',
    'event: x',
    'data: {',
    'data: }',
    '',
    '',
  ].join(lineEnd)
  const payloads = ['{"a":"é你🙂"}', '{"b":1}', '{\n }']

  test('split in two at every byte', () => {
    const bytes = encode(text)
    for (let at = 0; at <= bytes.length; at++) {
      expect(decode([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(payloads)
    }
  })

  test('byte by byte', () => {
    expect(decode([...encode(text)].map(byte => Uint8Array.of(byte)))).toEqual(payloads)
  })

  test('an event is returned as soon as its separator arrives', () => {
    expect(new EventSplitter().push(encode(`data: 1${lineEnd}${lineEnd}`))).toHaveLength(1)
  })
})

test('any payloads, any line ends, any cuts', () => {
  const payload = fc.string({ unit: 'grapheme', minLength: 1 }).filter(text => !/[\r\n]/.test(text))
  const event = fc.record({ payload, lineEnd: fc.constantFrom(...lineEnds) })
  fc.assert(
    fc.property(fc.array(event), fc.array(fc.nat(400)), (events, cuts) => {
      const bytes = encode(
        events.map(({ payload, lineEnd }) => `data: ${payload}${lineEnd}${lineEnd}`).join(''),
      )
      const edges = [0, ...cuts.filter(cut => cut < bytes.length).sort((a, b) => a - b), bytes.length]
      const pieces = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge))
      expect(decode(pieces)).toEqual(events.map(({ payload }) => payload))
    }),
  )
})

describe('the end of the body', () => {
  test.each([
    ['an event without its separator', 'data: {"a":1}', ['{"a":1}']],
    ['one line end only', 'data: {"a":1}\n', ['{"a":1}']],
    ['half an event', 'data: {"a":', ['{"a":']],
    ['a bare error object', '{"error":\n{}}', ['{"error":\n{}}']],
    ['a bare error in an array, with a separator', '[{"error":{}}]\n\n', ['[{"error":{}}]']],
    ['white space', ' \n', []],
    ['nothing', '', []],
    ['a byte order mark', '\ufeffdata: {}\n\ndata: {}\n\n', ['{}', '{}']],
  ])('%s', (_name, text, payloads) => {
    expect(decode([encode(text)])).toEqual(payloads)
  })
})

test('an event beyond the bound is refused, however it is cut', () => {
  const splitter = new EventSplitter(1000)
  const push = () => splitter.push(encode('x'.repeat(90)))
  for (let times = 0; times < 11; times++) push()
  expect(push).toThrow('too large')
})

test('many events together may exceed the bound for one', () => {
  expect(new EventSplitter(10).push(encode('data: 1\n\n'.repeat(50)))).toHaveLength(50)
})

test('a large event in small pieces costs linear time', () => {
  const splitter = new EventSplitter()
  const piece = encode('x'.repeat(1000))
  splitter.push(encode('data: '))
  for (let times = 0; times < 8000; times++) splitter.push(piece)
  expect(splitter.push(encode('\n\n'))[0]?.payload).toHaveLength(8_000_001)
})
