// Event streams cut anywhere give the same payloads, with every separator, and never unbounded memory.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createSseDecoder, EventStreamError } from './sse-decoder.ts'

function decode(pieces: readonly Uint8Array[]): string[] {
  const decoder = createSseDecoder()
  return [...pieces.flatMap(piece => decoder.push(piece)), ...decoder.end()]
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
  const payloads = ['{"a":"é你🙂"}', '{"b":1}', '{\n}']

  test('split in two at every byte', () => {
    const bytes = encode(text)
    for (let at = 0; at <= bytes.length; at++) {
      expect(decode([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(payloads)
    }
  })

  test('byte by byte', () => {
    expect(decode([...encode(text)].map(byte => Uint8Array.of(byte)))).toEqual(payloads)
  })

  test('an event is given as soon as its separator is there', () => {
    expect(createSseDecoder().push(encode(`data: 1${lineEnd}${lineEnd}`))).toEqual(['1'])
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
  ])('%s', (_name, text, payloads) => {
    expect(decode([encode(text)])).toEqual(payloads)
  })
})

test('an event beyond the bound is refused, however it is cut', () => {
  const decoder = createSseDecoder(1000)
  const push = () => decoder.push(encode('x'.repeat(90)))
  for (let times = 0; times < 11; times++) push()
  expect(push).toThrow(EventStreamError)
})

test('many events together may exceed the bound of one', () => {
  const decoder = createSseDecoder(10)
  expect(decoder.push(encode('data: 1\n\n'.repeat(50)))).toHaveLength(50)
})

test('a large event in small pieces costs linear time', () => {
  const decoder = createSseDecoder()
  const piece = encode('x'.repeat(1000))
  decoder.push(encode('data: '))
  for (let times = 0; times < 8000; times++) decoder.push(piece)
  expect(decoder.push(encode('\n\n'))[0]).toHaveLength(8_000_000)
})
